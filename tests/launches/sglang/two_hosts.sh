#!/bin/bash
# the same on two hosts, the rank apart
HEAD=10.20.0.11:5757
if [ "$(hostname)" = gpu-a ]; then
  python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 16 --nnodes 2 --node-rank 0 --dist-init-addr $HEAD --trust-remote-code
else
  python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp 16 --nnodes 2 --node-rank 1 --dist-init-addr $HEAD --trust-remote-code
fi
