#!/bin/bash
# values at the top, command at the bottom
MODEL=Qwen/Qwen2.5-72B-Instruct
TP=6
PORT=${PORT:-8042}
vllm serve "$MODEL" --tensor-parallel-size "$TP" --port "${PORT}"
