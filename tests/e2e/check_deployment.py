#!/usr/bin/env python3
"""`check -f` of a deployment file: its models are asked about as `up` starts them, and what is found stands where the file says it."""
import json
import pathlib
import re
import tempfile
import unittest

import jsonschema

from terminal import run

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = ("--on", "8xA100-SXM-80GB")
SEVERAL = """name = "box"
listen = "127.0.0.1:8000"

[[model]]
command = [
  "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct",
  "--tensor-parallel-size", "6",
  "--max-num-seqs", "8",
]
gpus = [0, 1, 2, 3, 4, 5]

[[model]]
command = "vllm serve Qwen/Qwen2.5-7B-Instruct --gpu-memory-utilization 1.2"
gpus = [6]
environment = { HF_HUB_OFFLINE = "1", VLLM_USE_V1 = "2" }
"""
SIX = '"--tensor-parallel-size", "6"'
SMALL = """[model]
id = "Qwen/Qwen2.5-7B-Instruct"
command = ["vllm", "serve", "{model}", "--max-model-len", "900000", "--port={port}", "--engine-version-of-nobody", "1"]
"""


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "sextant.toml"

    def write(self, text):
        self.file.write_text(text)

    def check(self, *words, machine=MACHINE, **variables):
        return run("check", "-f", "sextant.toml", *machine, *words, cwd=self.folder, **variables)

    def json(self, *words, **more):
        code, out, err = self.check("--format", "json", *words, **more)
        self.assertIn(code, (0, 1), err)
        return json.loads(out)

    def finding(self, told, code):
        found = [one for one in told["diagnostics"] if one["code"] == code]
        self.assertTrue(found, [one["code"] for one in told["diagnostics"]])
        return found[0]

    def said(self, label):
        """The bytes of the file that a label underlines; its line and column must be those of them."""
        text = self.file.read_bytes()
        before = text[:label["begin"]].decode()
        self.assertEqual((label["line"], label["column"]), (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1))
        return text[label["begin"]:label["end"]].decode()

    def take(self, fix):
        text = self.file.read_bytes()
        for edit in reversed(fix["edits"]):
            self.assertEqual(edit["source"], 0)
            text = text[:edit["begin"]] + edit["text"].encode() + text[edit["end"]:]
        self.file.write_bytes(text)


class Places(File):
    def test_of_several_models_each_is_a_launch_with_places_of_its_own(self):
        self.write(SEVERAL)
        told = self.json()
        self.assertEqual((told["sources"][0]["name"], "text" in told["sources"][0]), ("sextant.toml", False))
        self.assertEqual([launch["line"] for launch in told["launches"]], [4, 12])
        self.assertIn("CUDA_VISIBLE_DEVICES=6", told["launches"][1]["command"])
        heads, range_, variable = (self.finding(told, code) for code in ("SX2103", "SX1103", "SX1129"))
        self.assertEqual([one["launch"] for one in (heads, range_, variable)], [0, 1, 1])
        self.assertEqual(self.said(heads["labels"][0]), SIX)
        self.assertEqual(self.said(range_["labels"][0]), "--gpu-memory-utilization 1.2")
        self.assertEqual(self.said(variable["labels"][0]), 'VLLM_USE_V1 = "2"')
        for one in told["diagnostics"]:
            self.assertEqual(sum(label["primary"] for label in one["labels"]), 1, one)

    def test_every_format_names_the_file(self):
        self.write(SEVERAL)
        code, out, err = self.check()
        self.assertEqual((code, err), (1, ""))
        self.assertIn("launch 1 of 2, line 4: ", out)
        self.assertIn(" --> sextant.toml:7\n", out)
        self.assertIn('    7 -   "--tensor-parallel-size", "6",\n    7 +   "--tensor-parallel-size", "4",\n', out)
        code, out, _ = self.check("--format", "short")
        self.assertIn("sextant.toml:7:3: error[SX2103]: ", out)
        code, out, _ = self.check("--format", "json-lines")
        self.assertEqual({json.loads(line)["labels"][0]["source_name"] for line in out.splitlines()}, {"sextant.toml"})
        code, out, _ = self.check("--format", "markdown")
        self.assertIn(" --> sextant.toml:13\n", out)
        code, out, _ = self.check("--format", "sarif")
        document = json.loads(out)
        jsonschema.validate(document, json.loads((HERE / "schemas/sarif-2.1.0.json").read_text()))
        found = next(one for one in document["runs"][0]["results"] if one["ruleId"] == "SX2103")
        place = found["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"]["uri"], place["region"]["startLine"], place["region"]["startColumn"]), ("sextant.toml", 7, 3))
        self.assertEqual(place["region"]["snippet"]["text"], SIX)
        code, out, _ = self.check("--lang", "zh")
        self.assertIn("错误[SX2103]", out)
        jsonschema.validate(self.json("--why"), json.loads((HERE / "schemas/check-1.json").read_text()))

    def test_a_place_stands_for_its_value_and_another_key_for_its_words(self):
        self.write(SMALL + 'image = "vllm/vllm-openai:v0.8.5"\n')
        told = self.json()
        self.assertEqual(told["engine"], {"name": "vllm", "version": "0.8.5", "version_from": "image"})
        self.assertEqual(self.said(self.finding(told, "SX4111")["labels"][0]), '"--max-model-len", "900000"')
        self.assertEqual(self.said(self.finding(told, "SX1101")["labels"][0]), '"--engine-version-of-nobody", "1"')

    def test_what_only_up_says_stands_at_the_models_table(self):
        self.write('name = "box"\n\n[model]\nid = "Qwen/Qwen2.5-72B-Instruct"\n')
        told = self.json("--all")
        self.assertEqual(told["launches"][0]["line"], 3)
        for one in told["diagnostics"]:
            label = next(label for label in one["labels"] if label["primary"])
            self.assertIn(self.said(label), ("[model]", 'id = "Qwen/Qwen2.5-72B-Instruct"'))


