#!/bin/bash
# JSON with a comma too many, and with the base of the rotations left out
vllm serve Qwen/Qwen3-235B-A22B-FP8 --tensor-parallel-size 8 --enable-expert-parallel \
  --hf-overrides '{"rope_parameters": {"rope_type": "yarn", "factor": 2.0,}}'
