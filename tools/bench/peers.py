#!/usr/bin/env python3
"""Sextant beside the tools that do part of its work: the same start-ups, held against what the engine logged.

    ./dev bench peers [--dir FOLDER] [--write PAGE] [--only NAME,NAME]

Installs each peer from its own registry into an environment under FOLDER (default: a temporary one that goes away), serves
the models' configs from this machine, and prints Markdown. Not part of CI: it needs the registries and takes minutes.
"""
import argparse
import datetime
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "peers"))

import gguf_tools  # noqa: E402
import hub  # noqa: E402
import install  # noqa: E402
import layouts  # noqa: E402
import run  # noqa: E402
import table  # noqa: E402
import texts  # noqa: E402
import vllm_tools  # noqa: E402
from cases import Score, read_cases  # noqa: E402

PROGRAM = os.environ.get("SEXTANT", str(ROOT / "build" / "sextant"))
TESTS = ROOT / "tests" / "peers"
TIMED = ("01", "19", "25")          # one card, two cards with experts, two cards dense
NICENESS = 10                       # other people's work on this machine goes first
EXTRAS = {"llm-d-planner": "[estimation]"}
PROGRAMS = {"llm-d-planner": "planner"}
GGUF_MODULE = "github.com/gpustack/gguf-parser-go"


def tools():
    return [vllm_tools.Sextant(PROGRAM), vllm_tools.Kvfit(), vllm_tools.Vramscout(), vllm_tools.LlmdPlanner(),
            vllm_tools.LlmdPlannerDown(), vllm_tools.Aiconfigurator()]


def packages(some_tools):
    """Each once: one tool may be asked in two ways."""
    return list(dict.fromkeys(tool.package for tool in some_tools))


def install_all(folder, names):
    """name -> Installed; a peer that cannot be had keeps its reason."""
    version = run.run([PROGRAM, "--version"])
    there = {"sextant": install.Installed(version.text.split()[-1] if version.text else "?", PROGRAM)}
    for name in names:
        print(f"installing {name}", file=sys.stderr)
        if name == "gguf-parser":
            there[name] = install.go_program(folder, GGUF_MODULE, TESTS / "gguf" / "main.go")
        else:
            there[name] = install.python_package(folder, name, PROGRAMS.get(name, name), EXTRAS.get(name, ""))
    return there


def ask_memory(asked_tools, all_cases, world):
    scores = {}
    for tool in asked_tools:
        score = scores[tool.name] = Score()
        for case in all_cases:
            question = tool.question(case, world)
            if isinstance(question, texts.Both):
                score.add(case, None, question)
                continue
            said = run.run(*question)
            answer = tool.answer(said, case)
            score.add(case, answer, None if answer else vllm_tools.reason_of(said))
        print(f"asked {tool.name}: {len(all_cases) - len(score.refused)} of {len(all_cases)}", file=sys.stderr)
    return scores


def find_all(asked_tools, world, all_cases):
    """Every question of this bench put to every tool; what table.py tells."""
    folder, environment, peer = world["folder"], world["environment"], world["installed"].get("gguf-parser")
    found = {"date": datetime.date.today(), "rounds": run.ROUNDS, "timed": len(TIMED), "tools": asked_tools, "cases": all_cases,
             "installed": world["installed"], "scores": ask_memory(asked_tools, all_cases, world)}
    found["times"] = run.times_in_turns({
        tool.name: [tool.question(case, world) for case in all_cases if case.case in TIMED] for tool in asked_tools})
    found["layouts"] = {"sextant": layouts.sextant(PROGRAM)}
    found["layouts"] |= {name: layouts.ask(name, world) for name in packages(asked_tools[1:])}
    gguf_tools.write_files(TESTS, folder / "files")
    found["gguf_errors"], found["gguf_refused"] = gguf_tools.ask_all(TESTS, folder / "files", PROGRAM, peer, environment)
    timed_file = gguf_tools.questions(PROGRAM, peer, folder / "files" / "llama-8b-q8_0.gguf", "8192")
    found["gguf_times"] = run.times_in_turns({
        name: [(words, environment)] * len(TIMED) for name, (words, _) in timed_file.items()})
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dir", help="keep the environments here and use those that are there")
    options.add_argument("--write", type=pathlib.Path, action="append", default=[],
                         help="put the figures between this page's marks")
    options.add_argument("--only", help="these peers alone, by name")
    options = options.parse_args()
    os.nice(NICENESS)
    wanted = options.only.split(",") if options.only else packages(tools()[1:]) + ["gguf-parser"]
    with tempfile.TemporaryDirectory(prefix="sextant-peers-") as made:
        folder = install.folder_of(options.dir, made)
        folder.mkdir(parents=True, exist_ok=True)
        there = install_all(folder, wanted)
        models = hub.read_models(TESTS)
        for name, model in models.items():
            model.write(folder / "checkpoints" / name.replace("/", "--"))
        world = {**there, "installed": there, "folder": folder, "checkpoints": folder / "checkpoints", "models": models,
                 "tools": ROOT / "tools" / "peers", "environment": install.quiet_environment(folder, hub.serve(models))}
        asked = [tool for tool in tools() if tool.package in there and not there[tool.package].trouble]
        found = find_all(asked, world, read_cases(TESTS / "cases.tsv"))
    print("\n".join(table.Page(found, at=0).lines()))
    for path in options.write:
        table.write_between_marks(path, table.Page(found, at=int(path.name.endswith(".zh.md"))).lines())


if __name__ == "__main__":
    main()
