PORT=8000
C="--a 1 --b"
for i in 0 1; do CUDA_VISIBLE_DEVICES=$i nohup vllm serve m --port $((PORT+i)) $C > l.$i 2>&1 & done; wait
