docker run --gpus all --ipc host --max-model-len 8192 -p 127.0.0.1:8000:8000 vllm/vllm-openai:latest --model Qwen/Qwen2.5-32B-Instruct -tp 2
