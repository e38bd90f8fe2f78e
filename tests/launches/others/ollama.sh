OLLAMA_HOST=127.0.0.1 ollama serve
