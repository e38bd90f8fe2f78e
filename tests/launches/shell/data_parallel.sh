vllm serve Qwen/Qwen3-235B-A22B-FP8 --data-parallel-size 4 --tensor-parallel-size 2 --enable-expert-parallel --host 127.0.0.1
