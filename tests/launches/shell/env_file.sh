#!/bin/bash
set -a
. ./serve.env
set +a
: "${TP_SIZE:=4}"
vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size "$TP_SIZE" --host 127.0.0.1
