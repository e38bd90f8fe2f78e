#!/bin/bash
python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --port 31000 &
python3 -m sglang_router.launch_router --worker-urls http://127.0.0.1:31000
