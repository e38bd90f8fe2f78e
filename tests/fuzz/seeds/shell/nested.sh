cat > x <<EOF
vllm serve no
EOF
bash -c "vllm serve m --x \"a b\"" | tee log
sh -c 'vllm serve n'
eval "$A"
