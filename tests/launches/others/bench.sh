vllm bench serve --model Qwen/Qwen2.5-7B-Instruct --num-prompts 100
