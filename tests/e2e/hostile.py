#!/usr/bin/env python3
"""Hostile and odd input through the whole program: it answers, in bounded time, in words that no terminal obeys."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from terminal import PROGRAM, SECONDS, environment

HERE = pathlib.Path(__file__).resolve().parent
MODEL = "Qwen/Qwen2.5-72B-Instruct"
LAUNCH = ("--", "vllm", "serve", MODEL)
MACHINE = ("--on", "4xA100-80GB")
NASTY = "\x1b[31mred\x1b]0;title\x07\u202ertl\u200f\u009b\r\n"
NO_UTF8 = os.fsdecode(b"\xff\xfe(\xc3(")
# What a terminal would obey: control characters but line ends, C1, marks of direction.
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
CONFIG = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 8192, "intermediate_size": 29568,
          "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 152064,
          "max_position_embeddings": 32768, "torch_dtype": "bfloat16"}
CARD = {"index": 0, "name": "NVIDIA A100-PCIE-40GB", "memory": 42949672960}


def host_file(gpus, **more):
    return json.dumps({"schema": "sextant.host/1", "gpus": gpus, **more}).encode()


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def model(self, config, **files):
        self.file("m/config.json", config if isinstance(config, bytes) else json.dumps(config))
        for name, content in files.items():
            self.file("m/" + name.replace("__", "."), content)

    def ask(self, *words, stdin=b"", **variables):
        """Runs it once and holds what is true of every answer."""
        done = subprocess.run([os.path.abspath(PROGRAM), *words], input=stdin, capture_output=True, timeout=SECONDS,
                              cwd=self.folder, env=environment(**variables))
        out, err = done.stdout.decode(), done.stderr.decode()  # all of it is UTF-8
        shown = (done.returncode, out[-300:], err[-300:])
        self.assertIn(done.returncode, (0, 1, 2), shown)
        self.assertTrue(err if done.returncode == 2 else out + err, shown)
        self.assertNotIn("sextant: bug at", err)
        self.assertLess(len(err), 20000)
        for text in (out, err):
            self.assertIsNone(OBEYED.search(text), shown)
        return done.returncode, out, err

    def check(self, *words, stdin=b"", **variables):
        """(exit code, JSON or None, stderr); text must hold as well."""
        self.ask("check", "--why", *words, stdin=stdin, **variables)
        code, out, err = self.ask("check", "--format", "json", "--why", *words, stdin=stdin, **variables)
        if code == 2:
            return code, None, err
        answer = json.loads(out)
        for finding in answer["diagnostics"]:
            for label in finding["labels"]:
                source = answer["sources"][label["source"]]
                size = len(source["text"].encode()) if "text" in source else label["end"]
                self.assertTrue(0 <= label["begin"] <= label["end"] <= size, label)
        return code, answer, err


class Words(Hostile):
    def test_empty_words(self):
        for words in ((), ("",), ("--",), ("--", ""), ("--", "vllm"), ("--", "vllm", "serve"), ("--", "vllm", "serve", ""), ("--", "--")):
            with self.subTest(words=words):
                self.check(*MACHINE, *words)

    def test_more_words_than_a_launch_has(self):
        code, _, err = self.check(*MACHINE, *LAUNCH, *["--x"] * 65536)
        self.assertEqual(code, 2)
        self.assertIn("has 65539 words; at most 2048 are read", err)

    def test_many_wrong_flags_are_answered_in_time(self):
        self.check(*MACHINE, *LAUNCH, *(f"--foo{i}" for i in range(300)))

    def test_long_words(self):
        for words in (("-tp", "9" * 100000), ("--" + "m" * 100000,), ("--max-model-len=" + "x" * 100000,)):
            self.check(*MACHINE, *LAUNCH, *words)
        self.check(*MACHINE, "--", "vllm", "serve", "m" * 100000)

    def test_nothing_of_the_user_is_obeyed_by_the_terminal(self):
        for word in (NASTY, NO_UTF8, "\u2066a", "a\nb", "'\"\\`$(x)"):
            with self.subTest(word=ascii(word)):
                self.check(*MACHINE, "--", "vllm", "serve", word, "--" + word, "-tp", word)
                self.check(*MACHINE, "--", "env", "CUDA_VISIBLE_DEVICES=" + word, "vllm", "serve", MODEL)
                self.check(*MACHINE, "--", word, "serve")
                self.check("--on", word, *LAUNCH)
                self.check(*MACHINE, "-f", word)

    def test_nor_are_our_own_flags(self):
        for flag in ("--topology", "--driver", "--shm", "--free", "--engine-version", "--format", "--data", "--bogus" + NASTY):
            with self.subTest(flag=flag):
                self.assertEqual(self.ask("check", *MACHINE, flag, NASTY, *LAUNCH)[0], 2)
        for words in ((NASTY,), ("explain", NASTY), ("host", "--pick", NASTY), ("host", "--save", "/nowhere/" + NASTY)):
            self.assertEqual(self.ask(*words)[0], 2)

    def test_what_fix_prints_is_safe_and_means_the_same(self):
        for word in (NASTY, NO_UTF8):
            code, out, _ = self.ask("fix", *MACHINE, *LAUNCH, "-tp", "4", "--host", "127.0.0.1", "--served-model-name", word)
            self.assertEqual(code, 0)
            again = subprocess.run(["bash", "-c", "printf %s " + out.strip().rsplit("--served-model-name ", 1)[1]], capture_output=True,
                                   check=True)
            self.assertEqual(again.stdout, os.fsencode(word))

    def test_dashes_twice(self):
        self.check(*MACHINE, "--", "vllm", "serve", "--", "--", MODEL, "-tp", "6")

    def test_settings_without_a_command(self):
        self.assertEqual(self.check(*MACHINE, "--", "env", "A=1", "CUDA_VISIBLE_DEVICES=0")[0], 2)
        self.assertEqual(self.check(*MACHINE, "--", "A=1", "B=2")[0], 2)


class Numbers(Hostile):
    def test_sizes(self):
        for number in ("99999999999999999999", "0", "-1", "1e9", "nan", "2147483647", "9223372036854775807", "", "１"):
            with self.subTest(number=number):
                self.check(*MACHINE, *LAUNCH, "-tp", number, "-pp", number, "--max-model-len", number, "--port", number,
                           "--max-num-seqs", number, "--block-size", number)

    def test_shares(self):
        for number in ("nan", "inf", "-inf", "1e308", "-0", "1e-400", "0"):
            with self.subTest(number=number):
                self.check(*MACHINE, *LAUNCH, "-tp", "4", "--gpu-memory-utilization", number)

    def test_ranks_without_end(self):
        self.check(*MACHINE, *LAUNCH, "-tp", "100000", "-pp", "100000", "-dp", "2147483647")

    def test_long_masks(self):
        for value in (",".join(map(str, range(20000))), "0," * 40000, "GPU-a," * 15000):
            self.check(*MACHINE, "--", "env", "CUDA_VISIBLE_DEVICES=" + value, "vllm", "serve", MODEL, "-tp", "4")

    def test_partitions(self):
        for value in ("9999999999,-1", ",", "9223372036854775807,9223372036854775807", "1," * 40000):
            self.check(*MACHINE, "--", "env", "VLLM_PP_LAYER_PARTITION=" + value, "vllm", "serve", MODEL, "-pp", "2")

    def test_json_flags(self):
        for value in ("[" * 10000, '{"a":' * 10000 + "1" + "}" * 10000, '{"a":"' + "x" * 100000 + '"}', '{"num_hidden_layers":1e308}',
                      '{"num_attention_heads":0}', "null"):
            self.check(*MACHINE, *LAUNCH, "--hf-overrides", value, "--speculative-config", value)


class Scripts(Hostile):
    GOOD = f"vllm serve {MODEL} -tp 6\n"

    def test_bytes_that_are_no_script(self):
        for content in (bytes(range(256)) * 200, "vllm serve 模型 -tp 6\n".encode("gbk"), self.GOOD.encode("utf-16"),
                        b"\0" + self.GOOD.encode(), b"", self.GOOD.encode().replace(b"\n", b"\r")):
            self.file("serve.sh", content)
            self.check(*MACHINE, "-f", "serve.sh")

    def test_odd_files(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "loop").symlink_to("loop")
        for name in ("pipe", "loop", ".", "/dev/zero", "absent", "", "a" * 5000):
            with self.subTest(name=name[:20]):
                code, _, err = self.check(*MACHINE, "-f", name)
                self.assertEqual(code, 2)

    def test_a_script_that_is_too_long_is_refused_by_name(self):
        self.file("serve.sh", self.GOOD + "#" * 16 * 2**20)
        code, _, err = self.check(*MACHINE, "-f", "serve.sh")
        self.assertEqual(code, 2)
        self.assertIn("serve.sh", err)

    def test_variables_that_name_themselves(self):
        self.file("serve.sh", 'A=aa\n' + 'A="$A$A$A$A"\n' * 60 + "vllm serve $A -tp $A\n")
        self.check(*MACHINE, "-f", "serve.sh")

    def test_launches_without_end(self):
        self.file("serve.sh", self.GOOD * 5000)
        code, _, err = self.check(*MACHINE, "-f", "serve.sh")
        self.assertEqual(code, 2)
        self.assertIn("more than 64 launches", err)

    def test_nesting(self):
        for content in ("$(" * 50000, "if true; then " * 20000 + self.GOOD, "vllm serve m -tp $((" + "(" * 20000, "cat <<E\n" * 5000):
            self.file("serve.sh", content)
            self.check(*MACHINE, "-f", "serve.sh")

    def test_places_in_a_text_that_is_no_utf8(self):
        self.check(*MACHINE, "-f", "-", stdin=b"vllm serve \xff\xff\xff\xffm -tp 6 --foo\n")

    def test_escapes_in_a_script(self):
        self.file("serve.sh", f"# \x1b[31m\nvllm serve 'm\x1b]0;x\x07\u202e' -tp 6\u009b\n")
        self.check(*MACHINE, "-f", "serve.sh")


class Models(Hostile):
    def hold(self):
        return self.check(*MACHINE, "--", "vllm", "serve", "./m", "-tp", "2", "-pp", "2", "--enable-expert-parallel")

    def test_configs_that_are_none(self):
        for config in (b"", b"null", b"[]", b"{", b'{"a":' * 50000, b"\xff\xfe\0", b'{"model_type":"\\ud800\\u001b[31m\xe2\x80\xae"}'):
            with self.subTest(config=config[:10]):
                self.model(config)
                self.hold()

    def test_dimensions(self):
        for value in ("8192", -5, 0, 1e308, 2**62, 10**30, 1.5, None, True, [], {}):
            with self.subTest(value=value):
                self.model({key: value if isinstance(old, int) else old for key, old in CONFIG.items()})
                self.hold()
        for key in ("hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size", "num_key_value_heads"):
            for value in (0, -5, 2**62, "x"):
                with self.subTest(key=key, value=value):
                    self.model({**CONFIG, key: value})
                    self.ask("check", "--why", *MACHINE, "--", "vllm", "serve", "./m", "-tp", "4")

    def test_quantisation(self):
        for value in ("x", [], {"quant_method": []}, {"quant_method": NASTY}, {"quant_method": "fp8", "weight_block_size": [0, -1]},
                      {"quant_method": "gptq", "bits": 0, "group_size": 2**62}):
            self.model({**CONFIG, "quantization_config": value})
            self.hold()

    def test_experts(self):
        for value in (-5, 0, 2**62, "x"):
            self.model({**CONFIG, "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "num_experts": value,
                        "num_experts_per_tok": value, "moe_intermediate_size": value})
            self.hold()

    def test_repeated_keys(self):
        self.model(json.dumps(CONFIG)[:-1].encode() + b',"hidden_size":1' * 20000 + b"}")
        self.hold()

    def test_headers(self):
        def header(text, size=None):
            return struct.pack("<Q", len(text) if size is None else size) + text
        for content in (b"", b"\1", header(b"{}", 2**63), b"\xff" * 8, header(b"[]"),
                        header(b'{"a":{"dtype":"BF16","shape":[-1,2],"data_offsets":[10,5]}}'),
                        header(b'{"a":{"dtype":"BF16","shape":[4611686018427387904,8],"data_offsets":[0,9223372036854775807]}}')):
            self.model(CONFIG, model__safetensors=content)
            self.hold()

    def test_an_index_that_points_elsewhere(self):
        for names in ({"a": "../../../etc/passwd", "b": "/etc/passwd"}, {"a": "\x1b[31m"}, {f"t{i}": f"{i}.safetensors" for i in range(20000)}):
            self.model(CONFIG, model__safetensors__index__json=json.dumps({"weight_map": names}))
            self.hold()

    def test_odd_paths(self):
        os.mkfifo(self.folder / "pipe")
        self.file("file", "x")
        for path in ("pipe", "file", "/", "m/", "x" * 5000, "../../../etc", "..", "org/..", "../org", "Qwen/../../x", "/dev/zero", NO_UTF8, "Qwen/" + NO_UTF8,
                     "Qwen/" + NASTY):
            with self.subTest(path=path[:20]):
                self.check(*MACHINE, "--", "vllm", "serve", path)


class Machines(Hostile):
    def test_names(self):
        for name in ("0xA100", "-1x", "999999xA100", "x", "6x", "6xA100+", "2xA100+0xL40S", "99999999999999999999xA100", "1xA100+" * 2000):
            with self.subTest(name=name[:20]):
                code, _, err = self.check("--on", name, *LAUNCH)
                self.assertEqual(code, 2)
                self.assertIn("--on", err)

    def test_files(self):
        for content in (b"", b"\0" * 10000, bytes(range(256)) * 100, b"null", b"[]", host_file([{**CARD, "memory": -5}]),
                        host_file([{**CARD, "memory": "80GiB"}]), host_file([{**CARD, "memory": 2**63 - 1}] * 2), host_file({}),
                        host_file([{"name": "x"}]), host_file([CARD] * 4), host_file([{**CARD, "index": i} for i in range(5000)]),
                        host_file([{**CARD, "name": NASTY, "uuid": NASTY}], driver=NASTY),
                        b'{"schema":"sextant.host/1","gpus":[{"index":0,"memory":NaN}]}'):
            with self.subTest(content=content[:60]):
                self.file("machine", content)
                self.check("--on", "machine", *LAUNCH)
                self.ask("host", "--on", "machine", "--format", "json")

    def test_matrices(self):
        def matrix(size, cell, ragged=0):
            head = "\t" + "\t".join(f"GPU{i}" for i in range(size)) + "\tCPU Affinity\tNUMA Affinity\n"
            rows = ("\t".join([f"GPU{a}", *("X" if a == b else cell for b in range(size - ragged * (a % 3))), "0-31", "0"]) for a in range(size))
            return head + "\n".join(rows) + "\n"
        for text in (matrix(200, "NV12"), matrix(8, "SYS", 1), matrix(4, "NV99999999999999999999"), matrix(4, "\x1b[31m"), matrix(2, "NV4")):
            self.file("topo.txt", text)
            self.check("--on", "topo.txt", *LAUNCH)
            self.check(*MACHINE, "--topology", "topo.txt", *LAUNCH)

    def test_overrides(self):
        for flag in ("--free=0=-5GiB", "--free=99=1GiB", "--free=0=1e30GiB", "--free=", "--shm=-1", "--shm=1e30GiB", "--shm=nan", "--driver=",
                     "--cuda=x", "--engine-version=", "--engine-version=x"):
            with self.subTest(flag=flag):
                code, _, err = self.check(*MACHINE, flag, *LAUNCH)
                self.assertEqual(code, 2)
                self.assertIn(flag.split("=")[0], err)
        self.check(*MACHINE, "--shm=0", *LAUNCH)

    def test_tables_of_others(self):
        code, _, err = self.check("--data", "absent", *LAUNCH)
        self.assertEqual(code, 2)
        self.assertIn("absent", err)
        os.mkdir(self.folder / "empty")
        self.assertEqual(self.check("--data", "empty", *LAUNCH)[0], 2)
        for name in ("constants.tsv", "gpus.tsv", "engines/vllm/memory.tsv", "engines/vllm/flags.tsv"):
            whole = (HERE / "../../data" / name).read_bytes()
            for content in (b"", b"\n\n", bytes(range(256)) * 20, whole[:whole.index(b"\n") // 2] + b"\n"):
                with self.subTest(table=name, content=content[:20]):
                    self.file("tables/" + name, content)
                    code, _, err = self.check("--data", "tables", *MACHINE, *LAUNCH)
                    self.assertEqual(code, 2)
                    self.assertIn(name, err)
            (self.folder / "tables" / name).unlink()
        self.file("tables/constants.tsv", "\n".join((HERE / "../../data/constants.tsv").read_text().splitlines()[:3]))
        for table in ("version\tsource\tchecked\n", "version\tsource\tchecked\nx\tx\tx\n"):
            self.file("bare/engines/vllm/versions.tsv", table)
            self.assertEqual(self.check("--data", "bare", *MACHINE, "--engine-version", "0.11.0", *LAUNCH)[0], 2)
        self.assertIn("constants.tsv has no row", self.check("--data", "tables", *MACHINE, *LAUNCH)[2])


class Manifests(Hostile):
    """Texts that hold launches: compose, Kubernetes, units, ps, JSON, and files that they name."""
    IMAGE = "vllm/vllm-openai:v0.11.0"
    ARGS = f'["--model", "{MODEL}", "-tp", "6"]'

    def compose(self, lines="", front=""):
        return f"{front}services:\n  a:\n    image: {self.IMAGE}\n{lines}    command: {self.ARGS}\n"

    def texts(self):
        return {
            "c.yaml": self.compose(),
            "k.yaml": f"apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec:\n  containers:\n  - name: v\n    image: {self.IMAGE}\n"
                      f"    args: {self.ARGS}\n",
            "u.service": f"[Service]\nExecStart=/usr/bin/vllm serve {MODEL} -tp 6\n",
            "q.container": f"[Container]\nImage={self.IMAGE}\nExec=--model {MODEL} -tp 6\n",
            "ps.txt": f"UID PID CMD\nroot 1 python3 -m vllm.entrypoints.openai.api_server --model {MODEL} -tp 6\n",
            "i.json": json.dumps([{"Id": "x", "Config": {"Image": self.IMAGE, "Env": [], "Cmd": json.loads(self.ARGS),
                                                   "Entrypoint": ["python3", "-m", "vllm.entrypoints.openai.api_server"]}, "HostConfig": {}}]),
            "a.json": json.dumps(["vllm", "serve", MODEL, "-tp", "6"]),
        }

    def read(self, name, content):
        self.file(name, content)
        return self.check(*MACHINE, "-f", name)

    def test_bytes_around_and_inside(self):
        for name, text in self.texts().items():
            with self.subTest(name=name):
                self.assertEqual(self.read(name, text)[0], 1)
                self.assertEqual(self.read(name, "\ufeff" + text)[0], 1)
                self.assertEqual(self.read(name, text.replace("\n", "\r\n"))[0], 1)
                self.assertEqual(self.read(name, b"")[0], 2)
                middle = len(text) // 2
                for bytes_inside in (b"\0", NASTY.encode(), b"\xff\xfe"):
                    self.read(name, text[:middle].encode() + bytes_inside + text[middle:].encode())
                self.read(name, text.encode("utf-16"))

    def test_names_that_no_shell_assigns_to(self):
        for name in ("my.name", "a-b", "-S", "a b;$(touch ran)", "a\x1b[31m", "1x"):
            with self.subTest(name=name):
                self.file("k.yaml", json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [
                    {"name": "v", "image": self.IMAGE, "args": json.loads(self.ARGS), "env": [{"name": name, "value": "x y"}]}]}}))
                code, out, _ = self.ask("fix", *MACHINE, "-f", "k.yaml")
                self.assertEqual(code, 0)
                shown = self.folder / "python3"  # says its variables in place of the server
                shown.write_text(f"#!{sys.executable}\nimport os, sys\n"
                                 "sys.stdout.buffer.write(b'\\0'.join(b'='.join(pair) for pair in os.environb.items()))\n")
                shown.chmod(0o755)
                ran = subprocess.run(["bash", "-c", out.replace("\\\n", " ").strip().splitlines()[-1]], capture_output=True, cwd=self.folder,
                                     env={"PATH": f"{self.folder}:/usr/bin:/bin"})
                self.assertIn(name.encode() + b"=x y", ran.stdout.split(b"\0"), (out, ran.stderr))
                self.assertFalse((self.folder / "ran").exists())
                self.file("again.sh", out)
                self.assertEqual(self.check(*MACHINE, "-f", "again.sh")[1]["summary"]["errors"], 0)

    def test_shapes_that_have_no_end(self):
        for name in self.texts():
            for content in ("{" * 100000, "[" * 100000, "- " * 50000, "x" * 2000000):
                with self.subTest(name=name, content=content[:2]):
                    self.read(name, content)

    def test_a_yaml_fault_is_told_in_two_languages(self):
        self.file("c.yaml", self.compose() + "  }\n")
        self.assertIn("a ] or } closes nothing", self.check(*MACHINE, "-f", "c.yaml")[2])
        self.assertIn("没有对应的开头", self.ask("check", "--lang", "zh", *MACHINE, "-f", "c.yaml")[2])
        self.file("c.yaml", "{" * 1000)
        self.assertIn("nested too deeply", self.check(*MACHINE, "-f", "c.yaml")[2])

    def test_bombs_of_aliases_and_variables(self):
        rows = "".join(f"x{i + 1}: &x{i + 1} [{', '.join([f'*x{i}'] * 9)}]\n" for i in range(12))
        self.read("c.yaml", self.compose(front="x0: &x0 [a]\n" + rows))
        self.read("c.yaml", self.compose(front="x-a: &a\n  <<: *a\n"))
        self.read("c.yaml", self.compose("    environment:\n      A: " + "${A:-" * 20000 + "}" * 20000 + "\n"))
        self.file(".env", "A0=" + "x" * 1000 + "\n" + "".join(f"A{i + 1}=${{A{i}}}${{A{i}}}${{A{i}}}\n" for i in range(40)))
        self.read("c.yaml", self.compose("    environment:\n      A: ${A40}\n"))

    def test_files_that_name_each_other(self):
        self.file("other.yaml", self.compose("    extends: {file: c.yaml, service: a}\n"))
        for file in ("c.yaml", "other.yaml"):
            self.read("c.yaml", self.compose(f"    extends: {{file: {file}, service: a}}\n"))
        self.read("c.yaml", self.compose("    extends: a\n"))

    def test_named_files_that_are_none(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "zero").symlink_to("/dev/zero")
        for name in ("/dev/zero", "pipe", "loop", "zero", ".", "absent", "/proc/self/mem"):
            with self.subTest(name=name):
                self.read("c.yaml", self.compose(f"    env_file: {name}\n    extends: {{file: {name}, service: a}}\n"))
                self.read("u.service", f"[Service]\nEnvironmentFile={name}\nExecStart=/usr/bin/vllm serve {MODEL} -tp 6\n")
                self.check(*MACHINE, "--", "docker", "run", "--env-file", name, self.IMAGE, "--model", MODEL, "-tp", "6")
                self.check(*MACHINE, "--", "vllm", "serve", MODEL, "--config", name, "-tp", "6")

    def test_what_is_left_out_of_environment_files_is_said(self):
        self.file("long.env", "A=1\n" * 5000)
        said = "more than 4096 variables; what follows in long.env is not read"
        _, answer, _ = self.read("c.yaml", self.compose("    env_file: [" + ", ".join(["long.env"] * 3000) + "]\n"))
        self.assertIn(said, json.dumps(answer))
        self.assertIn("more than 32 environment files", json.dumps(answer))
        _, answer, _ = self.read("u.service", f"[Service]\nEnvironmentFile=long.env\nExecStart=/usr/bin/vllm serve {MODEL} -tp 6\n")
        self.assertIn(said, json.dumps(answer))

    def test_more_services_and_processes_than_a_machine_has(self):
        many = "".join(f"  s{i}: {{image: {self.IMAGE}, command: --model m}}\n" for i in range(5000))
        self.assertEqual(self.read("c.yaml", "services:\n" + many)[0], 2)
        head, line = self.texts()["ps.txt"].splitlines(True)
        self.assertEqual(self.read("ps.txt", head + line * 2000)[0], 2)
        code, _, err = self.read("ps.txt", head + "root 1 x\n" * 20001)
        self.assertEqual(code, 2)
        self.assertIn("more than 20000 lines", err)
        self.read("ps.txt", head + ("root 1 x " + "[ { " * 2000 + "\n") * 50)

    def test_lines_of_ps_are_counted(self):
        head, line = self.texts()["ps.txt"].splitlines(True)
        for end in ("\n", "\r\n"):
            _, answer, _ = self.read("ps.txt", (head + "root 1 sleep 1\n" * 3 + line).replace("\n", end))
            self.assertEqual({part["line"] for finding in answer["diagnostics"] for part in finding["labels"] if "line" in part}, {5})

    def test_processes(self):
        for pid in ("1", "0", "-1", "2147483647", "99999999999999999999", "x", "", "self", "1 ", NASTY):
            with self.subTest(pid=ascii(pid)):
                self.check(*MACHINE, "--pid", pid)
        ended = subprocess.Popen(["true"])
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # a zombie: no command line any more
        self.assertEqual(self.check(*MACHINE, "--pid", str(ended.pid))[0], 2)
        ended.wait()
        self.assertEqual(self.check(*MACHINE, "--pid", str(ended.pid))[0], 2)


class Plans(Hostile):
    """The question of `plan`: sizes of every kind, machines of every size, models that say nothing."""

    def plan(self, *words):
        """(exit code, JSON or None, stderr); the other forms must hold as well."""
        self.ask("plan", "--why", "--all", *words)
        self.ask("plan", "--lang", "zh", "--format", "markdown", *words)
        code, out, err = self.ask("plan", "--format", "json", *words)
        if not out:
            return code, None, err
        answer = json.loads(out)
        for plan in answer["plans"]:
            for gpu in plan["budget"]:
                self.assertTrue(all(line["bytes"] >= 0 for line in gpu["lines"]), plan["label"])
            for band in ("tpot_ms", "ttft_ms", "output_tok_s"):
                if plan.get("predicted"):
                    self.assertTrue(0 <= plan["predicted"][band]["low"] <= plan["predicted"][band]["high"], plan["label"])
        return code, answer, err

    def test_numbers_of_the_question(self):
        for flag in ("--gpus", "--users", "--input", "--output", "--context"):
            for number in ("0", "-1", "nan", "1e9", "", "９", "1.5", "32k", "2147483648", "9" * 30, NASTY):
                with self.subTest(flag=flag, number=ascii(number)):
                    code, _, err = self.ask("plan", MODEL, *MACHINE, f"{flag}={number}")
                    self.assertEqual(code, 2)
                    self.assertIn(flag, err)
            self.plan(MODEL, *MACHINE, flag, "1000000", "--input" if flag == "--output" else "--output", "1")

    def test_sizes_of_machines(self):
        for count in ("0", "65", "10000", "9" * 20):
            code, _, err = self.plan(MODEL, "--on", count + "xH100-SXM")
            self.assertEqual(code, 2)
            self.assertIn("--on", err)
        for machine in ("1xT4", "63xA100-80GB", "64xL40S", "1xT4+2xH100+3xL40S+4xRTX3090+5xA10"):
            self.assertIsNotNone(self.plan(MODEL, "--on", machine)[1])

    def test_models_that_say_nothing(self):
        for config in (b"", b"null", b"{", b"[" * 10000, b"{}", {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"},
                       {key: 0 for key in CONFIG}, {key: None for key in CONFIG}, {**CONFIG, "hidden_size": 10**18}):
            with self.subTest(config=str(config)[:30]):
                self.model(config)
                code, answer, err = self.plan("./m", *MACHINE)
                self.assertEqual((code, answer and answer["plans"]), (2, []))
                self.assertTrue(err)

    def test_a_card_without_memory_is_named(self):
        self.file("machine", host_file([{"index": 0, "name": "GX"}]))
        code, _, err = self.plan(MODEL, "--on", "machine")
        self.assertEqual(code, 2)
        self.assertIn("the memory of GPU 0 (GX) is not known", err)

    def test_what_a_config_lacks_is_named(self):
        for key, words in (("num_hidden_layers", "how many layers"), ("hidden_size", "hidden size"),
                           ("num_attention_heads", "how many attention heads"), ("vocab_size", "how large the vocabulary")):
            self.model({name: value for name, value in CONFIG.items() if name != key})
            self.assertIn(words, self.ask("plan", "./m", *MACHINE)[2])
        self.model(b'{"architectures": ["Qwen')
        self.assertIn("config.json", self.ask("plan", "./m", *MACHINE)[2])


class Checkpoints(Hostile):
    """`inspect` on headers that lie and folders that hold anything."""
    TENSOR = {"a": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}

    def weights(self, header=None, data=b"x" * 8):
        text = header if isinstance(header, bytes) else json.dumps(header or self.TENSOR).encode()
        return struct.pack("<Q", len(text)) + text + data

    def inspect(self, *words):
        self.ask("inspect", "--lang", "zh", "--why", *words)
        self.ask("inspect", "--verify", "full", *words)
        code, out, err = self.ask("inspect", "--format", "json", *words)
        return code, json.loads(out) if out else None, err

    def test_headers_that_lie(self):
        def tensor(shape, *offsets, dtype="BF16"):
            return {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        for header, data in (({**self.TENSOR, "b": tensor([2, 2], 4, 12)}, b"x" * 12), ({"a": tensor([2, 2], 8, 0)}, b"x" * 8),
                             ({"a": tensor([2, 2], -8, 0)}, b"x" * 8), ({"a": tensor([2**62, 2**62], 0, 2**63 - 1)}, b"x" * 8),
                             ({**self.TENSOR, "b": tensor([2, 2], 16, 24)}, b"x" * 24), (None, b"x" * 9), (None, b"x" * 7),
                             (b'{"a":' * 20000, b""), (b"\0" * 1000, b"")):
            with self.subTest(header=str(header)[:60]):
                self.model(CONFIG, model__safetensors=self.weights(header, data))
                self.assertEqual(self.inspect("m")[0], 1)

    def test_a_config_that_cannot_be_used_is_damage(self):
        for config in (b'{"architectures": ["Qwen', b"", b"[]", b"<html>"):
            with self.subTest(config=config):
                self.model(config, model__safetensors=self.weights())
                code, out, _ = self.ask("inspect", "m")
                self.assertEqual(code, 1)
                self.assertIn("config.json", out)
        os.unlink(self.folder / "m/config.json")
        os.mkfifo(self.folder / "m/config.json")
        code, out, _ = self.ask("inspect", "m")
        self.assertEqual(code, 1)
        self.assertIn("not a regular file", " ".join(out.split()))

    def test_folders_of_anything(self):
        self.model(CONFIG, model__safetensors=self.weights())
        for name, target in (("self", "."), ("a", "b"), ("b", "a"), ("x.safetensors", "nowhere"), ("y.safetensors", "y.safetensors"),
                             ("zero.safetensors", "/dev/zero"), ("tokenizer.json", "/dev/zero")):
            (self.folder / "m" / name).symlink_to(target)
        os.mkfifo(self.folder / "m/pipe.safetensors")
        code, answer, _ = self.inspect("m")
        self.assertEqual(code, 1)
        states = {file["path"]: file["state"] for file in answer["files"]}
        self.assertEqual((states["model.safetensors"], states["x.safetensors"], states["pipe.safetensors"], states["zero.safetensors"]),
                         ("ok", "missing", "unreadable", "unreadable"))

    def test_names_of_any_bytes(self):
        self.model(CONFIG)
        for name in (b"a\x1b[31m", b"b\n", b"c\xff\xfe", "d\u202e".encode(), b"f'\"$(x)"):
            with open(os.fsencode(self.folder) + b"/m/" + name + b".safetensors", "wb") as file:
                file.write(self.weights(data=b"x"))
        self.assertEqual(self.inspect("m")[0], 1)

    def test_paths(self):
        for path in ("/dev", "/proc/self", "/", ".", "..", "a/../.."):
            self.inspect(path)
        for path in ("/dev/zero", "/dev/null", "/proc/self/mem", "", "x" * 5000, NASTY):
            self.assertEqual(self.inspect(path)[0], 2)
        self.assertEqual(self.ask("inspect", "~", HOME=str(self.folder / "absent"))[0], 2)

    def test_sums_of_any_bytes(self):
        self.model(CONFIG, model__safetensors=self.weights())
        for sums in (b"", b"\0" * 5000, bytes(range(256)) * 50, b"0" * 64, (b"0" * 64 + b"  ../../etc/passwd\n"), b"0" * 64 + b"  " + b"x" * 100000,
                     (b"0" * 64 + b"  model.safetensors\n") * 5000, b"0" * 64 + b"  \x1b[31m\n"):
            self.file("sums", sums)
            self.ask("inspect", "--verify", "full", "--sums", "sums", "m")
        for name in ("pipe", "/dev/zero", "absent", "."):
            if name == "pipe":
                os.mkfifo(self.folder / name)
            self.assertEqual(self.ask("inspect", "--verify", "full", "--sums", name, "m")[0], 2)


class Logs(Hostile):
    """`diagnose` and `learn` on bytes that are no log, or too much of one."""
    FAILED = ("(Worker_TP0 pid=1) ERROR 11-30 02:01:40 [e.py:1] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 266.00 MiB. "
              "GPU 0 has a total capacity of 79.25 GiB of which 100.00 MiB is free.\n")
    LOADED = "(Worker_TP0 pid=1) INFO 11-30 02:01:00 [gpu_model_runner.py:2653] Model loading took 33.99 GiB and 60.1 seconds\n"

    def both(self, *words, stdin=b""):
        self.ask("diagnose", "--lang", "zh", *words, stdin=stdin)
        code, out, err = self.ask("diagnose", "--format", "json", *words, stdin=stdin)
        self.ask("learn", "--no-save", *MACHINE, *words, *LAUNCH, "-tp", "4", stdin=stdin)
        return code, json.loads(out) if out else None, err

    def test_bytes(self):
        for content in (b"", b"\0" * 100000, bytes(range(256)) * 1000, b"x" * 20000000, b"\n" * 3000000, b"[" * 1000000, b'{"a":' * 100000,
                        b"Traceback (most recent call last):\n" * 50000, self.FAILED.encode("utf-16"), NASTY.encode() * 1000,
                        self.LOADED.replace("33.99", "9" * 400).encode(), self.LOADED.replace("33.99", "nan").encode(),
                        b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " + b"9" * 1000000 + b" GiB"):
            with self.subTest(content=content[:30]):
                self.file("log", content)
                self.both("log")

    def test_the_last_of_many_lines_is_found_in_time(self):
        self.file("log", "\n" * 3000000 + self.LOADED + self.FAILED.rstrip("\n"))
        began = time.monotonic()
        code, answer, _ = self.both("log")
        self.assertLess(time.monotonic() - began, SECONDS / 2)
        self.assertEqual((code, answer["causes"][0]["line"]["number"]), (1, 3000002))
        _, out, _ = self.ask("learn", "--no-save", "--format", "json", *MACHINE, "log", *LAUNCH, "-tp", "4")
        self.assertIn('"number":3000001', out)

    def test_files_without_end(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "zero").symlink_to("/dev/zero")
        self.both("pipe")  # nobody writes: it is at its end
        for name in ("/dev/zero", "zero", ".", "absent", "/proc/self/mem"):
            with self.subTest(name=name):
                code, _, err = self.ask("diagnose", name)
                self.assertEqual(code, 2)
                self.assertIn(name, err)
        with open("/dev/zero", "rb") as zero:
            done = subprocess.run([os.path.abspath(PROGRAM), "diagnose", "-"], stdin=zero, capture_output=True, timeout=SECONDS, env=environment())
        self.assertEqual((done.returncode, done.stderr), (2, b"sextant: cannot read standard input: it is a device without end\n"))

    def test_a_pipe_that_is_written_to_is_read(self):
        self.file("log", self.FAILED)
        done = subprocess.run(["bash", "-c", '"$1" diagnose <(sleep 0.3; cat "$2")', "bash", os.path.abspath(PROGRAM), self.folder / "log"],
                              capture_output=True, timeout=SECONDS, env=environment())
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_several_writers_lose_nothing(self):
        self.file("log", self.LOADED)
        home = str(self.folder / "data")
        words = [os.path.abspath(PROGRAM), "learn", *MACHINE, "log", "--engine-version", "0.11.0", *LAUNCH, "-tp", "4", "--max-num-seqs"]
        running = [subprocess.Popen([*words, str(16 + i)], cwd=self.folder, env=environment(XDG_DATA_HOME=home), stdout=subprocess.DEVNULL)
                   for i in range(12)]
        self.assertEqual([one.wait(SECONDS) for one in running], [0] * 12)
        self.assertEqual(len((self.folder / "data/sextant/learned.jsonl").read_text().splitlines()), 12)

    def test_what_was_learned_may_be_damaged(self):
        self.file("log", self.LOADED)
        learn = ("learn", *MACHINE, "log", "--engine-version", "0.11.0", *LAUNCH, "-tp", "4")
        for content in (b"", b"\0" * 10000, b"[" * 100000, b'{"a":1}\n' * 5000, bytes(range(256)) * 100, NASTY.encode()):
            self.file("data/sextant/learned.jsonl", content)
            self.check(*MACHINE, *LAUNCH, "-tp", "4", XDG_DATA_HOME=str(self.folder / "data"))
            self.ask(*learn, XDG_DATA_HOME=str(self.folder / "data"))
        self.file("no", "a file, no folder")
        for home in (self.folder / "no", "/proc", "/dev/null", NASTY):
            self.ask(*learn, XDG_DATA_HOME=str(home), HOME=str(self.folder))  # a path that is not absolute does not count
            self.check(*MACHINE, *LAUNCH, "-tp", "4", XDG_DATA_HOME=str(home), HOME=str(self.folder))


class Memory(Hostile):
    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "a sanitizer takes more addresses than this test leaves")
    def test_too_little_of_it_is_said(self):
        self.file("serve.sh", "x\n" * 7000000)
        done = subprocess.run(["bash", "-c", 'ulimit -v 60000; "$@"', "bash", os.path.abspath(PROGRAM), "check", *MACHINE, "-f", "serve.sh"],
                              capture_output=True, timeout=SECONDS, cwd=self.folder, env=environment())
        self.assertEqual((done.returncode, done.stderr.decode()), (2, "sextant: there was not enough memory for this input\n"))


class Surroundings(Hostile):
    def test_widths_and_languages(self):
        for variables in ({"COLUMNS": "1"}, {"COLUMNS": "0"}, {"COLUMNS": "100000"}, {"COLUMNS": "x"}, {"SEXTANT_LANG": "xx"}, {"LC_ALL": "zh" * 500},
                          {"NO_COLOR": ""}, {"HF_HOME": NASTY}, {"CUDA_VISIBLE_DEVICES": NASTY}):
            with self.subTest(variables=variables):
                self.check(*MACHINE, *LAUNCH, "-tp", "6", **variables)

    def test_a_machine_is_saved_to_files_only(self):
        os.mkfifo(self.folder / "pipe")
        os.mkdir(self.folder / "folder")
        (self.folder / "link").symlink_to("pipe")
        for name in ("pipe", "folder", "link"):
            code, _, err = self.ask("host", *MACHINE, "--save", name)
            self.assertEqual(code, 2)
            self.assertIn("not a file", err)
        self.assertTrue((self.folder / "pipe").is_fifo())

    def test_more_words_than_can_be_explained(self):
        code, _, err = self.ask("explain", *["word"] * 5000)
        self.assertEqual(code, 2)
        self.assertIn("5000 words were given; at most 256", err)

    def test_closed_and_full_outputs(self):
        words = [os.path.abspath(PROGRAM), "check", *MACHINE, *LAUNCH, "-tp", "6"]
        for redirection, codes in ((">&-", (1, 2)), ("2>&-", (1,)), (">&- 2>&-", (1, 2)), ("<&-", (1,)), (">/dev/full", (2,))):
            done = subprocess.run(["bash", "-c", '"$@" ' + redirection, "bash", *words], capture_output=True, timeout=SECONDS, env=environment())
            self.assertIn(done.returncode, codes, redirection)


if __name__ == "__main__":
    unittest.main()
