vllm serve Qwen/Qwen3-8B --compilation-config.cudagraph_mode FULL_AND_PIECEWISE -O2 --host 127.0.0.1
