#!/usr/bin/env bash
docker run --detach --name llm --env-file ./llm.env \
    --gpus=all --ulimit memlock=-1 --shm-size=32gb \
    --publish=127.0.0.1:8000:8000 \
    --volume=/srv/hub:/root/.cache/huggingface:ro \
    vllm/vllm-openai:v0.12.0 \
    --model=Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size=four
