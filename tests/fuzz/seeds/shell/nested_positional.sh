bash -euo pipefail -c 'exec "$@"' name vllm serve m -tp 2
sh -c "sh -c 'v $2 $1'" a b c
bash -o c run.sh
bash +O extglob -lc -- 'A=1 v'
