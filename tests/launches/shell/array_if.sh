#!/bin/bash
EXTRA=()
if [ -n "$LONG" ]; then
  EXTRA+=(--max-model-len 40960)
fi
ARGS=(serve Qwen/Qwen3-30B-A3B --tensor-parallel-size 4 --enable-expert-parallel)
exec vllm "${ARGS[@]}" "${EXTRA[@]}"