class Fixes(File):
    def test_edits_of_the_file_clear_what_they_are_for(self):
        self.write(SEVERAL)
        for code in ("SX2103", "SX1103", "SX1129"):
            with self.subTest(code):
                fix = self.finding(self.json(), code)["fixes"][-1]
                self.assertTrue(fix["edits"], fix)
                self.take(fix)
                self.assertNotIn(code, [one["code"] for one in self.json()["diagnostics"]])
        self.assertEqual(self.check()[0], 0)

    def test_what_the_file_cannot_say_is_a_command(self):
        self.write('[model]\ncommand = "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len \\"900000\\""\n')
        finding = self.finding(self.json(), "SX4111")
        self.assertEqual(finding["fixes"][0]["edits"], [])
        self.assertIn("--max-model-len 32768", finding["fixes"][0]["command"])
        self.assertEqual(finding["labels"][0]["line"], 2)
        self.assertIn("    vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 32768 ", self.check()[1])

    def test_fix_says_the_command_of_each_launch(self):
        self.write(SEVERAL)
        code, out, err = run("fix", "-f", "sextant.toml", *MACHINE, cwd=self.folder)
        lines = out.splitlines()
        self.assertEqual((code, err, lines[0], lines[2]), (0, "", "# launch 1, line 4", "# launch 2, line 12"))
        self.assertIn(" --tensor-parallel-size 4 ", lines[1])
        self.assertNotIn("1.2", lines[3])

    def test_keys_are_in_no_answer(self):
        self.write('keys = { alice = "key-of-alice-1234567" }\n[model]\ncommand = ["vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--api-key", "abc", "--max-model-len", "900000"]\n'
                   'environment = { HF_TOKEN = "hf_aaaabbbb", WANDB_API_KEY = "xyz" }\n')
        for form in ("text", "short", "json", "json-lines", "sarif", "markdown"):
            code, out, err = self.check("--format", form)
            self.assertEqual(code, 1)
            for key in ('"abc"', "hf_aaaabbbb", "key-of-alice", " abc ", '"xyz"'):
                self.assertNotIn(key, out + err, form)

    def test_a_comment_allows_a_finding(self):
        self.write("# sextant: allow SX2103 a later card\n# sextant: allow SX1103 the same\n" + SEVERAL)
        code, out, _ = self.check("--format", "json")
        self.assertEqual(code, 0, out)
        self.assertEqual({one["code"] for one in json.loads(out)["allowed"]}, {"SX2103", "SX1103"})


class Asked(File):
    def test_the_version_of_the_file_counts_where_none_is_found_out(self):
        self.write(SMALL + 'version = "0.8.5"\n')
        self.assertEqual(self.json()["engine"]["version"], "0.8.5")
        self.assertEqual(self.json("--engine-version", "0.11.0")["engine"]["version"], "0.11.0")

    def test_what_lies_on_a_named_machine_is_not_wanted_here(self):
        self.write(SMALL + 'venv = "/opt/nowhere"\n[gateway]\ntls_certificate = "/etc/nowhere.pem"\ntls_key = "/etc/nowhere.key"\n')
        self.assertEqual(self.finding(self.json(), "SX4111")["labels"][0]["line"], 3)
        code, _, err = self.check(machine=())
        self.assertEqual(code, 2)
        self.assertIn("nowhere", err)

    def test_what_of_a_text_is_not_run_is_said_as_up_says_it(self):
        self.write('[model]\ncommand = "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 900000 | tee log"\n')
        code, out, err = self.check("--format", "short")
        self.assertEqual((code, err.count("warning: left out: | tee log")), (1, 1), err)
        self.assertTrue(out.startswith("sextant.toml:2:48: error[SX4111]"), out)


class Mistakes(File):
    def test_mistakes_of_the_file_are_underlined_and_nothing_is_checked(self):
        self.write(SEVERAL.replace("gpus = [6]", "gpu = [6]"))
        code, out, err = self.check()
        self.assertEqual((code, out), (2, ""))
        self.assertIn(" --> sextant.toml:14\n", err)
        self.assertEqual(err, run("config", "sextant.toml", cwd=self.folder)[2])

    def test_what_up_refuses_is_refused(self):
        self.write(SEVERAL.replace("gpus = [6]", "gpus = [5]"))
        code, out, err = self.check()
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(re.search("both take GPU 5; model.gpus says which are whose", err), err)

    def test_another_toml_is_still_none_that_is_read(self):
        self.write('[project]\nname = "x"\n')
        code, _, err = self.check()
        self.assertEqual(code, 2)
        self.assertIn("sextant.toml is TOML; what is taken: ", err)

    def test_a_command_beside_the_file_is_one_question_too_many(self):
        self.write(SMALL)
        code, _, err = self.check("--", "vllm", "serve", "m")
        self.assertEqual(code, 2)
        self.assertIn("both given", err)


if __name__ == "__main__":
    unittest.main()
