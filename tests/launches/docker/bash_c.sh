docker run --gpus all --ipc=host -p 127.0.0.1:8000:8000 --entrypoint bash vllm/vllm-openai:v0.10.2 -c "pip install hf-transfer && vllm serve Qwen/Qwen2.5-14B-Instruct --tensor-parallel-size 4"
