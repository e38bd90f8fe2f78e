#!/bin/bash
docker run -d --gpus '"device=0"' --shm-size 4g -p 127.0.0.1:8001:8000 vllm/vllm-openai:v0.10.2 --model Qwen/Qwen2.5-7B-Instruct
docker run -d --gpus '"device=1,2"' --shm-size 8g -p 127.0.0.1:8002:8000 vllm/vllm-openai:v0.10.2 --model Qwen/Qwen2.5-14B-Instruct -tp 2
