llama-server -m /models/qwen2.5-7b-instruct-q4_k_m.gguf -c 8192 -ngl 99 --port 8085
