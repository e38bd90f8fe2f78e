#!/bin/sh
set -- --host 127.0.0.1 --max-num-sequence 32
exec vllm serve Qwen/Qwen3-8B "$@"
