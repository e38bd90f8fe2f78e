# 启动容器，镜像已经拉到本地
docker run --gpus all --ipc=host -p 127.0.0.1:8000:8000 -v /数据/模型:/models vllm/vllm-openai:v0.10.2 --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2
