vllm serve Qwen/Qwen2.5-14B-Instruct --tensor-parallel-size 4 --dtype bfloat16 --host 127.0.0.1
