docker run --gpus all --shm-size 32g -p 127.0.0.1:30000:30000 \
  -v ~/.cache/huggingface:/root/.cache/huggingface --ipc=host \
  lmsysorg/sglang:v0.5.10 \
  python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-72B-Instruct --tp 4 --host 0.0.0.0
