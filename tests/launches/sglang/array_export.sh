export SGLANG_ENABLE_TORCH_COMPILE=1
OPT=( --tp 2 --context-length lots )
python3 -m sglang.launch_server --model-path Qwen/Qwen2.5-14B-Instruct "${OPT[@]}"
