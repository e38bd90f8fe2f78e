#!/usr/bin/env python3
"""How fast `sextant diagnose` reads: a large log that is healthy but for one cause in its middle, and a short one cold.

    ./dev bench diagnose [MEGABYTES] [--pipe-gb [N]]

With --pipe-gb (10 where no number is given) only that much through a pipe: its rate, and the memory that must not grow
with it. Beside the large log in the same run: `cat`, `grep -E` of ten of the same patterns, and `rg` where there is one. The last line says
whether every bar holds; the exit code is 1 when one does not.
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("SEXTANT", str(ROOT / "build" / "sextant"))
GB_A_SECOND, MOST_MB, MOST_COLD_MS = 1.0, 60, 15
CAUSE = ("(Worker_TP1 pid=4711) ERROR 11-29 18:12:29 [multiproc_executor.py:953] ValueError: To serve at least one request with "
         "the models's max seq len (32768), (4.00 GiB KV cache is needed, which is larger than the available KV cache memory "
         "(3.10 GiB). Try increasing `gpu_memory_utilization`\n")
PATTERNS = ("No available memory for the cache blocks", "is larger than the available KV cache memory", "CUDA out of memory",
            "[Aa]ddress already in use", "must be divisible by tensor parallel size", "no kernel image is available",
            "Cannot re-initialize CUDA", "MetadataIncompleteBuffer", "Error 80[234]", "Watchdog caught collective")


def healthy_lines(rng):
    second = 0
    while True:
        second += 1
        stamp = f"11-29 {second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        if second % 10 == 0:
            yield (f"(APIServer pid=31252) INFO {stamp} [loggers.py:335] Engine 000: Avg prompt throughput: {rng.uniform(1, 4000):.1f} tokens/s, "
                   f"Avg generation throughput: {rng.uniform(1, 900):.1f} tokens/s, Running: {rng.randint(1, 60)} reqs, Waiting: {rng.randint(0, 9)} reqs, "
                   f"GPU KV cache usage: {rng.uniform(0, 90):.1f}%, Prefix cache hit rate: {rng.uniform(0, 90):.1f}%\n")
        elif second % 7 == 0:
            yield f"(EngineCore pid=29419) DEBUG {stamp} [core.py:402] EngineCore loop active, step {second}, batch {rng.randint(1, 64)}\n"
        elif second % 13 == 0:
            yield f"(APIServer pid=31252) INFO {stamp} [async_llm.py:270] Added request chatcmpl-{rng.getrandbits(64):016x}.\n"
        else:
            path = rng.choice(("/v1/chat/completions", "/v1/completions", "/metrics", "/health", "/v1/models"))
            yield f'(APIServer pid=31252) INFO:     10.0.{rng.randint(0, 9)}.{rng.randint(1, 250)}:{rng.randint(30000, 60000)} - "POST {path} HTTP/1.1" 200 OK\n'


def write_log(path, megabytes):
    rng, lines = random.Random(7), []
    block, size = [], 0
    for line in healthy_lines(rng):
        block.append(line)
        size += len(line)
        if size > 8_000_000:
            break
    text = "".join(block)
    times = max(2, int(megabytes * 1_000_000 / len(text)))
    with open(path, "w") as file:
        for number in range(times):
            if number == times // 2:
                file.write(CAUSE)
            file.write(text)
    return os.path.getsize(path)


def seconds(words):
    begin = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def through_pipe(gigabytes):
    """The same lines again and again, with the cause in the middle; none of it is ever a file."""
    rng, block = random.Random(7), []
    for line in healthy_lines(rng):
        block.append(line)
        if len(block) >= 60_000:
            break
    text = "".join(block).encode()
    times = max(2, int(gigabytes * 1e9 / len(text)))
    begin = time.perf_counter()
    with subprocess.Popen([PROGRAM, "diagnose", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        for number in range(times):
            if number == times // 2:
                child.stdin.write(CAUSE.encode())
            child.stdin.write(text)
        child.stdin.close()
        said = child.stdout.read().decode()
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    wall, size = time.perf_counter() - begin, times * len(text) + len(CAUSE)
    cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    good = memory <= MOST_MB and "SX3103" in said
    print(f"{size / 1e9:.1f} GB through a pipe: {size / wall / 1e9:.2f} GB/s wall, {size / cpu / 1e9:.2f} GB/s of one core, "
          f"{memory:.0f} MB resident (bar {MOST_MB} MB), cause {'found' if 'SX3103' in said else 'NOT found'}: "
          f"{'holds' if good else 'does not hold'}")
    return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("megabytes", type=int, nargs="?", default=1000)
    parser.add_argument("--pipe-gb", type=float, nargs="?", const=10, metavar="N", help="only a pipe of N GB")
    asked = parser.parse_args()
    if asked.pipe_gb:
        return through_pipe(asked.pipe_gb)
    megabytes = asked.megabytes
    good = True
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "large.log")
        size = write_log(log, megabytes)
        rivals = {"sextant diagnose": [PROGRAM, "diagnose", str(log)], "cat": ["cat", str(log)],
                  "grep -E, ten patterns": ["grep", "-cE", "|".join(PATTERNS), str(log)]}
        if shutil.which("rg"):
            rivals["rg, ten patterns"] = ["rg", "-c", "-j1", "|".join(PATTERNS), str(log)]
        best = {name: (9e9, 9e9, 0) for name in rivals}
        for _ in range(3):
            for name, words in rivals.items():
                best[name] = min(best[name], seconds(words), key=lambda one: one[1])
        for name, (wall, cpu, memory) in best.items():
            print(f"{name:<24} {size / wall / 1e9:6.2f} GB/s wall, {size / cpu / 1e9:6.2f} GB/s of one core, {memory:.0f} MB")
        _, cpu, memory = best["sextant diagnose"]
        answer = subprocess.run([PROGRAM, "diagnose", str(log)], capture_output=True, text=True)
        good &= size / cpu / 1e9 >= GB_A_SECOND and memory <= MOST_MB and "SX3103" in answer.stdout
        short = ROOT / "tests" / "logs" / "kv_gt_ram.log"
        times = [seconds([PROGRAM, "diagnose", str(short)])[0] * 1000 for _ in range(31)]
        cold = statistics.median(times)
        print(f"first answer for a short log: median {cold:.1f} ms, least {min(times):.1f} ms")
        good &= min(times) <= MOST_COLD_MS
    print(f"bars: {GB_A_SECOND} GB/s of one core, {MOST_MB} MB, {MOST_COLD_MS} ms: {'all hold' if good else 'not all hold'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
