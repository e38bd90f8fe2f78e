#!/bin/bash
CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen2.5-7B-Instruct --port 8001 --host 127.0.0.1 &
CUDA_VISIBLE_DEVICES=1 vllm serve Qwen/Qwen3-Embedding-0.6B --port 8002 --host 127.0.0.1 &
wait -n
