#!/bin/bash
cat > /tmp/serve.yaml <<'YAML'
max-model-len: 16384
vllm serve: not a command, only text
YAML
vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --host 127.0.0.1
