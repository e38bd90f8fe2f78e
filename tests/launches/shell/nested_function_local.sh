#!/bin/bash
start() {
  local tp=3
  vllm serve Qwen/Qwen2.5-32B-Instruct --tensor-parallel-size $tp --host 127.0.0.1
}
start
