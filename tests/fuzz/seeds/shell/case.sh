case $1 in
 a|b) v;; (c) w $(x `y`);;
esac
f() { v ${1:-${2:-c}} ${M##*/}; }
[[ -z "$Q" ]] && Q=1
