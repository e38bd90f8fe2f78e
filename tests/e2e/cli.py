#!/usr/bin/env python3
"""The command-line contract: exit codes, streams, languages, colour and width, pipes that close."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unicodedata
import unittest

from terminal import PROGRAM, environment, in_terminal, run

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = ("--on", "6xA100-PCIE-40GB")
BROKEN = ("--", "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "6")
WHOLE = ("--", "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "-tp", "2", "-pp", "3", "--host", "127.0.0.1")
BEST = "vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 2 --pipeline-parallel-size 3"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def cells(line):
    """Columns of a line as a terminal counts them."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide - sum(unicodedata.combining(c) != 0 for c in line)


class MainJob(unittest.TestCase):
    def test_the_launch_that_cannot_work_is_refused_with_a_whole_command(self):
        code, out, err = run("check", *MACHINE, *BROKEN)
        self.assertEqual((code, err), (1, ""))
        self.assertIn("error[SX2103]: 64 attention heads cannot be split over 6 GPUs", out)
        self.assertIn("64 / 6 leaves 4 over; so do the KV heads: 8 / 6 leaves 2", out)
        self.assertIn("fits: 220 864 tokens of KV cache", out)
        self.assertIn("    " + BEST + "\n", out)

    def test_the_same_in_chinese(self):
        code, out, _ = run("check", "--lang", "zh", *MACHINE, *BROKEN)
        self.assertEqual(code, 1)
        self.assertIn("错误[SX2103]: 64 个注意力头无法平均分到 6 张 GPU", out)
        self.assertIn("    " + BEST + "\n", out)

    def test_its_first_fix_is_accepted(self):
        code, out, _ = run("check", *MACHINE, "--", *BEST.split())
        self.assertEqual(code, 0, out)

    def test_fix_prints_the_command_alone(self):
        code, out, err = run("fix", *MACHINE, *BROKEN)
        self.assertEqual((code, err), (0, ""))
        again, answer, _ = run("check", *MACHINE, "--", "bash", "-c", out.strip())
        self.assertEqual(again, 0, answer)

    def test_fix_leaves_a_good_command_alone(self):
        code, out, _ = run("fix", *MACHINE, *WHOLE)
        self.assertEqual(code, 0)
        self.assertEqual(out.split(), list(WHOLE[1:]))


SCRIPT = """export NCCL_DEBUG=WARN
CUDA_VISIBLE_DEVICES=0,1,2,3 numactl -N 0 vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 3 --port 8000 > a.log &
CUDA_VISIBLE_DEVICES=4,5,6,7 exec vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 4 --port 8000 | tee b.log
"""


class Scripts(unittest.TestCase):
    """A fix of a script does what the script does, and each of its launches has one."""

    def ask(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "serve.sh"
            path.write_text(SCRIPT)
            return run(words[0], "-f", str(path), "--on", "8xH100-SXM", *words[1:])

    def test_fix_prints_one_command_a_launch(self):
        code, out, err = self.ask("fix")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.splitlines(), [
            "# launch 1, line 2",
            "NCCL_DEBUG=WARN CUDA_VISIBLE_DEVICES=0,1,2,3 numactl -N 0 "
            "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 2 --port 8000",
            "# launch 2, line 3",
            "NCCL_DEBUG=WARN CUDA_VISIBLE_DEVICES=4,5,6,7 "
            "vllm serve Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 4 --port 8001"])
        self.assertIn("> a.log", err)
        self.assertIn("| tee b.log", err)

    def test_each_launch_has_a_heading(self):
        for language, heads in (("en", ("launch 1 of 2, line 2: ", "launch 2 of 2, line 3: ")),
                                ("zh", ("第 1 个启动命令（共 2 个），第 2 行: ", "第 2 个启动命令（共 2 个），第 3 行: "))):
            _, out, _ = self.ask("check", "--lang", language)
            starts = [line for line in out.splitlines() if line.startswith(heads)]
            self.assertEqual(len(starts), 2, out)
            self.assertTrue(all(cells(line) <= 140 for line in starts))

    def test_one_launch_has_none(self):
        self.assertNotIn("launch 1", run("check", *MACHINE, *BROKEN)[1])

    def test_a_file_without_its_flag_is_told_of_it(self):
        code, out, err = run("check", "serve.sh")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("sextant check -f serve.sh", err)


class Allowed(unittest.TestCase):
    def test_nothing_waits_for_an_error_that_is_allowed(self):
        code, out, _ = run("check", "--allow", "SX2103=another build of the engine", *MACHINE, *BROKEN)
        self.assertEqual(code, 0, out)
        self.assertIn("nothing else to say: ", out)
        self.assertNotIn("wait", out)
        self.assertIn("1 finding allowed", out)

    def test_fix_takes_what_is_allowed_as_it_is(self):
        code, out, _ = run("fix", "--allow", "SX2103=another build of the engine", *MACHINE, *BROKEN)
        self.assertEqual((code, out.split()), (0, list(BROKEN[1:])))


