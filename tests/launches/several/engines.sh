#!/bin/bash
# the same model on three engines, one after another
vllm serve Qwen/Qwen3-8B --port 9001 --host 127.0.0.1
python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --port 9002
llama-server -hf Qwen/Qwen3-8B-GGUF:Q8_0 --port 9003 -c 8192
