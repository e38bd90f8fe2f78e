vllm serve Qwen/Qwen3-32B -tp 4 --host 127.0.0.1 \
  --speculative-config '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}'
