llama-server.exe -m "D:\models\qwen3.gguf" -c 8192 --gpu-layer 99
