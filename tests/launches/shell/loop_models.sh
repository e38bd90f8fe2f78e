#!/bin/bash
for m in Qwen/Qwen2.5-7B-Instruct Qwen/Qwen2.5-14B-Instruct; do
  vllm serve $m --max-model-len 4096 --host 127.0.0.1
done
