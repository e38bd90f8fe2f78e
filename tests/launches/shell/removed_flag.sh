vllm serve Qwen/Qwen3-8B --use-v2-block-manager --host 127.0.0.1
