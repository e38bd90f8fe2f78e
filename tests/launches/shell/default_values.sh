#!/bin/bash
: "${MODEL_ID:=Qwen/Qwen2.5-72B-Instruct}"
LEN=${LEN:-524288}
exec vllm serve "${MODEL_ID}" -tp "${TP:-8}" --max-model-len "${LEN}" --host 127.0.0.1
