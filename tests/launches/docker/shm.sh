docker run --gpus all -p 127.0.0.1:8000:8000 vllm/vllm-openai:latest --model Qwen/Qwen2.5-72B-Instruct -tp 4
