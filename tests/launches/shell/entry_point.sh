#!/bin/sh
# the entry point of an image: what it was called with, and more
set -- "$@" --tensor-parallel-size 2
if [ -n "$LOAD" ]; then
  set -- "$@" --load-format "$LOAD"
fi
exec vllm serve Qwen/Qwen2.5-14B-Instruct --distributed-executor-backend threads "$@"
