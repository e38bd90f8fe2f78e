NCCL_P2P_DISABLE=0 numactl -N 1 -m 1 taskset -c 32-63 python -u -m vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-32B-Instruct -tp 2 --host=127.0.0.1
