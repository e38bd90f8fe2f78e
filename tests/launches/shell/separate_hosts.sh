#!/bin/bash
# data parallel over two hosts, the second without a front
case $(hostname) in
  a) vllm serve deepseek-ai/DeepSeek-V3.1 -tp 8 --data-parallel-size 2 --data-parallel-size-local 1 --data-parallel-address 10.1.0.4 --data-parallel-rpc-port 13345 --enable-expert-parallel --host 127.0.0.1 ;;
  b) vllm serve deepseek-ai/DeepSeek-V3.1 -tp 8 --data-parallel-size 2 --data-parallel-size-local 1 --data-parallel-start-rank 1 --data-parallel-address 10.1.0.4 --data-parallel-rpc-port 13345 --enable-expert-parallel --headless ;;
esac
