#!/usr/bin/env bash
# Puts Debian's nginx and HAProxy under build/bench/proxies: unpacked, not installed, so that no service starts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
place=build/bench/proxies
if [[ -x $place/usr/sbin/nginx && -x $place/usr/sbin/haproxy ]]; then exit 0; fi
command -v apt-get dpkg-deb >/dev/null || { echo "neither Debian nor Ubuntu: put nginx and haproxy into $place/usr/sbin" >&2; exit 1; }
mkdir -p "$place"
packages=$(mktemp -d)
trap 'rm -rf "$packages"' EXIT
(cd "$packages" && apt-get -o APT::Sandbox::User="$(id -un)" download -qq \
  nginx haproxy liblua5.3-0 libopentracing1 libopentracing-c-wrapper0)
for package in "$packages"/*.deb; do dpkg-deb -x "$package" "$place"; done
LD_LIBRARY_PATH=$place/usr/lib/$(uname -m)-linux-gnu "$place/usr/sbin/haproxy" -v | sed -n 1p
LD_LIBRARY_PATH=$place/usr/lib/$(uname -m)-linux-gnu "$place/usr/sbin/nginx" -v
