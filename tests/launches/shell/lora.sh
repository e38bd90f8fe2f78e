vllm serve Qwen/Qwen2.5-7B-Instruct --enable-lora --max-lora-rank 64 \
  --lora-modules sql=/adapters/sql notes=/adapters/notes --host 127.0.0.1
