#!/bin/bash
# a bench that goes through the sizes; the last one cannot be
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 1 --host 127.0.0.1
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 2 --host 127.0.0.1
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 4 --host 127.0.0.1
vllm serve Qwen/Qwen2.5-7B-Instruct -tp 8 --host 127.0.0.1
