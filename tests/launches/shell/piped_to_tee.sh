vllm serve Qwen/Qwen2.5-32B-Instruct --tensor-parallel-size 8 --host 127.0.0.1 2>&1 | tee serve.log
