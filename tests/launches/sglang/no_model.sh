python3 -m sglang.launch_server --host 127.0.0.1 --port 30000
