#!/bin/bash
vllm serve Qwen/Qwen2.5-72B-Instruct-AWQ -tp 8 --host 127.0.0.1
vllm serve Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4 -tp 8 --host 127.0.0.1
vllm serve Qwen/Qwen3-32B-FP8 -tp 8 --host 127.0.0.1
vllm serve mistralai/Mixtral-8x7B-v0.1 -tp 2 --host 127.0.0.1
vllm serve google/gemma-2-27b-it -tp 2 --host 127.0.0.1
vllm serve google/gemma-3-27b-it -tp 2 --host 127.0.0.1 --max-model-len 32768
vllm serve 01-ai/Yi-1.5-34B-Chat -tp 2 --host 127.0.0.1
vllm serve zai-org/GLM-4.5-Air -tp 8 --host 127.0.0.1
vllm serve openai/gpt-oss-120b -tp 8 --host 127.0.0.1
vllm serve MiniMaxAI/MiniMax-M2 -tp 8 --host 127.0.0.1
