uvx --from vllm==0.11.2 vllm serve Qwen/Qwen3-8B --host 127.0.0.1
