#!/bin/sh
# the shortest that people post: a program, a model, a port
vllm serve Qwen/Qwen2.5-7B-Instruct --port 8123
