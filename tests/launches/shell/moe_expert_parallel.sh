#!/bin/bash
export VLLM_USE_DEEP_GEMM=1
vllm serve deepseek-ai/DeepSeek-V3 --tensor-parallel-size 8 --enable-expert-parallel \
  --max-model-len 32768 --max-num-seqs 128 --host 127.0.0.1 --trust-remote-code
