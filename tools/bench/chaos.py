#!/usr/bin/env python3
"""A thousand random ends and stalls of keepers, engines and the daemon, one after another, by a seed: everything serves again, and
nothing piles up. Says how long it took to serve again, and what was left.

    ./dev bench chaos [COUNT] [SEED]"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fake_engine():
    """The newest one that a build left."""
    found = [*ROOT.glob("build/*/tests/fake_engine"), *ROOT.glob("build/*/fake_engine")]
    return str(max((path for path in found if path.is_file()), key=lambda path: path.stat().st_mtime, default=""))


def main():
    engine = os.environ.get("SEXTANT_FAKE_ENGINE") or fake_engine()
    if not engine:
        sys.exit("there is no fake engine: ./dev quick fake_engine builds one")
    environment = {**os.environ, "SEXTANT_FAKE_ENGINE": engine, "SEXTANT_FIGURES": "1",
                   "SEXTANT_KILLS": sys.argv[1] if len(sys.argv) > 1 else "1000",
                   "SEXTANT_SEED": sys.argv[2] if len(sys.argv) > 2 else "7"}
    sys.exit(subprocess.run([sys.executable, str(ROOT / "tests/e2e/up_chaos.py")], env=environment, cwd=ROOT).returncode)


if __name__ == "__main__":
    main()
