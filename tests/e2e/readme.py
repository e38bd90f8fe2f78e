#!/usr/bin/env python3
"""What the two READMEs show is what the program says, and what they count is what there is."""
import pathlib
import re
import shlex
import unittest

from terminal import run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ASKED = ("--on", "6xA100-PCIE-40GB", "--", "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "6")


class Readme(unittest.TestCase):
    def shows(self, name, language):
        text = (ROOT / name).read_text(encoding="utf-8")
        block = re.search(r"```text\n(.*?)```", text, re.S)[1]
        self.assertEqual(block, run("check", "--lang", language, *ASKED)[1])
        self.assertIn("    " + run("fix", *ASKED)[1], text)
        return text

    def test_english(self):
        text = self.shows("README.md", "en")
        self.assertEqual(int(re.search(r"\*\*Rules\*\*: (\d+)", text)[1]), self.rules())

    def test_chinese(self):
        text = self.shows("README.zh.md", "zh")
        self.assertEqual(int(re.search(r"共 (\d+) 条", text)[1]), self.rules())

    def rules(self):
        return len(re.findall(r"^    &\w+,$", (ROOT / "src/rules/all.cpp").read_text(), re.M))

    def test_every_command_shown_can_be_typed_as_it_stands(self):
        shown = set()
        for name in ("README.md", "README.zh.md"):
            text = (ROOT / name).read_text(encoding="utf-8")
            for line in re.findall(r"(?m)^    (?:\$ )?(sextant .*)$", text):
                for command in re.sub(r"\s# .*", "", line).split(" | "):
                    words = shlex.split(command)
                    shown.add(words[1])
                    # Read as it stands, with every option, and not run.
                    code, _, err = run(words[1], "--help", *words[2:])
                    self.assertEqual((code, err), (0, ""), command)
        self.assertTrue({"check", "fix", "host", "plan", "up", "config", "gateway", "keys", "bench"} <= shown, shown)

    def test_every_word_shown_is_explained(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        for line in re.findall(r"^    sextant (explain \S+)", text, re.M):
            self.assertEqual(run(*line.split())[0], 0, line)


if __name__ == "__main__":
    unittest.main()
