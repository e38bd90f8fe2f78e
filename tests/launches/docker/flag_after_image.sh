docker run --gpus all -p 127.0.0.1:8000:8000 vllm/vllm-openai:v0.33.0 --model Qwen/Qwen2.5-32B-Instruct -tp 2 --shm-size 16g
