# copied out of a chat window: dashes and quotes are no longer those of a keyboard
vllm serve Qwen/Qwen2.5-32B-Instruct —tensor-parallel-size 2 --served-model-name “qwen”
