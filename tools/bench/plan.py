#!/usr/bin/env python3
"""How fast and how small `sextant plan` is: the whole search, start to exit, memory.

    ./dev bench plan [RUNS]

The search is what the program itself says (search.microseconds of its JSON), with gathering and printing left out.
Start to exit is shown beside `python3 -c pass` of the same run, taken in turns: the machines are noisy.
The last line says whether every bar holds; the exit code is 1 when one does not.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check import PROGRAM, PYTHON, peak_memory_mb, quarters, run  # noqa: E402  (same folder)

DENSE, EXPERTS = "Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen3-235B-A22B"
LOAD = ["--users", "32", "--context", "32768"]
MAIN_JOB = [PROGRAM, "plan", DENSE, "--on", "6xA100-PCIE-40GB", *LOAD]

# Machine, milliseconds of the whole search at most.
SEARCHES = [("6xA100-PCIE-40GB", 2), ("16xH100-80GB-HBM3", 10), ("64xH100-80GB-HBM3", 100)]
COLD_MS, RESIDENT_MB = 25, 60


def search(words):
    """Milliseconds of one search, and how many layouts it tried."""
    done = subprocess.run([*words, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    answer = json.loads(done.stdout)["search"]
    return answer["microseconds"] / 1000, answer["candidates"]


def searches(runs):
    bars = []
    for machine, most in SEARCHES:
        medians = []
        for model in (DENSE, EXPERTS):
            for more in ([], ["--all"]):
                words = [PROGRAM, "plan", model, "--on", machine, *LOAD, *more]
                tries = [search(words) for _ in range(runs)]
                times = [time for time, _ in tries]
                medians.append(statistics.median(times))
                print(f"{machine}, {model}{' --all' if more else ''}: {tries[0][1]} candidates, search {quarters(times)}")
        # `--all` also asks the checker of every layout that fits, so it is shown and not held to the bar.
        bars.append((f"search on {machine} in {most} ms", max(medians[0::2]) <= most))
    return bars


def start_up(runs):
    ours, python = [], []
    for _ in range(runs):
        time, code = run(MAIN_JOB)
        if code != 0:
            sys.exit(f"bench: the main job ended with {code}, not 0")
        ours.append(time)
        python.append(run([PYTHON, "-c", "pass"])[0])
    print(f"start to exit, {runs} runs: {quarters(ours)}")
    print(f"{PYTHON} -c pass, in turns: {quarters(python)}; ratio {statistics.median(ours) / statistics.median(python):.2f}")
    return [(f"start to exit at most {COLD_MS} ms", statistics.median(ours) <= COLD_MS)]


def main():
    runs = max(4, int(sys.argv[1])) if len(sys.argv) > 1 else 40
    bars = searches(max(4, runs // 2)) + start_up(runs)
    jobs = [MAIN_JOB] + [[PROGRAM, "plan", model, "--on", SEARCHES[-1][0], "--all", "--format", "json", *LOAD]
                         for model in (DENSE, EXPERTS)]
    memory = max(peak_memory_mb(job) for job in jobs)
    print(f"resident at most: {memory:.1f} MB (the main job, and 64 GPUs with --all)")
    bars.append((f"{RESIDENT_MB} MB resident at most", memory <= RESIDENT_MB))
    missed = [name for name, holds in bars if not holds]
    print(f"plan: {len(bars) - len(missed)} of {len(bars)} bars hold" + (": missed " + "; ".join(missed) if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
