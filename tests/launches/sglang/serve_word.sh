sglang serve Qwen/Qwen3-32B --tp 2 --mem-fraction-static 0.85
