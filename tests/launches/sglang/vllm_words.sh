# vLLM's words in front of the other engine
python3 -m sglang.launch_server --model Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4 --gpu-memory-utilization 0.9 --max-model-len 8192
