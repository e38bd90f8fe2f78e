python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-7B-Instruct --port 30000
python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-14B-Instruct --tp-size 2 --port 30001
python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-32B-Instruct --tensor-parallel-size 4 --port 30002 --dtype bfloat16
python3 -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B --tp 4 --ep-size 4 --port 30003
python3 -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp=8 --port=30004 --reasoning-parser=qwen3
python3 -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp 8 --port 30005 --quantization fp8
python3 -m sglang.launch_server --model-path openai/gpt-oss-120b --tp 8 --port 30006
python3 -m sglang.launch_server --model-path zai-org/GLM-4.5-Air --tp 8 --port 30007 --tool-parser glm45
