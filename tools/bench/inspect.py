#!/usr/bin/env python3
"""How fast `sextant inspect --verify full` reads: GB/s, beside sha256sum in the same run.

    ./dev bench inspect [RUNS] [GIB]

Two files of GIB (default 1) each are hashed in turns by sha256sum (one after the other, and both at once) and by
sextant. They lie in the page cache, so it is the digest that is measured; on a disk slower than that, the disk decides
for all three. The last line says whether sextant is at least as fast as both at once, within the noise of the run.
"""
import hashlib
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("SEXTANT", str(ROOT / "build" / "sextant"))
NOISE = 1.10  # of a machine that others use too


def write(path, size, name):
    header = json.dumps({name: {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    header += b" " * (-len(header) % 8)
    piece = hashlib.sha512(name.encode()).digest() * (1 << 14)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        left = size
        while left > 0:
            file.write(piece[:min(left, len(piece))])
            left -= len(piece)


def seconds(words):
    begin = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    size = int(float(sys.argv[2] if len(sys.argv) > 2 else 1) * (1 << 30))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = [str(folder / f"model-0000{i}-of-00002.safetensors") for i in (1, 2)]
        for number, file in enumerate(files):
            write(file, size, f"t{number}")
        (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}')
        ways = {"sha256sum, one after the other": ["sha256sum", *files],
                "sha256sum, both at once": ["sh", "-c", "sha256sum %s & sha256sum %s & wait" % tuple(files)],
                "sextant inspect --verify full": [PROGRAM, "inspect", "--verify", "full", name]}
        times = {way: [] for way in ways}
        for _ in range(runs):
            for way, words in ways.items():
                times[way].append(seconds(words))
        rates = {way: 2 * size / 1e9 / statistics.median(taken) for way, taken in times.items()}
        for way, rate in rates.items():
            print(f"{way:32} {rate:6.2f} GB/s (median of {runs}, best {2 * size / 1e9 / min(times[way]):.2f})")
        with subprocess.Popen(ways["sextant inspect --verify full"], stdout=subprocess.DEVNULL) as child:
            _, _, usage = os.wait4(child.pid, 0)
            child.returncode = 0
        print(f"peak memory of sextant: {usage.ru_maxrss / 1024:.1f} MB")
        good = rates["sextant inspect --verify full"] * NOISE >= rates["sha256sum, both at once"]
        print("holds" if good else "does not hold")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
