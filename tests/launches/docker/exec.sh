docker exec -it llm-dev vllm serve Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1
