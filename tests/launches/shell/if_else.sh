#!/bin/bash
if [ "$(nvidia-smi -L | wc -l)" -ge 8 ]; then
  vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 8 --host 127.0.0.1
else
  vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4 --host 127.0.0.1
fi
