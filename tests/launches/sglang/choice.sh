python3 -m sglang.launch_server --model-path Qwen/Qwen3-14B --attention-backend flash4ever
