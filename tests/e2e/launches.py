#!/usr/bin/env python3
"""Launches as people publish them (tests/launches/): each is read as what it is, and nothing is said at a wrong place.

expected.tsv has a row a file: the machine it is checked for, the engine, version, model, tensor-parallel size and line
of each launch (one value stands for all of them, `-` for "not asserted"), the codes of all errors, and places: findings
with the text that they underline. `refused` is a word of the answer of a file that nobody reads as launches.
"""
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import unittest

from terminal import PROGRAM, SECONDS, environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "launches"
LEAST_LAUNCHES = 200
OF_EACH = ("engine", "version", "model", "tensor", "lines")
TENSOR = re.compile(r"(?:--tensor[-_]parallel[-_]size|(?<=\s)-tp|--tp|--tp-size)[ =][\"']?([^\s\"']+)")


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def spellings():
    """Flag of any engine: every name that it is typed by."""
    names = {}
    for path in (ROOT / "data" / "engines").glob("*/flags.tsv"):
        for row in table(path):
            names.setdefault(row["name"], set()).update([row["name"], *row["aliases"].split()])
    return names


def check(row):
    done = subprocess.run([os.path.abspath(PROGRAM), "check", "--format", "json", "--on", row["on"], "-f", row["file"]],
                          capture_output=True, timeout=SECONDS, cwd=FOLDER, env=environment())
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def stands_in(flag, text):
    return re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text.replace("_", "-")) is not None


def each(cell, count):
    values = cell.split()
    return values * count if len(values) == 1 else values


