#!/bin/bash
CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen2.5-14B-Instruct -tp 2 --port 7001 --host 127.0.0.1 &
CUDA_VISIBLE_DEVICES=2,3 vllm serve Qwen/Qwen2.5-14B-Instruct -tp 2 --port 7002 --host 127.0.0.1 &
CUDA_VISIBLE_DEVICES=4,5 vllm serve Qwen/Qwen2.5-14B-Instruct -tp 2 --port 7003 --host 127.0.0.1 &
CUDA_VISIBLE_DEVICES=6,7 vllm serve Qwen/Qwen2.5-14B-Instruct -tp 2 --port 7004 --host 127.0.0.1 &
wait
