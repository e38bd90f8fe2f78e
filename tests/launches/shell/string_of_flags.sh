#!/bin/bash
# all flags in one string, split by the shell
OPTS="--tensor-parallel-size 2 --gpu-memory-utilization 1.5"
OPTS="$OPTS --max-num-seqs 64"
vllm serve Qwen/Qwen2.5-32B-Instruct $OPTS
