python3 -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp 4 --speculative-algorithm EAGLE --speculative-num-steps 3
