export CUDA_VISIBLE_DEVICES=2,3
export VLLM_LOGGING_LEVEL=INFO
export HF_HOME=/srv/hub
exec vllm serve Qwen/Qwen2.5-14B-Instruct -tp 2 --max-model-len 12288 --host 127.0.0.1
