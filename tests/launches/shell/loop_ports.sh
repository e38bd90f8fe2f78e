#!/bin/bash
# a server a card, each with a port of its own
for i in 0 1 2 3; do
  CUDA_VISIBLE_DEVICES=$i nohup vllm serve Qwen/Qwen2.5-7B-Instruct \
    --port $((8100 + i)) --host 127.0.0.1 > "log.$i" 2>&1 &
done
wait
