#!/bin/bash
DOCKER=(--rm --gpus all --ipc=host -p 127.0.0.1:8000:8000)
ENGINE=(--model Qwen/Qwen2.5-14B-Instruct --tensor-parallel-size 4)
docker run "${DOCKER[@]}" vllm/vllm-openai:v0.10.2 "${ENGINE[@]}"
