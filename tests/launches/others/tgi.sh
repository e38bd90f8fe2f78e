text-generation-launcher --model-id Qwen/Qwen2.5-7B-Instruct --num-shard 2 --port 3000
