#!/bin/bash
# tabs instead of blanks
	vllm	serve	Qwen/Qwen2.5-32B-Instruct	\
		--tensor-parallel-size	3	\
		--host	127.0.0.1
