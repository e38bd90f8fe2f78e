#!/bin/bash
source ~/miniforge3/etc/profile.d/conda.sh
conda activate serving
conda run --no-capture-output -n serving vllm serve Qwen/QwQ-32B --tensor-parallel-size 2 --host 127.0.0.1
