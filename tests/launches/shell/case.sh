#!/bin/sh
case "$1" in
  small) vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len eight ;;
  big)   vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 8 ;;
  *)     echo "small or big" >&2; exit 2 ;;
esac
