tmux new-session -d -s llm "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2 --host 127.0.0.1"
