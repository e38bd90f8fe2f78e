cd /srv/app && source venv/bin/activate && vllm serve Qwen/Qwen2.5-7B-Instruct --gpu-memory-utilization 95 --host 127.0.0.1 || exit 1
