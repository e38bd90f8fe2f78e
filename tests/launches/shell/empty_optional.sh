#!/bin/bash
QUANT=""
vllm serve Qwen/Qwen3-8B ${QUANT:+--quantization $QUANT} --host 127.0.0.1
