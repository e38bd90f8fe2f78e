docker run --gpus all --ipc=host -p 127.0.0.1:8000:8000 \
  -v ~/.cache/huggingface:/root/.cache/huggingface \
  vllm/vllm-openai:v0.11.2 --model Qwen/Qwen3-32B --tensor-parallel-size 2
