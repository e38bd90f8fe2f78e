#!/bin/bash
# arguments collected in an array
args=(
  --tensor-parallel-size 3
  --max-model-len 24576
  --reasoning-parser qwen3   # thoughts apart from the answer
)
args+=(--host 127.0.0.1 --port 9100)
vllm serve Qwen/Qwen3-32B "${args[@]}"
