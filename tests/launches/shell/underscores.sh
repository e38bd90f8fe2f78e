#!/bin/bash
python3 -m vllm.entrypoints.openai.api_server --model=Qwen/Qwen2.5-32B-Instruct \
 --tensor_parallel_size=2 --gpu_memory_utilization=0.88 --max_model_len=8k --host=127.0.0.1
