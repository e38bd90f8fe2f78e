#!/usr/bin/env bash
# Puts the clients that the gateway is tested with under build/clients: openai for Python and Node,
# Anthropic's, litellm's; pinned, their bytes checked. Returns at once when all of it is there.
#
#   build/clients/venv/bin/python            with openai, anthropic and litellm
#   build/clients/node/node_modules/openai   for `node`, where there is one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

root=$PWD/build/clients
pins=tools/clients
stamp=$root/installed.txt  # the pins that this was made of

wanted() { cat "$pins"/requirements.txt "$pins"/package-lock.json "$pins"/setup.sh | sha256sum; }

if [[ "$(cat "$stamp" 2>/dev/null || true)" == "$(wanted)" ]]; then exit 0; fi

say() { echo "setup --clients: $*" >&2; }
mkdir -p "$root/node"
if [[ ! -x $root/venv/bin/python ]]; then
  python3 -m venv "$root/venv" || {
    say "Python cannot make a virtual environment; on Debian, install python3-venv"
    exit 1
  }
fi
say "taking in Python clients, some 70 MB, from the Python package index"
if ! "$root/venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes -r "$pins/requirements.txt"; then
  say "they could not be had, so tests with real clients are left out; look at pip's words above"
  exit 1
fi
if command -v npm >/dev/null; then
  cp "$pins/package.json" "$pins/package-lock.json" "$root/node/"
  (cd "$root/node" && npm ci --silent --ignore-scripts --no-audit --no-fund) || {
    say "the client for Node could not be had; its tests are left out"
    exit 1
  }
else
  say "no npm here: the tests with the client for Node are left out"
fi
wanted >"$stamp"
