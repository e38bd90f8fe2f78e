llama-server -m model.gguf -ctk q3_0 -ctv q8_0 -fa on
