#!/bin/bash
# small models one after another, some with a word wrong
vllm serve Qwen/Qwen2.5-0.5B-Instruct --host 127.0.0.1 --max-model-len 4096
vllm serve Qwen/Qwen2.5-1.5B-Instruct --host 127.0.0.1 --enforce_eager
vllm serve Qwen/Qwen2.5-3B-Instruct --host 127.0.0.1 --max-model-len=2048 --seed 7
vllm serve Qwen/Qwen3-0.6B --host 127.0.0.1 --enable-prefix-cache
vllm serve Qwen/Qwen3-1.7B --host 127.0.0.1 --no-enable-prefix-caching
vllm serve Qwen/Qwen3-4B --host 127.0.0.1 --kv-cache-dtype fp8
vllm serve HuggingFaceTB/SmolLM2-360M-Instruct --host 127.0.0.1 --dtype half
vllm serve microsoft/Phi-4-mini-instruct --host 127.0.0.1 --max-num-batched-tokens 4096
vllm serve google/gemma-3-1b-it --host 127.0.0.1 --limit-mm-per-prompt '{"image": 0}'
vllm serve facebook/opt-125m --host 127.0.0.1 --max-num-seqs 16
