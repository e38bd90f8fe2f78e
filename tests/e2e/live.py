#!/usr/bin/env python3
"""This machine, asked through a driver library that the tests build: good, old, broken and hung ones."""
import json
import os
import pathlib
import tempfile
import unittest

from terminal import run

DRIVERS = os.environ.get("SEXTANT_FAKE_NVML", "build/dev/fake_nvml")
LAUNCH = ("--", "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "3", "--host", "127.0.0.1")


def asked(variant, *words):
    """The program with that driver where the loader looks first."""
    return run(*words, LD_LIBRARY_PATH=os.path.join(os.path.abspath(DRIVERS), variant))


def machine(variant):
    code, out, err = asked(variant, "host", "--format", "json")
    assert code == 0, err
    return json.loads(out)


class Live(unittest.TestCase):
    def test_a_box_with_bridged_pairs(self):
        host = machine("pairs")
        self.assertEqual(len(host["gpus"]), 4)
        self.assertTrue(all(gpu["name"] and gpu["memory_bytes"] for gpu in host["gpus"]))
        self.assertTrue(host["links"]["classes"][0][1].startswith("NV"))

    def test_a_launch_is_checked_on_it(self):
        code, out, _ = asked("pairs", "check", *LAUNCH)
        self.assertEqual(code, 1)
        self.assertIn("64 attention heads cannot be split over 3 GPUs", out)

    def test_no_gpu_is_a_fact(self):
        self.assertEqual(machine("none")["gpus"], [])
        code, out, _ = asked("none", "check", *LAUNCH)
        self.assertEqual(code, 1)
        self.assertIn("SX2103", out)

    def test_a_driver_that_is_broken_says_why_and_the_rest_is_checked(self):
        for variant, words in (("mismatch", "version mismatch"), ("crash", ""), ("garbage", ""), ("lost", ""), ("old", "")):
            with self.subTest(variant=variant):
                code, out, err = asked(variant, "host")
                self.assertEqual((code, err), (0, ""))
                self.assertIn(words, out)
                self.assertEqual(asked(variant, "check", *LAUNCH)[0], 1)

    def test_a_driver_that_hangs_ends_at_the_deadline(self):
        code, out, _ = asked("hang_init", "host", "--lang", "zh")
        self.assertEqual(code, 0)
        self.assertIn("10000 ms", out)

    def test_a_key_file_that_others_may_read_is_said(self):
        launch = ("--", "llama-server", "-hf", "ggml-org/Qwen3-8B-GGUF", "--host", "127.0.0.1", "--api-key-file")
        with tempfile.TemporaryDirectory() as folder:
            key = pathlib.Path(folder) / "keys.txt"
            key.write_text("k-1\n")
            for of_folder, of_file, said in ((0o755, 0o644, True), (0o755, 0o640, False), (0o700, 0o644, False)):
                os.chmod(folder, of_folder)
                key.chmod(of_file)
                out = asked("none", "check", "--format", "short", "--all", *launch, str(key))[1]
                with self.subTest(folder=oct(of_folder), file=oct(of_file)):
                    self.assertEqual("SX9110" in out, said, out)

    def test_a_saved_machine_is_read_back(self):
        saved = json.dumps(machine("pairs")).encode()
        code, out, err = run("host", "--on", "-", "--format", "json", stdin=saved)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["links"], json.loads(saved)["links"])


if __name__ == "__main__":
    unittest.main()
