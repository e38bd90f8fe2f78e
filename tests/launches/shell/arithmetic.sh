#!/bin/bash
PER=2
HOSTS=2
vllm serve Qwen/Qwen2.5-32B-Instruct --tensor-parallel-size $((PER * HOSTS)) --max-model-len $((64 * 1024)) --host 127.0.0.1
