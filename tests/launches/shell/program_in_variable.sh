#!/bin/bash
PY=/opt/env/bin/python
$PY -m vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-7B-Instruct --host 127.0.0.1
