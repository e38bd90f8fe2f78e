docker run --gpus all --shm-size 1g -p 127.0.0.1:8080:80 ghcr.io/huggingface/text-generation-inference:3.3.4 --model-id Qwen/Qwen2.5-7B-Instruct --num-shard 2
