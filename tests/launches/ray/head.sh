#!/bin/bash
ray start --head --num-gpus 8 --dashboard-host 127.0.0.1
vllm serve Qwen/Qwen3-235B-A22B-FP8 --tensor-parallel-size 8 --pipeline-parallel-size 2 --enable-expert-parallel --distributed-executor-backend ray --host 127.0.0.1
