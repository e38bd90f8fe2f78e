#!/bin/bash
# a blank behind a backslash: the command ends there
vllm serve Qwen/Qwen2.5-32B-Instruct \ 
    --tensor-parallel-size 2 \
    --max-model-len 8192