class Launches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = table(FOLDER / "expected.tsv")
        cls.names = spellings()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.answers = list(pool.map(check, cls.rows))

    def read_ones(self):
        """(row, answer, the file's bytes) of each file that holds launches."""
        for row, (code, out, err) in zip(self.rows, self.answers):
            if not row["refused"]:
                self.assertIn(code, (0, 1), (row["file"], err))
                yield row, json.loads(out), (FOLDER / row["file"]).read_bytes()

    def test_the_table_names_every_file_once(self):
        named = sorted(row["file"] for row in self.rows)
        there = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*")
                       if path.is_file() and path.parent != FOLDER)
        self.assertEqual(named, there)

    def test_no_file_ends_the_program_in_a_way_of_its_own(self):
        for row, (code, out, err) in zip(self.rows, self.answers):
            with self.subTest(file=row["file"]):
                self.assertNotIn("sextant: bug at", err)
                self.assertNotIn("Sanitizer", err)
                self.assertIn(code, (0, 1, 2), err)

    def test_what_is_no_launch_is_refused_by_name(self):
        refused = [pair for pair in zip(self.rows, self.answers) if pair[0]["refused"]]
        self.assertGreater(len(refused), 6)
        for row, (code, out, err) in refused:
            with self.subTest(file=row["file"]):
                self.assertEqual((code, out), (2, ""))
                self.assertIn(row["refused"], err)
                self.assertIn(row["file"], err)

    def test_each_launch_is_what_it_is(self):
        total = 0
        for row, answer, _ in self.read_ones():
            with self.subTest(file=row["file"]):
                launches = answer["launches"]
                total += len(launches)
                self.assertEqual(len(launches), int(row["launches"]))
                expected = (each(row[column], len(launches)) for column in OF_EACH)
                for launch, engine, version, model, tensor, line in zip(launches, *expected, strict=True):
                    self.assertEqual((launch["engine"]["name"], launch["line"]), (engine, int(line)))
                    if version != "-":
                        self.assertEqual(launch["engine"]["version"], version)
                    if model != "-":
                        self.assertIn(model, launch["command"])
                    if tensor != "-":
                        self.assertEqual((TENSOR.findall(launch["command"]) or ["1"])[-1], tensor)
        self.assertGreaterEqual(total, LEAST_LAUNCHES)

    def test_what_is_wrong_is_found_and_nothing_else(self):
        for row, answer, _ in self.read_ones():
            with self.subTest(file=row["file"]):
                errors = {d["code"] for d in answer["diagnostics"] if d["severity"] == "error"}
                self.assertEqual(errors, set(row["errors"].split()))

    def test_findings_underline_what_they_speak_of(self):
        for row, answer, text in self.read_ones():
            with self.subTest(file=row["file"]):
                said = [[d["code"], text_at(answer, row, text, label)] for d in answer["diagnostics"]
                        for label in d["labels"] if label["primary"]]
                for place in json.loads(row["places"] or "[]"):
                    self.assertIn(place, said)

    def test_every_label_lies_in_its_text(self):
        labels = 0
        for row, answer, text in self.read_ones():
            with self.subTest(file=row["file"]):
                for d in answer["diagnostics"]:
                    for label in d["labels"]:
                        whole = source_text(answer, row, text, label["source"])
                        if whole is None:
                            continue
                        labels += 1
                        self.assertLessEqual(0, label["begin"])
                        self.assertLess(label["begin"], label["end"], d["code"])
                        self.assertLessEqual(label["end"], len(whole), d["code"])
                        before = whole[:label["begin"]]
                        self.assertEqual(label["line"], before.count(b"\n") + 1, d["code"])
                        line = before[before.rfind(b"\n") + 1:]
                        if readable(line):
                            self.assertEqual(label["column"], len(line.decode().lstrip("\ufeff")) + 1, d["code"])
        self.assertGreater(labels, 150)

    def test_a_label_of_a_flag_stands_on_that_flag(self):
        flags = 0
        for row, answer, text in self.read_ones():
            with self.subTest(file=row["file"]):
                for d in answer["diagnostics"]:
                    subject = d["fingerprint"].split(":", 1)[1].split("#")[0]
                    command = answer["launches"][d["launch"]]["command"]
                    typed = self.names.get(subject, {subject})
                    written = any(stands_in(name, command) for name in typed)
                    if not subject.startswith("--") or not written or not d["labels"]:
                        continue
                    flags += 1
                    at = [text_at(answer, row, text, label) for label in d["labels"] if label["primary"]]
                    # "$OPTIONS" stands for the flags that it holds; in a file of flags they have no dashes.
                    right = any(t is None or "$" in t or any(stands_in(n, t) or t.startswith(n.lstrip("-") + ":") for n in typed)
                                for t in at)
                    self.assertTrue(right, (d["code"], subject, at))
        self.assertGreater(flags, 60)

    def test_edits_of_fixes_lie_in_the_file_and_change_it(self):
        edits = 0
        for row, answer, text in self.read_ones():
            with self.subTest(file=row["file"]):
                for d in answer["diagnostics"]:
                    for fix in d["fixes"]:
                        spans = sorted((e["begin"], e["end"]) for e in fix.get("edits", ()))
                        edits += len(spans)
                        for (begin, end), (after, _) in zip(spans, [*spans[1:], (len(text), 0)]):
                            self.assertTrue(0 <= begin <= end <= after <= len(text), (d["code"], spans))
                        self.assertFalse(spans and apply(text, fix["edits"]) == text, d["code"])
        self.assertGreater(edits, 60)


def readable(line):
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def source_text(answer, row, text, source):
    """The bytes that a label counts in; None: a file of the machine or model that is not part of the answer."""
    entry = answer["sources"][source]
    if entry["name"] == row["file"]:
        return text
    return entry["text"].encode() if "text" in entry else None


def text_at(answer, row, text, label):
    whole = source_text(answer, row, text, label["source"])
    return None if whole is None else whole[label["begin"]:label["end"]].decode("utf-8", "replace")


def apply(text, edits):
    for edit in sorted(edits, key=lambda e: -e["begin"]):
        text = text[:edit["begin"]] + edit["text"].encode() + text[edit["end"]:]
    return text


if __name__ == "__main__":
    unittest.main()