COMPOSE = """services:
  vllm:
    image: vllm/vllm-openai:v0.11.0
    command: --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 8
    ipc: host
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 8, capabilities: [gpu]}]}}}
"""


class Manifests(unittest.TestCase):
    def test_a_fix_is_shown_as_the_lines_that_change(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "compose.yaml"
            path.write_text(COMPOSE)
            _, out, _ = run("check", "-f", str(path), "--on", "8xH100-SXM")
            self.assertIn("    4 -     command: --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 8\n"
                          "    4 +     command: --model Qwen/Qwen2.5-7B-Instruct --tensor-parallel-size 4\n", out)
            code, fixed, _ = run("fix", "-f", str(path), "--on", "8xH100-SXM")
            self.assertEqual(code, 0)
            self.assertIn("--tensor-parallel-size 4", fixed)


class Formats(unittest.TestCase):
    def test_json_says_what_text_says(self):
        code, out, _ = run("check", "--format", "json", "--why", *MACHINE, *WHOLE)
        answer = json.loads(out)
        self.assertEqual((code, answer["schema"], answer["kv_tokens"]), (0, "sextant.check/1", 220864))
        for gpu in answer["budget"]:
            self.assertEqual(sum(line["bytes"] for line in gpu["lines"]), gpu["capacity_bytes"])

    def test_json_is_english_in_every_locale(self):
        _, english, _ = run("check", "--format", "json", *MACHINE, *BROKEN)
        _, chinese, _ = run("check", "--format", "json", "--lang", "zh", *MACHINE, *BROKEN)
        self.assertEqual(english, chinese)

    def test_places_in_json_are_places_in_the_text(self):
        _, out, _ = run("check", "--format", "json", *MACHINE, *BROKEN)
        answer = json.loads(out)
        label = answer["diagnostics"][0]["labels"][0]
        text = answer["sources"][label["source"]]["text"].encode()
        self.assertEqual(text[label["begin"]:label["end"]], b"--tensor-parallel-size 6")

    def test_short_is_one_line_a_finding(self):
        _, out, _ = run("check", "--format", "short", *MACHINE, *BROKEN)
        self.assertRegex(out.splitlines()[0], r"^command line:1:\d+: error\[SX2103\]: 64 attention heads")

    def test_an_edit_applied_to_the_text_is_the_fix(self):
        _, out, _ = run("check", "--format", "json", *MACHINE, *BROKEN)
        answer = json.loads(out)
        for fix in answer["diagnostics"][0]["fixes"]:
            text = answer["sources"][0]["text"].encode()
            for edit in sorted(fix["edits"], key=lambda e: -e["begin"]):
                text = text[:edit["begin"]] + edit["text"].encode() + text[edit["end"]:]
            self.assertEqual(text.decode().split(), fix["command"].split())


class Terminal(unittest.TestCase):
    def test_colour_only_in_a_terminal(self):
        self.assertNotRegex(run("check", *MACHINE, *BROKEN)[1], ESCAPE)
        self.assertRegex(in_terminal("check", *MACHINE, *BROKEN)[1], ESCAPE)
        self.assertNotRegex(in_terminal("check", *MACHINE, *BROKEN, NO_COLOR="1")[1], ESCAPE)
        self.assertNotRegex(in_terminal("check", "--color", "never", *MACHINE, *BROKEN)[1], ESCAPE)
        self.assertRegex(run("check", "--color", "always", *MACHINE, *BROKEN)[1], ESCAPE)
        self.assertNotRegex(in_terminal("check", *MACHINE, *BROKEN, TERM="dumb")[1], ESCAPE)

    def test_a_terminal_and_a_pipe_say_the_same(self):
        _, out = in_terminal("check", *MACHINE, *BROKEN, columns=140)
        self.assertEqual(ESCAPE.sub("", out), run("check", *MACHINE, *BROKEN)[1])

    def test_no_line_but_a_command_is_wider_than_the_terminal(self):
        for language in ("en", "zh"):
            for columns in (60, 80, 200):
                _, out = in_terminal("check", "--lang", language, *MACHINE, *BROKEN, columns=columns)
                for line in ESCAPE.sub("", out).splitlines():
                    if not line.startswith("    vllm serve"):
                        self.assertLessEqual(cells(line), columns, line)

    def test_help_fits_a_narrow_terminal_too(self):
        for words in (("help",), ("up", "--help"), ("check", "--help")):
            for language in ("en", "zh"):
                _, out = in_terminal(*words, "--lang", language, columns=40)
                for line in ESCAPE.sub("", out).splitlines():
                    self.assertLessEqual(cells(line), 40, line)

    def test_language_by_environment(self):
        self.assertIn("错误", run("check", *MACHINE, *BROKEN, LC_ALL="zh_CN.UTF-8")[1])
        self.assertIn("error", run("check", *MACHINE, *BROKEN, LC_ALL="zh_CN.UTF-8", SEXTANT_LANG="en")[1])
        self.assertIn("error", run("check", *MACHINE, *BROKEN, LC_ALL="zh_CN.GB18030")[1])  # would not read our letters
        self.assertIn("错误", run("check", *MACHINE, *BROKEN, LC_ALL="zh_CN.utf8@pinyin")[1])
        self.assertIn("error", run("check", "--lang", "en", *MACHINE, *BROKEN, SEXTANT_LANG="zh")[1])

    def test_a_closed_pipe_is_no_error(self):
        with subprocess.Popen([PROGRAM, "explain", *["SX2103"] * 200], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment()) as child:
            child.stdout.read(10)
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b"")
            self.assertEqual(child.wait(60), 0)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        for words in (["explain", "SX2103"], ["help"], ["--version"], ["up", "--help"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, timeout=60, env=environment())
            self.assertEqual((done.returncode, done.stderr), (2, b"sextant: cannot write to standard output: No space left on device\n"), words)


class Usage(unittest.TestCase):
    def refused(self, *words, saying):
        code, out, err = run(*words)
        self.assertEqual((code, out), (2, ""), words)
        self.assertIn(saying, err)

    def test_what_cannot_be_done_is_said_with_the_nearest_right_word(self):
        self.refused("chek", saying="check")
        self.refused("check", "--formt", "json", saying="--format")
        self.refused("check", "--format", "yaml", *BROKEN, saying="json")
        self.refused("check", *MACHINE, saying="--")
        self.refused("check", *MACHINE, "vllm", "serve", "x", saying="-- ")
        self.refused("check", "--on", "6xA100-PCIE-41GB", *BROKEN, saying="A100")
        self.refused("check", "-f", "/nonexistent/serve.sh", saying="/nonexistent/serve.sh")
        self.refused("explain", "SX2013", saying="SX2103")
        self.refused("explain", saying="SX2103")

    def test_the_same_in_chinese(self):
        _, _, err = run("chek", SEXTANT_LANG="zh")
        self.assertIn("没有命令", err)
        code, _, err = run("check", "--lang", "zh", "--on", "2xNothing", *BROKEN)
        self.assertEqual(code, 2)
        self.assertRegex(err, "[\u4e00-\u9fff]")

    def test_no_words_at_all(self):
        code, out, err = run()
        self.assertEqual((code, out), (2, ""))
        self.assertIn("check", err)

    def test_help_names_every_option_of_each_command(self):
        for command in ("check", "fix", "host", "explain"):
            code, out, _ = run(command, "--help")
            self.assertEqual(code, 0)
            self.assertIn("--lang", out)
            chinese = run(command, "--help", "--lang", "zh")[1]
            self.assertEqual(re.findall(r"--[a-z-]+", out), re.findall(r"--[a-z-]+", chinese))

    def test_host_tells_the_condition_of_cards(self):
        text = b"GPU 0: NVIDIA L40S (UUID: GPU-1)\n[ 9.1] NVRM: Xid (PCI:0000:2a:00): 79, pid=1, GPU has fallen off the bus.\n"
        self.assertIn("Xid 79", run("host", "--on", "-", stdin=text)[1])
        self.assertIn("内核日志：Xid 79", run("host", "--on", "-", "--lang", "zh", stdin=text)[1])

    def test_version(self):
        self.assertRegex(run("--version")[1], r"^sextant \d")


class Scripts(unittest.TestCase):
    def test_a_script_keeps_lines_and_columns(self):
        script = "#!/bin/bash\r\n# 启动服务\r\nexport TP=6\r\nexec vllm serve Qwen/Qwen2.5-72B-Instruct \\\r\n  --tensor-parallel-size $TP\r\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "serve.sh"
            path.write_bytes(script.encode())
            code, out, _ = run("check", *MACHINE, "-f", str(path))
        self.assertEqual(code, 1)
        self.assertIn("serve.sh:5", out)
        self.assertIn(BEST, out)

    def test_standard_input(self):
        code, out, _ = run("check", *MACHINE, "-f", "-", stdin=b"vllm serve Qwen/Qwen2.5-72B-Instruct -tp 6 > log 2>&1 &\n")
        self.assertEqual(code, 1)
        self.assertIn("SX2103", out)

    def test_a_script_without_a_launch_names_what_is_there(self):
        code, _, err = run("check", *MACHINE, "-f", "-", stdin=b"pip install vllm\necho done\n")
        self.assertEqual(code, 2)
        self.assertIn("pip", err)


if __name__ == "__main__":
    unittest.main()
