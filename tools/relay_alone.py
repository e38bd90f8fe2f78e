#!/usr/bin/env python3
"""Builds the gateway alone under ThreadSanitizer: build/tsan/relay_alone, which stands in for `sextant` in the tests of the gateway.

    ./dev quick sextant && python3 tools/relay_alone.py [--sanitize thread] [--jobs N]

Which files it is made of is what the linker takes from the libraries of build/quick, so only those few are compiled again. A file is
compiled anew when it, or a header that it read, is newer than its object.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUICK = ROOT / "build" / "quick"
MAIN = ROOT / "tests" / "tsan" / "relay_alone.cpp"
LIBRARIES = ["gateway", "run", "gather", "plan", "rules", "logs", "check", "engines", "fit", "facts", "knowledge", "read", "diag", "text", "sys", "base", "fmt", "boost_json"]
SYSTEM = ["-lsqlite3", "-lpcre2-8", "-lyaml-cpp", "-lz", "-lssl", "-lcrypto", "-ldl", "-lm", "-pthread"]


def run(words):
    done = subprocess.run([str(word) for word in words], cwd=QUICK, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"relay_alone: {' '.join(map(str, words[:4]))} …\n{done.stderr[-4000:]}")
    return done


def commands():
    """Object, as a library names it: how the quick build compiles it."""
    found = {}
    for one in json.loads((QUICK / "compile_commands.json").read_text()):
        words = shlex.split(one["command"])
        layer = re.match(r"CMakeFiles/sx_(\w+)\.dir/", words[words.index("-o") + 1])
        if layer:
            found[(layer[1], pathlib.Path(words[words.index("-o") + 1]).name)] = (one["file"], words)
    return found


def members(main):
    """What the linker takes from which library."""
    mapped = main.with_suffix(".map")
    archives = [QUICK / f"libsx_{name}.a" for name in LIBRARIES]
    run(["clang++-19", main, "-Wl,--start-group", *archives, "-Wl,--end-group", *SYSTEM, "-Wl,--gc-sections", f"-Wl,-Map={mapped}", "-o", main.with_suffix("")])
    return sorted(set(re.findall(r"libsx_(\w+)\.a\(([^)]+)\)", mapped.read_text())))


def fresh(target):
    deps = target.with_suffix(".d")
    if not target.exists() or not deps.exists():
        return False
    names = deps.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    return all(pathlib.Path(name).exists() and pathlib.Path(name).stat().st_mtime <= target.stat().st_mtime for name in names)


def compile_one(source, target, flags):
    if fresh(target):
        return target
    language = ["-x", "assembler-with-cpp"] if source.endswith(".S") else ["-std=c++23", *flags]
    run(["nice", "-n", "10", "clang++-19", *language, "-MMD", "-MF", target.with_suffix(".d"), "-c", source, "-o", target])
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sanitize", default="thread")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    out = ROOT / "build" / ("tsan" if arguments.sanitize == "thread" else "alone")
    (out / "plain").mkdir(parents=True, exist_ok=True)
    flags = ["-O1", "-g1", f"-I{ROOT / 'src'}", "-D_GLIBCXX_ASSERTIONS", "-ffunction-sections", "-fdata-sections", "-fno-omit-frame-pointer"]
    plain = compile_one(str(MAIN), out / "plain" / "main.o", flags)
    if arguments.sanitize:
        flags.append(f"-fsanitize={arguments.sanitize}")
    known = commands()
    wanted = [(str(MAIN), out / "main.o")]
    for layer, name in members(plain):
        wanted.append((known[(layer, name)][0], out / f"{layer}-{name}"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        objects = list(pool.map(lambda one: compile_one(*one, flags), wanted))
    run(["clang++-19", *flags, *objects, "-Wl,--gc-sections", *SYSTEM, "-o", out / "relay_alone"])
    print(f"{out / 'relay_alone'}: {len(objects)} files")


main()
