sudo docker run -d --restart unless-stopped --runtime nvidia --gpus all \
  --name llm --shm-size=16g -p 127.0.0.1:9000:8000 \
  -e HF_TOKEN=$HF_TOKEN \
  vllm/vllm-openai:v0.9.2 \
  --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 8
