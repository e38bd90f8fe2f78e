vllm serve m \
  --tp 2 \
  # c
  --x
