#!/bin/bash
N=$(nvidia-smi -L | wc -l)
vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size $N --host 127.0.0.1
