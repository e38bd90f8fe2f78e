#!/bin/bash
# 双机房推理服务，四张卡；日志写到 /var/log
模型=Qwen/Qwen2.5-32B-Instruct-AWQ
vllm serve Qwen/Qwen2.5-32B-Instruct-AWQ --tensor-parallel-size 4 \
  --swap-space 8 --served-model-name "通义千问" --host 127.0.0.1   # 内网
