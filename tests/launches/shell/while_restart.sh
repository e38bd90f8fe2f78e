#!/bin/bash
# starts it again when it ends
while true; do
  vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --max-model-len 8192 --max-model-len 16384 --host 127.0.0.1
  sleep 10
done
