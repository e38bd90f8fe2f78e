#!/usr/bin/env python3
"""The tables of flags and the engines' own help texts say the same, and the tool that compares them sees a difference."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import flags_from_help  # noqa: E402

# Differences that are right, each with its reason.
KNOWN = {
    # Which of them a version takes depends on model and card as well; rules of their own judge the values.
    ("vllm", "choices", "--kv-cache-dtype"), ("vllm", "choices", "--tool-call-parser"),
    # medusa and mlp_speculator are gone in the newest version read, whose choices the table holds.
    ("vllm", "choices", "--spec-method"),
    # The text was printed by the engine's library in another program, which has no port of its own; b11434 says 8080.
    ("llamacpp", "default", "--port"),
}
AT_LEAST = {"vllm": 310, "sglang": 520, "llamacpp": 250}


def recorded():
    for path in sorted((ROOT / "tests" / "engines").glob("*/*/help.txt")):
        yield path.parts[-3], path.parts[-2], path.read_text(encoding="utf-8")


def text_of(engine):
    return next((version, text) for name, version, text in recorded() if name == engine)


class Tables(unittest.TestCase):
    def test_every_recorded_help_text_agrees_with_its_table(self):
        engines = set()
        for engine, version, text in recorded():
            engines.add(engine)
            with self.subTest(engine=engine, version=version):
                found = flags_from_help.differences(engine, version, text)
                self.assertEqual([d for d in found if (engine, d[0], d[1]) not in KNOWN], [])
                self.assertGreater(len(flags_from_help.entries_of(text)), AT_LEAST[engine])
        self.assertEqual(engines, set(AT_LEAST))

    def test_what_is_excused_still_differs(self):
        found = {(engine, *d[:2]) for engine, version, text in recorded()
                 for d in flags_from_help.differences(engine, version, text)}
        self.assertEqual(KNOWN - found, set())


class Review(unittest.TestCase):
    """Each kind of change in a new help text is seen."""

    def changes(self, engine, old, new):
        version, text = text_of(engine)
        changed = text.replace(old, new)
        self.assertNotEqual(changed, text)
        before = flags_from_help.differences(engine, version, text)
        return [d[:2] for d in flags_from_help.differences(engine, version, changed) if d not in before]

    def test_a_flag_that_is_new_and_one_that_is_gone(self):
        self.assertEqual(self.changes("vllm", "--shutdown-timeout", "--stop-timeout"),
                         [("new", "--stop-timeout"), ("gone", "--shutdown-timeout")])
        self.assertEqual(self.changes("llamacpp", "--ubatch-size", "--micro-batch"),
                         [("alias", "--micro-batch")])

    def test_a_choice_more_and_a_choice_less(self):
        self.assertEqual(self.changes("sglang", "{auto,slow}", "{auto,slow,fast}"), [("choices", "--tokenizer-mode")])
        self.assertEqual(self.changes("sglang", "{auto,slow}", "{auto}"), [("choices", "--tokenizer-mode")])
        self.assertEqual(self.changes("llamacpp", "{none,layer,row,tensor}", "{none,layer,row}"),
                         [("choices", "--split-mode")])

    def test_another_default(self):
        self.assertEqual(self.changes("llamacpp", "logical maximum batch size (default: 2048)",
                                      "logical maximum batch size (default: 4096)"), [("default", "--batch-size")])

    def test_another_kind(self):
        self.assertEqual(self.changes("sglang", "  --trust-remote-code ", "  --trust-remote-code WHEN "),
                         [("kind", "--trust-remote-code")])

    def test_the_columns_of_a_pasted_row_are_those_of_the_table(self):
        entry = flags_from_help.entries_of("options:\n  -x N, --some-size N  Size. (default: 4)\n")[0]
        columns = (ROOT / "data/engines/vllm/flags.tsv").read_text().splitlines()[0].split("\t")
        row = dict(zip(columns, flags_from_help.row_to_paste(entry, "0.34.0", columns).split("\t")))
        self.assertEqual((row["name"], row["aliases"], row["kind"], row["default"], row["first_seen"], row["meaning"]),
                         ("--some-size", "-x", "integer", "4", "0.34.0", ""))


class Shapes(unittest.TestCase):
    """The shapes that help texts of several Python and engine versions have."""

    def one(self, text):
        found = flags_from_help.entries_of(text)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_argparse_before_and_since_python_3_13(self):
        for head in ("-tp N, --tensor-parallel-size N", "-tp, --tensor-parallel-size N"):
            entry = self.one(f"options:\n  {head}\n                        Ranks. (default: 1)\n")
            self.assertEqual((entry.name, entry.names[0], entry.shape, entry.default),
                             ("--tensor-parallel-size", "-tp", "one", "1"))

    def test_switches_with_and_without_a_negation(self):
        entry = self.one("options:\n  --quiet, --no-quiet, -q\n                        Less words.\n")
        self.assertEqual((entry.names, entry.negation, entry.shape), (["--quiet", "-q"], True, "switch"))
        self.assertFalse(self.one("optional arguments:\n  --quiet     Less words.\n").negation)

    def test_lists_and_values_that_may_be_left_out(self):
        for head, shape in (("--keys K [K ...]", "list"), ("--keys [K ...]", "list"), ("--token [TOKEN]", "optional")):
            self.assertEqual(self.one(f"options:\n  {head}\n").shape, shape)

    def test_llama_server(self):
        entry = self.one("----- common params -----\n\n-fa,   --flash-attn [on|off|auto]       kernels ('on' or 'off',\n"
                         "                                        default: 'auto')\n"
                         "                                        (env: LLAMA_ARG_FLASH_ATTN)\n")
        self.assertEqual((entry.names, entry.shape, entry.choices, entry.default.strip("'")),
                         (["-fa", "--flash-attn"], "one", ["on", "off", "auto"], "auto"))
        self.assertTrue(re.match("common", entry.group))


if __name__ == "__main__":
    unittest.main()
