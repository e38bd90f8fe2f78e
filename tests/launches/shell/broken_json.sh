#!/bin/bash
SPEC='{"method": "deepseek_mtp", num_speculative_tokens: 1}'
vllm serve deepseek-ai/DeepSeek-V3 --tensor-parallel-size 8 --speculative-config "$SPEC" --max-model-len 16384 --host 127.0.0.1
