CUDA_VISIBLE_DEVICES=0,2 llama-server -m x-00001-of-00003.gguf -sm rows -ngl 99 -c 4096
