docker run --rm --gpus all -p 127.0.0.1:8080:8080 -v /srv/gguf:/models ghcr.io/ggml-org/llama.cpp:server-cuda \
  -m /models/mistral-7b-q5.gguf --host 0.0.0.0 --port 8080 -ngl 99
