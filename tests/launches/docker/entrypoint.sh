docker run --rm --gpus '"device=0"' --entrypoint python3 -p 127.0.0.1:8000:8000 vllm/vllm-openai:latest \
  -m vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-7B-Instruct --max-modell-len 4096
