#!/bin/bash
python -m sglang.launch_server \
  --model-path deepseek-ai/DeepSeek-V3.1 \
  --tp-size 8 \
  --trust-remote-code \
  --max-running-requests 96 --host 127.0.0.1
