#!/bin/bash
# two cards that differ, three shares
export GGML_CUDA_ENABLE_UNIFIED_MEMORY=1
llama-server -m model.gguf -ngl 99 -ts 24,12,12 -c 8192
