# 国内镜像
docker run -it --gpus all --shm-size 64g -v /data/models:/models -p 127.0.0.1:8000:8000 \
  registry.example.cn/ai/vllm/vllm-openai:v0.8.5 --model Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 8
