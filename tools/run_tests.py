#!/usr/bin/env python3
"""Runs the tests that CMake lists for a build folder and counts their cases.

A program says its count in one of three ways: a last line `N passed, N failed`, GoogleTest's own
summary, or unittest's. A program that says nothing counts as one case, by its exit code; one that
ends badly without naming a failed case counts as one failed case more.

    tools/run_tests.py build/dev                      everything that is built there
    tools/run_tests.py build/dev --release build/sextant     and every e2e script with that program too

Two lanes: tests that mostly wait for real processes (by the COST that CMake gives them) run beside
those that need a processor, more of them at a time than there are processors.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

LIMIT_SECONDS = 900  # a test program that hangs must not hang the run
WAITS = 100  # a test that costs so much mostly waits
WAITING_AT_ONCE = 4  # of those: each is idle nine seconds of ten
TOLD_AGAIN = 25  # last lines of each failure, at the end of the run


def listed_tests(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                             check=True, capture_output=True, text=True)
    tests = []
    for test in json.loads(listing.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        tests.append({
            "name": test["name"],
            "kind": properties.get("LABELS", ["other"])[0],
            "command": test.get("command"),
            "folder": properties.get("WORKING_DIRECTORY", build),
            "cost": float(properties.get("COST", 0)),
            "environment": dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", [])),
        })
    return tests


def count(output, code):
    """(passed, failed) as the program itself says it, corrected by its exit code."""
    passed = failed = 0
    closing = re.findall(r"^(\d+) passed, (\d+) failed\b", output, re.M)
    google_passed = re.findall(r"^\[  PASSED  \] (\d+) tests?\.", output, re.M)
    google_failed = re.findall(r"^\[  FAILED  \] (\d+) tests?, listed below", output, re.M)
    unittest = re.findall(r"^Ran (\d+) tests? in ", output, re.M)
    if closing:
        passed, failed = (int(n) for n in closing[-1])
    elif google_passed or google_failed:
        passed = int(google_passed[-1]) if google_passed else 0
        failed = int(google_failed[-1]) if google_failed else 0
    elif unittest:
        named = re.search(r"^FAILED \((.*)\)$", output, re.M)
        failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", named[1])) if named else 0
        passed = max(0, int(unittest[-1]) - failed)
    elif code == 0:
        passed = 1
    if code != 0 and failed == 0:
        failed = 1
    return passed, failed


def run(test):
    environment = dict(os.environ, **test["environment"])
    environment.setdefault("ASAN_OPTIONS", "detect_stack_use_after_return=1")
    started = time.monotonic()
    if not test["command"] or not os.path.exists(test["command"][0]):
        return test, 0, 1, "the program is not built", 0.0
    try:
        done = subprocess.run(test["command"], cwd=test["folder"], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS)
        output = done.stdout.decode("utf-8", "replace")
        passed, failed = count(output, done.returncode)
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode("utf-8", "replace")
        output += f"\nstopped after {LIMIT_SECONDS} seconds"
        passed, failed = 0, 1
    return test, passed, failed, output, time.monotonic() - started


def with_program(test, program):
    """The same script, driving another program."""
    return {**test, "name": test["name"].replace("e2e_", "e2e_release_", 1), "kind": "e2e_release",
            "environment": {**test["environment"], "SEXTANT": os.path.abspath(program)}}


def results(tests):
    """Each test's result, as they end. The longest begin first, the others in their order."""
    tests = sorted(tests, key=lambda test: -test["cost"])
    workers = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(WAITING_AT_ONCE) as waiting, \
            concurrent.futures.ThreadPoolExecutor(workers) as working:
        started = [(waiting if test["cost"] >= WAITS else working).submit(run, test) for test in tests]
        for done in concurrent.futures.as_completed(started):
            yield done.result()


def tell_end(output, lines):
    print("    " + "\n    ".join(output.rstrip().splitlines()[-lines:]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="build folder")
    parser.add_argument("--only", help="one kind: unit, property, casebook, e2e, ...")
    parser.add_argument("--release", help="a program that every e2e script drives once more")
    arguments = parser.parse_args()

    tests = [t for t in listed_tests(arguments.build)
             if not arguments.only or t["kind"] == arguments.only]
    if not tests:
        print(f"no {arguments.only or ''} test is listed in {arguments.build}\n0 passed, 1 failed")
        return 1
    if arguments.release:
        tests += [with_program(test, arguments.release) for test in tests if test["kind"] == "e2e"]
    kinds, failures = {}, []
    for test, passed, failed, output, seconds in results(tests):
        before = kinds.get(test["kind"], (0, 0))
        kinds[test["kind"]] = (before[0] + passed, before[1] + failed)
        print(f"{'FAIL' if failed else 'ok  '} {test['name']}: {passed} passed, "
              f"{failed} failed ({seconds:.1f} s)", flush=True)
        if failed:
            failures.append((test["name"], output))
            tell_end(output, 200)

    for name, output in failures:  # once more where the run ends: a long one is often cut before
        print(f"== {name} failed; its last lines:")
        tell_end(output, TOLD_AGAIN)
    for kind, (passed, failed) in kinds.items():
        print(f"{kind:>14}   {passed} passed, {failed} failed in this kind")
    total_passed = sum(p for p, _ in kinds.values())
    total_failed = sum(f for _, f in kinds.values())
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed else 0


if __name__ == "__main__":
    sys.exit(main())
