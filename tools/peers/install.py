"""Peers in throw-away environments: one folder each, from their own registries, never into the system."""
import json
import os
import pathlib
import shutil
import sys

from run import run

INSTALL_LIMIT = 600


class Installed:
    """A peer that is there, or the reason that it is not."""

    def __init__(self, version=None, program=None, python=None, trouble=None):
        self.version, self.program, self.python, self.trouble = version, program, python, trouble


def python_package(folder, package, program, extra=""):
    """A virtual environment with the newest release; one that stands in the folder already is kept."""
    home = folder / package
    python = home / "bin" / "python"
    if not python.exists():
        made = run([sys.executable, "-m", "venv", str(home)], limit=INSTALL_LIMIT)
        if made.code != 0:
            return Installed(trouble="no virtual environment: " + made.trouble.strip()[-120:])
    words = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package + extra]
    done = run(words, limit=INSTALL_LIMIT)
    if done.code != 0:
        return Installed(trouble="not installed: " + done.trouble.strip()[-120:])
    asked = run([str(python), "-c", f"import importlib.metadata as m; print(m.version({package!r}))"])
    return Installed(asked.text.strip(), str(home / "bin" / program), str(python))


def go_program(folder, module, source):
    """Our own few lines around a library of Go, built against its newest release."""
    go = shutil.which("go")
    if not go:
        return Installed(trouble="there is no Go here")
    home = folder / "gguf"
    home.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, home / "main.go")
    environment = {"GOPATH": str(folder / "go"), "GOFLAGS": "-mod=mod -modcacherw", "GOMAXPROCS": "1"}
    steps = [["mod", "init", "peer"]] if not (home / "go.mod").exists() else []
    steps += [["get", module + "@latest"], ["build", "-p", "1", "-o", "gguf", "."]]
    for step in steps:
        done = run([go, "-C", str(home), *step], environment, INSTALL_LIMIT)
        if done.code != 0:
            return Installed(trouble=f"go {step[0]}: " + done.trouble.strip()[-120:])
    listed = run([go, "-C", str(home), "list", "-m", "-json", module], environment)
    version = json.loads(listed.text)["Version"] if listed.code == 0 else "?"
    return Installed(version.removeprefix("v"), str(home / "gguf"))


def quiet_environment(folder, hub):
    """What every peer gets: the hub of this run, one core, no reports to anybody."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    return {"HF_ENDPOINT": hub, "HF_HOME": str(home / "huggingface"), "HF_HUB_DISABLE_TELEMETRY": "1", "HOME": str(home),
            "OMP_NUM_THREADS": "1", "TRANSFORMERS_VERBOSITY": "error", "NO_COLOR": "1",
            "PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": ""}


def folder_of(argument, made):
    """The folder for all of it: the one named, else a fresh one that goes away."""
    return pathlib.Path(argument).resolve() if argument else pathlib.Path(made)
