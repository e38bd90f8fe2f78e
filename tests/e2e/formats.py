#!/usr/bin/env python3
"""Formats for other programs, allowances, completions and the manual page."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import jsonschema

from terminal import run

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = ("--on", "6xA100-PCIE-40GB")
BROKEN = ("--", "vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "6")
SCRIPT = """#!/bin/bash
vllm serve Qwen/Qwen2.5-72B-Instruct \\
  --tensor-parallel-size 6 --max-num-seqs 8
vllm serve Qwen/Qwen2.5-7B-Instruct --gpu-memory-utilization 1.2
"""


class Script(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write(SCRIPT)

    def write(self, text):
        (self.folder / "serve.sh").write_text(text)

    def check(self, *words):
        return run("check", *words, *MACHINE, "-f", "serve.sh", cwd=self.folder)


class JsonLines(Script):
    def test_each_line_is_a_finding_that_names_its_file(self):
        code, out, _ = self.check("--format", "json-lines")
        findings = [json.loads(line) for line in out.splitlines()]
        _, whole, _ = self.check("--format", "json")
        self.assertEqual(code, 1)
        self.assertEqual([f["code"] for f in findings], [d["code"] for d in json.loads(whole)["diagnostics"]])
        self.assertEqual(findings[0]["labels"][0]["source_name"], "serve.sh")

    def test_nothing_found_is_no_line(self):
        _, out, _ = run("check", "--format", "json-lines", *MACHINE, "--", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct",
                        "--host", "127.0.0.1")
        self.assertTrue(all(json.loads(line)["severity"] == "advice" for line in out.splitlines()))


class Secrets(Script):
    """No answer repeats a key, wherever it stands; only `fix`, which answers with the command, keeps it."""
    KEYS = ("sk-one-two-three", "hf_aaaabbbbccccdddd", "quoted key 'x'", "short")

    def setUp(self):
        super().setUp()
        self.write("export HF_TOKEN=hf_aaaabbbbccccdddd\n"
                   "docker run --gpus all -e VLLM_API_KEY=\"quoted key 'x'\" -p 80:8000 vllm/vllm-openai:v0.9.2"
                   " --model Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6 --api-key=short\n"
                   "HF_TOKEN=hf_aaaabbbbccccdddd vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 6"
                   " --api-key sk-one-two-three --api-key short\n")

    def test_in_every_format_and_language(self):
        for form in ("text", "short", "json", "json-lines", "sarif", "markdown"):
            for language in ("en", "zh"):
                _, out, err = self.check("--format", form, "--lang", language, "--all", "--why")
                self.assertIn("SX2103", out)
                for key in self.KEYS[:-1]:
                    self.assertNotIn(key, out + err, form)
                self.assertIsNone(re.search(r"api-key[ =]short", out + err), form)

    def test_places_stay_where_they_are(self):
        _, out, _ = self.check("--format", "json")
        whole = json.loads(out)
        text = (self.folder / "serve.sh").read_text()
        for finding in whole["diagnostics"]:
            for label in finding["labels"]:
                self.assertLessEqual(label["end"], len(text.encode()))

    def test_a_proposed_command_asks_the_shell_for_the_key(self):
        _, out, _ = run("check", *MACHINE, "--", *BROKEN[1:], "--api-key", "sk-one-two-three")
        self.assertIn('--api-key "${API_KEY:?}"', out)
        _, out, _ = run("fix", *MACHINE, "--", *BROKEN[1:], "--api-key", "sk-one-two-three")
        self.assertIn("--api-key sk-one-two-three", out)


class Sarif(Script):
    def setUp(self):
        super().setUp()
        self.schema = json.loads((HERE / "schemas" / "sarif-2.1.0.json").read_text())

    def document(self, *words):
        _, out, err = self.check("--format", "sarif", *words)
        self.assertEqual(err, "")
        document = json.loads(out)
        jsonschema.validate(document, self.schema)
        return document["runs"][0]

    def test_findings_stand_in_the_file(self):
        sarif = self.document()
        first = sarif["results"][0]
        region = first["locations"][0]["physicalLocation"]["region"]
        self.assertEqual((first["ruleId"], first["level"]), ("SX2103", "error"))
        self.assertEqual((region["startLine"], region["snippet"]["text"]), (3, "--tensor-parallel-size 6"))
        begin, length = region["byteOffset"], region["byteLength"]
        self.assertEqual(SCRIPT.encode()[begin:begin + length].decode(), "--tensor-parallel-size 6")
        rule = sarif["tool"]["driver"]["rules"][first["ruleIndex"]]
        self.assertEqual((rule["id"], rule["name"]), ("SX2103", "tp-heads-indivisible"))

    def test_a_fix_is_a_replacement_in_the_file(self):
        fixes = [fix for result in self.document()["results"] for fix in result.get("fixes", [])]
        self.assertTrue(fixes)
        for change in fixes[0]["artifactChanges"]:
            self.assertEqual(change["artifactLocation"]["uri"], "serve.sh")

    def test_a_command_line_is_carried_along(self):
        _, out, _ = run("check", "--format", "sarif", *MACHINE, *BROKEN)
        document = json.loads(out)
        jsonschema.validate(document, self.schema)
        self.assertIn("--tensor-parallel-size 6", document["runs"][0]["artifacts"][0]["contents"]["text"])

    def test_odd_bytes_and_names_stay_valid(self):
        self.write("vllm serve 'm o\\d\"el' --tensor-parallel-size 6 --nö-such-flag '\u202e|x'\n")
        self.document()

    def test_what_is_allowed_is_suppressed_with_its_reason(self):
        suppressed = [r for r in self.document("--allow", "SX2103=a trial")["results"] if "suppressions" in r]
        self.assertEqual([r["ruleId"] for r in suppressed], ["SX2103"])
        self.assertEqual(suppressed[0]["suppressions"][0]["justification"], "a trial")


class Markdown(Script):
    def test_both_languages_and_a_fenced_command(self):
        _, english, _ = self.check("--format", "markdown")
        _, chinese, _ = self.check("--format", "markdown", "--lang", "zh")
        self.assertIn("### error SX2103: 64 attention heads cannot be split over 6 GPUs", english)
        self.assertIn("### 错误 SX2103: 64 个注意力头无法平均分到 6 张 GPU", chinese)
        self.assertIn("```sh\n", english)
        self.assertEqual(english.count("```") % 2, 0)
        self.assertNotIn("\u240a", english + chinese)  # a line break is no character

    def test_marks_of_the_user_do_not_become_markdown(self):
        self.write("vllm serve m '--<img src=x>|```'\n")
        _, out, _ = self.check("--format", "markdown")
        prose = re.sub(r"^(`{3,})[^`]*$.*?^\1$", "", out, flags=re.M | re.S)
        self.assertNotIn("<img", prose.replace("\\<img", ""))
        self.assertNotIn("```", prose.replace("\\`", ""))


class Allowances(Script):
    def test_on_the_command_line_by_code_or_name(self):
        for word in ("SX2103", "tp-heads-indivisible"):
            _, out, _ = self.check("--format", "json", "--allow", word + "=known")
            answer = json.loads(out)
            self.assertNotIn("SX2103", [d["code"] for d in answer["diagnostics"]])
            self.assertEqual([(a["code"], a["because"]) for a in answer["allowed"]], [("SX2103", "known")])

    def test_as_a_comment_in_the_file(self):
        self.write("# sextant: allow SX2103 the machine comes next week\n" + SCRIPT)
        _, out, _ = self.check("--format", "json")
        self.assertEqual(json.loads(out)["allowed"][0]["because"], "the machine comes next week")

    def test_allowed_errors_do_not_fail_the_check(self):
        code, out, _ = run("check", "--allow", "SX2103=known", *MACHINE, *BROKEN)
        self.assertEqual(code, 0, out)
        self.assertIn("1 finding allowed", out)

    def test_one_that_is_not_needed_is_said(self):
        _, out, _ = run("check", "--allow", "SX2103=known", *MACHINE, "--", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct")
        self.assertIn("SX2103: allowed, but not found any more", out)

    def test_without_a_reason_it_is_refused(self):
        code, _, err = self.check("--allow", "SX2103")
        self.assertEqual(code, 2)
        self.assertIn("no reason", err)
        self.write("# sextant: allow SX2103\n" + SCRIPT)
        code, _, err = self.check()
        self.assertEqual(code, 2)
        self.assertIn("serve.sh, line 1", err)

    def test_an_unknown_code_gets_the_nearest(self):
        code, _, err = self.check("--allow", "tp-heads-indivisble=x")
        self.assertEqual(code, 2)
        self.assertIn("tp-heads-indivisible", err)


class KeysInOddPlaces(unittest.TestCase):
    def test_mistyped_flags_and_addresses_do_not_show_them(self):
        key = "sk-verysecret123"
        launches = [("vllm", "serve", "Qwen/Qwen3-8B", "--api-keyy", key), ("vllm", "serve", "m", "--apikeys=" + key),
                    ("vllm", "serve", f"https://user:{key}@hub.example/m"),
                    ("lmdeploy", "serve", "api_server", "Qwen/Qwen3-8B", "--api-keys", key)]
        for launch in launches:
            for form in ("text", "json", "short", "sarif", "markdown"):
                _, out, err = run("check", "--format", form, "--all", "--on", "3xH100-SXM", "--", *launch)
                self.assertNotIn(key, out + err, (launch, form))


class Completions(unittest.TestCase):
    def script(self, shell):
        code, out, err = run("completion", shell)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_every_shell_reads_its_script(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell) is None:
                self.skipTest(shell + " is not installed")
            done = subprocess.run([shell, "-n"], input=self.script(shell), capture_output=True, text=True, timeout=30)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_zsh_answers_the_first_tab_too(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        asked = "compdef() { print registered $1 $2 }; _describe() { print offered ${(t)commands} ${#commands} }; "
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_sextant").write_text(self.script("zsh"))
            for words, answer in (("fpath=($0); autoload -Uz _sextant; words=(sextant s) CURRENT=2; _sextant", "offered array-local"),
                                  ("source $0/_sextant", "registered _sextant sextant")):
                done = subprocess.run(["zsh", "-f", "-c", asked + words, folder], capture_output=True, text=True, timeout=30)
                self.assertEqual(len(done.stdout.splitlines()), 1, done)
                self.assertTrue(done.stdout.startswith(answer), done)

    def bash(self, line, at=None, **variables):
        words = line.split(" ")
        quoted = " ".join("'" + w + "'" for w in words)
        program = (self.script("bash") + f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1 if at is None else at}; _sextant; "
                   'printf "%s\\n" "${COMPREPLY[@]}"\n')
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=30, env={**os.environ, **variables})
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def fish(self, *lines, **variables):
        asked = self.script("fish") + "".join(f"complete -C '{line}' | string replace -r '\\t.*' ''; echo .\n" for line in lines)
        done = subprocess.run(["fish", "--no-config", "-c", asked], capture_output=True, text=True, timeout=30, env={**os.environ, **variables})
        self.assertEqual(done.stderr, "")
        return [answer.split() for answer in done.stdout.split(".\n")[:-1]]

    # Completion runs in the line editor alone: a zsh in a terminal of its own, whose matches are written down.
    ZSH = """
