vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2 --quantization fp8 --dtype half --host 127.0.0.1
