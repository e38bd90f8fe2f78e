#!/bin/bash
serve() {
  local model=$1 tp=$2
  vllm serve "$model" --tensor-parallel-size "$tp" --host 127.0.0.1
}
serve Qwen/Qwen2.5-32B-Instruct 4
