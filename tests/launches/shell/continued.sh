#!/usr/bin/env bash
# one flag a line; one of them is misspelled
set -euo pipefail
vllm serve Qwen/Qwen2.5-72B-Instruct \
    --tensor-parallel-size 4 \
    --max-model-len 16384 \
    --gpu-memory-utilisation 0.91 \
    --served-model-name qwen-big
