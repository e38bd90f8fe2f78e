#!/bin/bash
set -e
MODEL="${MODEL:-Qwen/Qwen2.5-7B}"
ARGS=(--host 0.0.0.0 --tp 2)
if [ -n "$X" ]; then ARGS+=(--max-model-len "$X"); fi
exec vllm serve "$MODEL" "${ARGS[@]}" "$@"
