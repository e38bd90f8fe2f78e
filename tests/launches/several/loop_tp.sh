#!/bin/bash
for tp in 1 2 4 8; do
  vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size $tp --host 127.0.0.1 --port 81$tp
done
