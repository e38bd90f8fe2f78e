uv run --with vllm --python 3.12 vllm serve Qwen/Qwen3-14B --max-model-len 20480 --host 127.0.0.1
