#!/bin/bash
# 这个文件是 GBK 编码：启动脚本，两张卡
echo "正在启动服务"
vllm serve Qwen/Qwen2.5-14B-Instruct --served-model-name "千问" --tensor-parallel-size 4 --host 127.0.0.1
