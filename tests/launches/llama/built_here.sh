./build/bin/llama-server --model ./models/70b-q4.gguf --ctx-size 16384 --n-gpu-layers 81 --tensor-split 1,1 --flash-attn on
