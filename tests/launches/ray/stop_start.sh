ray stop --force; ray start --head
python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4 --distributed-executor-backend rayy --host 127.0.0.1
