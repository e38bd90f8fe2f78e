#!/bin/bash
# settings of the night run
vllm serve meta-llama/Llama-3.3-70B-Instruct \
  --tensor-parallel-size 8 \
  --max-num-seqs 192 \
  --enable-prefix-caching \
  --host 127.0.0.1
# --enforce-eager   # only when something is to be found out
