#!/usr/bin/env python3
"""How fast and how small `sextant check` is: start to exit, memory, a large checkpoint, large texts.

    ./dev bench check [RUNS]

Start-up is shown beside `python3 -c pass` of the same run, taken in turns: the machines are noisy, the ratio is not.
The last line says whether every bar holds; the exit code is 1 when one does not.
"""
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
PYTHON = "/usr/bin/python3"
LAUNCH = ["--", "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "6"]
MAIN_JOB = [PROGRAM, "check", "--on", "6xA100-PCIE-40GB", *LAUNCH]


def run(words, **more):
    """Milliseconds from start to exit, and the exit code."""
    begin = time.perf_counter()
    code = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more).returncode
    return (time.perf_counter() - begin) * 1000, code


# Starts its arguments and says how much they took. A process counts what its parent held when it was started, so
# the parent is a small one: not this bench with all the answers it has read.
STARTER = """
import os, sys
nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
print(os.wait4(pid, 0)[2].ru_maxrss)
"""


def peak_memory_mb(words):
    """Largest resident size of one run, in MB."""
    said = subprocess.run([PYTHON, "-I", "-S", "-c", STARTER, *words], stdout=subprocess.PIPE, check=True)
    return int(said.stdout) / 1024


def quarters(times):
    low, middle, high = statistics.quantiles(times, n=4)
    return f"median {middle:.2f} ms (quarters {low:.2f} to {high:.2f}, least {min(times):.2f})"


def write_checkpoint(folder, shards=206, tensors_a_shard=12, layers=126):
    """A checkpoint of so many shards whose tensors are holes: headers are real, data is not there."""
    folder.mkdir(parents=True)
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 16384, "intermediate_size": 53248,
              "num_hidden_layers": layers, "num_attention_heads": 128, "num_key_value_heads": 8, "vocab_size": 128256,
              "max_position_embeddings": 131072, "torch_dtype": "bfloat16", "tie_word_embeddings": False}
    (folder / "config.json").write_text(json.dumps(config))
    names = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj",
             "mlp.down_proj", "input_layernorm", "post_attention_layernorm"]
    weight_map, number = {}, 0
    for shard in range(1, shards + 1):
        file = f"model-{shard:05d}-of-{shards:05d}.safetensors"
        header, at = {"__metadata__": {"format": "pt"}}, 0
        for _ in range(tensors_a_shard):
            name = f"model.layers.{number // len(names) % layers}.{names[number % len(names)]}.{number}.weight"
            header[name] = {"dtype": "BF16", "shape": [16384, 256], "data_offsets": [at, at + 16384 * 256 * 2]}
            weight_map[name] = file
            at, number = at + 16384 * 256 * 2, number + 1
        text = json.dumps(header).encode()
        with open(folder / file, "wb") as out:
            out.write(struct.pack("<Q", len(text)) + text)
            out.truncate(8 + len(text) + at)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def write_script(path, megabytes):
    line = "# a comment that says nothing of use, with some 中文 in it and a few $VARIABLES\necho \"step $i of $N\" | tee -a log\n"
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(megabytes * 2 ** 20 // len(line.encode())):
            out.write(line)
        out.write("vllm serve Qwen/Qwen2.5-72B-Instruct \\\n  --tensor-parallel-size 6\n")


def write_paste(path, megabytes):
    line = "INFO 11-29 10:00:00 engine.py:1 Avg prompt throughput: 0.0 tokens/s | GPU KV cache usage: 0.0%\n"
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(megabytes * 2 ** 20 // len(line)):
            out.write(line)
        out.write("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-31\t0\nGPU1\tNV4\t X \t0-31\t0\n")


def start_up(runs):
    ours, python = [], []
    for _ in range(runs):
        time_ours, code = run(MAIN_JOB)
        if code != 1:
            sys.exit(f"bench: the main job ended with {code}, not 1")
        ours.append(time_ours)
        python.append(run([PYTHON, "-c", "pass"])[0])
    ratio = statistics.median(ours) / statistics.median(python)
    print(f"start to exit, {runs} runs: {quarters(ours)}")
    print(f"{PYTHON} -c pass, in turns: {quarters(python)}; ratio {ratio:.2f}")
    return [("start to exit at most 10 ms", statistics.median(ours) <= 10), ("at most half of python", ratio <= 0.5)]


def best_of(words, tries=5, **more):
    return min(run(words, **more)[0] for _ in range(tries))


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    bars = start_up(runs)
    memory = peak_memory_mb(MAIN_JOB)
    print(f"resident at most: {memory:.1f} MB")
    bars.append(("40 MB resident at most", memory <= 40))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_checkpoint(folder / "model")
        words = [PROGRAM, "check", "--on", "16xH100", "--", "vllm", "serve", str(folder / "model"), "-tp", "16"]
        shards = best_of(words)
        print(f"206 shards, whole check from warm cache: best of 5 {shards:.1f} ms")
        bars.append(("206 shards in 100 ms", shards <= 100))
        write_script(folder / "serve.sh", 10)
        script = best_of([PROGRAM, "check", "--on", "6xA100-PCIE-40GB", "-f", str(folder / "serve.sh")], 3)
        print(f"10 MB script: best of 3 {script:.0f} ms")
        bars.append(("10 MB script in 1 s", script <= 1000))
        write_paste(folder / "machine.txt", 50)
        paste = best_of([PROGRAM, "check", "--on", str(folder / "machine.txt"), *LAUNCH], 3)
        print(f"50 MB pasted machine text: best of 3 {paste:.0f} ms")
        bars.append(("50 MB pasted text in 1 s", paste <= 1000))
    print(f"the program: {os.path.getsize(PROGRAM) / 2 ** 20:.1f} MB")
    missed = [name for name, holds in bars if not holds]
    print(f"check: {len(bars) - len(missed)} of {len(bars)} bars hold" + (": missed " + "; ".join(missed) if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
