llama-server -m model.gguf --n-gpu-layer 33 --ctx-sizes 4096
