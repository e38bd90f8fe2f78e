vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 --pipeline-parallel-size 3 --max-model-len 8192 --host 127.0.0.1