zmodload zsh/zpty || exit 9
zpty c 'zsh -f -i'
zpty -w c "PROMPT= ; stty -echo; autoload -Uz compinit; compinit -u -D; source $1/_sextant"
zpty -w c 'compadd() { local -a all; builtin compadd -O all "$@"; (($#all)) && print -r -- $all >> '$1'/out; return 0 }'
zpty -w c "bindkey '^I' complete-word; bindkey '^U' kill-whole-line; touch $1/ready"
for line in "${(@)argv[2,-1]}"; do
  repeat 100; do [[ -e $1/ready ]] && break; sleep 0.05; done
  zpty -n -w c "$line"$'\\t'
  repeat 100; do [[ -s $1/out ]] && break; sleep 0.05; done
  sleep 0.1
  head -n 1 $1/out; rm -f $1/out
  zpty -n -w c $'\\C-u'
done
zpty -d c
"""

    def zsh(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_sextant").write_text(self.script("zsh"))
            done = subprocess.run(["zsh", "-f", "-c", self.ZSH, "zsh", folder, *lines], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 9:
            self.skipTest("zsh has no zpty")
        return [line.split() for line in done.stdout.splitlines()]

    # What stands in front, what is begun, what is offered.
    SCENES = [("sextant --lang zh pl", ["plan"]), ("sextant --color=never --lang zh keys re", ["revoke"]), ("sextant --lang z", ["zh"]),
              ("sextant check --format sa", ["sarif"]), ("sextant keys --file x re", ["revoke"]), ("sextant help relo", ["reload"])]

    def test_options_in_front_of_the_command_and_values_are_stepped_over(self):
        for line, offered in self.SCENES:
            self.assertEqual(self.bash(line), offered, line)
        for shell in (self.fish, self.zsh):
            if shutil.which(shell.__name__) is None:
                self.skipTest(shell.__name__ + " is not installed")
            self.assertEqual(shell(*[line for line, _ in self.SCENES]), [offered for _, offered in self.SCENES], shell.__name__)

    def test_a_value_may_stand_behind_an_equals_sign(self):
        # Bash takes words apart there, unless COMP_WORDBREAKS was changed.
        self.assertEqual(self.bash("sextant --lang = zh check --format = sa"), ["sarif"])
        self.assertEqual(self.bash("sextant check --format ="), self.bash("sextant check --format "))
        self.assertEqual(self.bash("sextant --lang=zh check --format=sa"), ["--format=sarif"])
        for shell, offered in ((self.fish, "--format=sarif"), (self.zsh, "sarif")):
            if shutil.which(shell.__name__):
                self.assertEqual(shell("sextant --lang=zh check --format=sa"), [[offered]], shell.__name__)

    def test_bash_offers_commands_flags_and_values(self):
        self.assertIn("check", self.bash("sextant ch", 1))
        self.assertIn("--engine-version", self.bash("sextant check --eng", 2))
        self.assertEqual(self.bash("sextant --la"), ["--lang"])
        self.assertEqual(self.bash("sextant check --format sa", 3), ["sarif"])

    def test_words_behind_a_command_are_offered(self):
        self.assertEqual(self.bash("sextant keys ", 2), ["add", "list", "revoke"])
        self.assertEqual(self.bash("sextant bench s", 2), ["serve"])
        self.assertEqual(self.bash("sextant completion f", 2), ["fish"])
        self.assertEqual(self.bash("sextant help rel", 2), ["reload"])
        self.assertEqual(self.bash("sextant config --sc", 2), ["--schema"])
        self.assertIn("--file", self.bash("sextant keys list --f", 3))

    def test_replicas_of_a_deployment_are_asked_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            stand_in = pathlib.Path(folder, "sextant")
            stand_in.write_text('#!/bin/sh\necho "$@" >> "$0.asked"\necho \'{"replicas":[{"replica":4,"x":1},{"replica":12}]}\'\n')
            stand_in.chmod(0o755)
            path = {"PATH": folder + os.pathsep + os.environ["PATH"]}
            self.assertEqual(self.bash("sextant restart ", 2, **path), ["4", "12"])
            self.assertEqual(self.bash("sextant logs 1", 2, **path), ["12"])
            asked = "status --format json\n" * 2
            for named in ("--name chat", "--name = chat"):
                self.assertEqual(self.bash(f"sextant --lang zh drain {named} ", **path), ["4", "12"])
                asked += "status --format json --name chat\n"
            self.assertEqual((stand_in.parent / "sextant.asked").read_text(), asked)
            if shutil.which("fish"):
                self.assertEqual(self.fish("sextant drain ", "sextant drain --name chat ", **path), [["4", "12"]] * 2)
                self.assertTrue((stand_in.parent / "sextant.asked").read_text().endswith("json\nstatus --format json --name=chat\n"))

    def test_another_shell_is_refused_by_name(self):
        code, _, err = run("completion", "tcsh")
        self.assertEqual(code, 2)
        self.assertIn("bash, zsh, fish", err)


class Help(unittest.TestCase):
    def test_help_is_a_word_too(self):
        self.assertEqual(run("help"), run("--help"))
        self.assertEqual(run("help", "up"), run("up", "--help"))
        self.assertEqual(run("help", "config", "--lang", "en"), run("config", "--help"))
        code, _, err = run("help", "relod")
        self.assertEqual(code, 2)
        self.assertIn("the nearest is reload", err)

    def test_a_mistyped_word_is_told_the_nearest(self):
        for words, near in ((("keys", "lst"), "list"), (("bench", "serv"), "serve"), (("completion", "bsh"), "bash"),
                            (("keys", "list", "--fil"), "--file")):
            code, _, err = run(*words)
            self.assertEqual(code, 2, words)
            self.assertIn(f"the nearest is {near}\n", err)
        self.assertIn("最接近的是 list", run("keys", "lst", "--lang", "zh")[2])
        # The name of a deployment stands behind its flag.
        self.assertIn("'chat' is a word too many for sextant status; a deployment is named with --name chat\n", run("status", "chat")[2])
        self.assertIn("部署用 --name chat 指定", run("restart", "0", "chat", "--lang", "zh")[2])
        self.assertNotIn("--name", run("man", "chat")[2].splitlines()[0])
        self.assertIn("'llama-serve'; the nearest is llama-server\n", run("check", "--", "llama-serve", "-m", "x.gguf")[2])

    def test_every_command_stands_once_in_the_list(self):
        for language in ("en", "zh"):
            _, out, _ = run("help", LC_ALL="C.UTF-8", SEXTANT_LANG=language)
            listed = re.findall(r"(?m)^  ([a-z]+)  ", out)
            self.assertEqual(len(listed), len(set(listed)))
            _, page, _ = run("man")
            self.assertEqual(set(listed), set(re.findall(r"(?m)^\.SS sextant ([a-z]+)", page)))


class Manual(unittest.TestCase):
    def test_the_page_has_no_faults(self):
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not installed")
        for language in ("en", "zh"):
            _, out, _ = run("man", "--lang", language)
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "error"], input=out, capture_output=True, text=True,
                                  timeout=30)
            self.assertEqual(done.stdout, "", language)
            self.assertIn("\\-\\-format FORMAT", out)


if __name__ == "__main__":
    unittest.main()
