#!/usr/bin/env python3
from vllm import LLM
llm = LLM(model="Qwen/Qwen2.5-7B-Instruct", tensor_parallel_size=2)
