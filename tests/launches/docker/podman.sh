podman run --device nvidia.com/gpu=all --security-opt=label=disable -p 127.0.0.1:8000:8000 \
  docker.io/vllm/vllm-openai:latest --model Qwen/Qwen2.5-7B-Instruct --max-model-len 16384
