sudo -E env CUDA_VISIBLE_DEVICES=0,1 nice -n 5 numactl --cpunodebind=0 --membind=0 \
  vllm serve Qwen/Qwen2.5-14B-Instruct -tp 2 --host 127.0.0.1
