poetry run python -m vllm.entrypoints.openai.api_server --model microsoft/phi-4 --max-model-len 65536 --host 127.0.0.1
