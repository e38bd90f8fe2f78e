tmux new -d -s a "A=1 vllm serve m"
(base) me@host:~$ screen -dmS x vllm serve m
$ B=2 apptainer exec --nv i.sif vllm serve m
