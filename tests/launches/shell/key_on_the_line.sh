vllm serve Qwen/Qwen3-8B --host 0.0.0.0 --api-key not-a-secret-any-more
