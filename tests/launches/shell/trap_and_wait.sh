#!/bin/bash
trap 'kill $pid' EXIT
vllm serve Qwen/Qwen3-14B --port 8050 --host 127.0.0.1 & pid=$!
until curl -sf localhost:8050/health; do sleep 3; done
wait $pid
