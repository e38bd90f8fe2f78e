env A=1 -u B sudo -E vllm serve "模型" $'\t\x41' ~/m <(x) >(y)
