(cd /srv && export HF_HUB_OFFLINE=1 && exec vllm serve Qwen/Qwen2.5-14B-Instruct --tensor-parallel-size 8 --host 127.0.0.1)
