#!/usr/bin/env python3
"""Prints SGLang's own `--help` from its wheel, on a machine that has neither torch nor a GPU.

    pip download sglang==0.5.23 --no-deps && pip install msgspec
    tools/sglang_help.py sglang-0.5.23-*.whl > tests/engines/sglang/0.5.23/help.txt

Its parser is run as it is. The modules that only define arguments are imported from the wheel; every
other one (torch, kernels, …) is a stand-in whose names are objects that do nothing.
"""
import argparse
import ast
import importlib
import importlib.abc
import importlib.machinery
import os
import re
import sys
import tempfile
import types
import zipfile
from unittest.mock import MagicMock

WIDTH = "100"  # argparse wraps to the terminal's width; one width keeps two recordings comparable
REAL = ("sglang.srt.server_args", "sglang.srt.arg_groups", "sglang.srt.environ",
        "sglang.srt.model_executor.cuda_graph_config", "sglang.srt.parser.reasoning_parser_names",
        "sglang.srt.function_call.parser_names", "sglang.kernels.ops.kv_canary.consts")
INSTALLED = ("msgspec", "typing_extensions")


def constants(path):
    """The assignments of a module that are plain values, such as its lists of choices."""
    found = {}
    with open(path, encoding="utf-8") as file:
        body = ast.parse(file.read()).body
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


class Nothing(MagicMock):
    __doc__ = ""  # help texts quote the descriptions of functions


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, folder):
        self.folder = folder

    def find_spec(self, name, path, target=None):
        top = name.split(".")[0]
        if top in INSTALLED or top in sys.stdlib_module_names or name.startswith(REAL):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        file = os.path.join(self.folder, *spec.name.split("."))
        module.__path__ = [file]
        if spec.name.startswith("sglang.") and os.path.isfile(file + ".py"):
            module.__dict__.update(constants(file + ".py"))

        def anything(name):
            if name.startswith("__"):
                raise AttributeError(name)
            return Nothing(name=f"{spec.name}.{name}")

        module.__getattr__ = anything
        return module

    def exec_module(self, module):
        pass


def main():
    wheel = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    wheel.add_argument("wheel")
    path = wheel.parse_args().wheel
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder, [n for n in archive.namelist() if n.endswith(".py")])
        sys.path.insert(0, folder)
        sys.meta_path.insert(0, StandIns(folder))
        os.environ["COLUMNS"] = WIDTH
        server_args = importlib.import_module("sglang.srt.server_args").ServerArgs
        parser = argparse.ArgumentParser(prog="launch_server.py")
        server_args.add_cli_args(parser)
        text = parser.format_help()
    if "MagicMock" in text or re.search(r"^ +--\S+ \[?\{\}", text, re.M):
        print("a list of choices is computed by a module that is only a stand-in", file=sys.stderr)
        return 1
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
