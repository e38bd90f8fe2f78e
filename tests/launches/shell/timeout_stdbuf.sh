timeout 6h stdbuf -oL -eL vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 262144 --host 127.0.0.1
