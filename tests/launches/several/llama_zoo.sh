llama-server -m a.gguf
llama-server -m b.gguf -c 4096 -b 1024 -ub 512
llama-server -m c.gguf -ngl all -sm row -mg 1
llama-server -m d.gguf --split-mode none --main-gpu 0 --no-mmap --mlock
llama-server -m e.gguf -np 2 -cb --cache-reuse 256
llama-server -m f.gguf --rope-scaling yarn --rope-scale 4 --yarn-orig-ctx 32768
llama-server -m g.gguf --lora ad.gguf --lora-scaled other.gguf:0.5
llama-server -m h.gguf --temperature 0.4 --top-kk 20
