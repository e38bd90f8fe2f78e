pip install -U vllm >/dev/null && python3 -m vllm.entrypoints.cli.main serve Qwen/Qwen2.5-32B-Instruct -tp 2 --host 127.0.0.1
