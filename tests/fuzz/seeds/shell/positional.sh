set -- "$@" --max-model-len 8k
f() { v "$1"; }
shift; set -- a "b c"
exec vllm serve m "$@" $2 ${1:-x}
