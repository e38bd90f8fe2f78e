#!/usr/bin/env python3
"""`sextant plan`: every option, both languages, every format; odd machines, contradictions, worked examples."""
import json
import os
import pathlib
import re
import shlex
import shutil
import tempfile
import unicodedata
import unittest

import checkpoints
from terminal import in_terminal, run

DENSE = "Qwen/Qwen2.5-72B-Instruct"
SMALL = "Qwen/Qwen2.5-7B-Instruct"
SIX = ("--on", "6xA100-PCIE-40GB")
LOAD = ("--users", "32", "--context", "32768")

TOPOLOGY = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n" + "".join(
    f"GPU{i}\t" + "\t".join(" X " if i == j else "NV4" if i % 2 == j % 2 else "SYS" for j in range(4))
    + f"\t{i % 2 * 16}-{i % 2 * 16 + 15}\t{i % 2}\n" for i in range(4))

number = (int, float)
BAND = {"low": number, "mid": number, "high": number}
BUDGET = [{"gpu": int, "stage": int, "capacity_bytes": int, "kv_bytes": int,
           "lines": [{"name": str, "bytes": int, "origin": str, "note": str}]}]
PREDICTED = {"tpot_ms": BAND, "ttft_ms": BAND, "output_tok_s": BAND, "basis": str}
SCHEMA = {
    "schema": str, "tool": {"name": str, "version": str},
    "model": {"id": str, "dtype": str, "quant": (str, type(None)), "parameters": (int, type(None)), "source": str},
    "machine": {"name": str, "gpus": [{"index": int, "name": str, "memory_bytes": int, "usable_bytes": int}]},
    "workload": {"users": int, "input": int, "output": int, "context": int},
    "plans": [{"rank": int, "label": str, "engine": str, "fits": bool,
               "layout": {"tp": int, "pp": int, "dp": int, "ep": bool, "stages": [int]}, "gpus": [[int]], "idle": [int],
               "budget": BUDGET, "kv_tokens": int, "max_concurrency_at_context": number, "max_context": int,
               "environment": dict, "commands": [str], "diagnostics": [str]}],
    "rejected": [{"label": str, "code": str, "name": str, "why": str, "nearest_fix": (str, type(None))}],
    "search": {"candidates": int, "microseconds": int},
}
ORIGINS = {"flag", "environment", "config", "header", "device", "measured", "default", "formula", "assumed"}
LINES = {"weights", "draft", "activations", "graphs", "runtime", "state", "kv_cache", "unused"}


class Answers(unittest.TestCase):
    def plan(self, *words, code=0):
        got, out, err = run("plan", "--format", "json", *words)
        self.assertEqual(got, code, out[:2000] + err)
        return json.loads(out)

    def refused(self, *words, code=2):
        """Said in both languages on standard error, and nothing is planned."""
        got, out, english = run("plan", "--lang", "en", *words)
        self.assertEqual((got, out), (code, ""), words)
        got, out, chinese = run("plan", "--lang", "zh", *words)
        self.assertEqual((got, out), (code, ""), words)
        self.assertTrue(english.strip() and chinese.strip())
        self.assertRegex(chinese, "[一-鿿]")
        self.assertNotRegex(english, "[一-鿿]")
        return english

    def matches(self, value, schema, where="answer"):
        if isinstance(schema, dict):
            self.assertIsInstance(value, dict, where)
            for key, inner in schema.items():
                self.assertIn(key, value, where)
                self.matches(value[key], inner, f"{where}.{key}")
        elif isinstance(schema, list):
            self.assertIsInstance(value, list, where)
            for i, one in enumerate(value):
                self.matches(one, schema[0], f"{where}[{i}]")
        else:
            self.assertIsInstance(value, schema, where)

    def by_label(self, answer):
        return {plan["label"]: plan for plan in answer["plans"]}


class Contract(Answers):
    def judge(self, answer):
        self.matches(answer, SCHEMA)
        self.assertEqual(answer["schema"], "sextant.plan/1")
        self.assertEqual([p["rank"] for p in answer["plans"]], list(range(1, len(answer["plans"]) + 1)))
        indices = {gpu["index"] for gpu in answer["machine"]["gpus"]}
        for plan in answer["plans"]:
            taken = [gpu for group in plan["gpus"] for gpu in group]
            self.assertEqual(len(taken), len(set(taken)), plan["label"])
            self.assertEqual(len(taken), plan["layout"]["tp"] * plan["layout"]["pp"] * plan["layout"]["dp"])
            self.assertFalse(set(taken) & set(plan["idle"]))
            self.assertLessEqual(set(taken) | set(plan["idle"]), indices)
            for entry in plan["budget"]:
                self.assertIn(entry["gpu"], taken)
                total = sum(line["bytes"] for line in entry["lines"])
                (self.assertEqual if entry["kv_bytes"] else self.assertGreaterEqual)(total, entry["capacity_bytes"])
                self.assertLessEqual({line["origin"] for line in entry["lines"]}, ORIGINS)
                self.assertLessEqual({line["name"] for line in entry["lines"]}, LINES)
            if not plan["fits"]:
                self.assertRegex(plan["code"], r"^SX\d{4}$")
                self.assertEqual(plan["commands"], [])
                continue
            self.assertTrue(plan["commands"])
            if "predicted" in plan:
                self.matches(plan["predicted"], PREDICTED)
                for band in ("tpot_ms", "ttft_ms", "output_tok_s"):
                    low, mid, high = (plan["predicted"][band][key] for key in ("low", "mid", "high"))
                    self.assertTrue(0 < low <= mid <= high, plan["label"])
        for rejected in answer["rejected"]:
            self.assertRegex(rejected["code"], r"^SX\d{4}$")

    def test_json_key_by_key(self):
        for words in ((DENSE, *SIX, *LOAD), (DENSE, *SIX, *LOAD, "--all"), ("Qwen/Qwen3-30B-A3B", "--on", "4xL40S", "--all"),
                      (SMALL, "--on", "2xH100-SXM+2xL40S", "--all"), (DENSE, "--on", "8xH100", "--engine", "any"),
                      (SMALL, "--on", "1xL4", "--engine", "sglang")):
            with self.subTest(words):
                self.judge(self.plan(*words))

    def test_each_printed_command_passes_check(self):
        for words, model in ((SIX, DENSE), (("--on", "4xL40S"), "Qwen/Qwen3-32B"), (("--on", "4xL40S"), "Qwen/Qwen3-30B-A3B"),
                             (("--on", "2xH100-SXM+2xL40S"), SMALL)):
            for engine in ("vllm", "sglang"):
                answer = self.plan(model, *words, "--engine", engine, "--all")
                commands = [c for plan in answer["plans"] if plan["fits"] for c in plan["commands"][:2]]
                self.assertTrue(commands)
                for command in commands[:12]:
                    code, out, err = run("check", *words, "--", *shlex.split(command))
                    self.assertEqual(code, 0, command + out + err)


class Options(Answers):
    def test_gpus(self):
        for plan in self.plan(SMALL, "--on", "8xL40S", "--gpus", "2", "--all")["plans"]:
            self.assertLessEqual(sum(map(len, plan["gpus"])), 2)

    def test_load_and_context_are_repeated(self):
        answer = self.plan(SMALL, *SIX, "--users", "3", "--input", "700", "--output", "90", "--context", "4000")
        self.assertEqual(answer["workload"], {"users": 3, "input": 700, "output": 90, "context": 4000})
        self.assertEqual(answer["assumed"], [])
        for plan in answer["plans"]:
            self.assertGreaterEqual(plan["max_context"], 4000)

    def test_goals(self):
        best = {goal: self.plan(SMALL, "--on", "4xL40S", "--all", "--goal", goal)["plans"]
                for goal in ("balanced", "throughput", "latency", "context", "safest")}
        speed = lambda plan, key: plan["predicted"][key]["mid"]  # noqa: E731
        self.assertEqual(max(p["max_context"] for p in best["context"]), best["context"][0]["max_context"])
        self.assertLess(min(speed(p, "tpot_ms") for p in best["latency"]) * 1.05, speed(best["latency"][0], "tpot_ms") * 1.1)
        self.assertGreater(speed(best["throughput"][0], "output_tok_s") * 1.05,
                           max(speed(p, "output_tok_s") for p in best["throughput"]))

    def test_kv_dtype_fp8_holds_more(self):
        words = (DENSE, "--on", "8xH100", *LOAD, "--all")
        full, half = self.by_label(self.plan(*words)), self.by_label(self.plan(*words, "--kv-dtype", "fp8"))
        self.assertGreater(half["TP8"]["kv_tokens"], 1.9 * full["TP8"]["kv_tokens"])
        self.assertIn("--kv-cache-dtype fp8", half["TP8"]["commands"][0])

    def test_engine_and_version(self):
        answer = self.plan(SMALL, *SIX, "--engine", "sglang")
        self.assertEqual({plan["engine"] for plan in answer["plans"]}, {"sglang"})
        answer = self.plan(SMALL, *SIX, "--engine-version", "0.8.5")
        self.assertEqual({plan["engine_version"] for plan in answer["plans"]}, {"0.8.5"})
        answer = self.plan(SMALL, *SIX, "--engine", "any", "--all")
        self.assertEqual({plan["engine"] for plan in answer["plans"]}, {"vllm", "sglang"})

    def test_free_memory_counts(self):
        words = ("Qwen/Qwen3-32B", "--on", "2xH100")
        self.assertIn("TP1", self.by_label(self.plan(*words, "--all")))
        answer = self.plan(*words, "--free", "0=10GiB,1=10GiB", "--all", code=1)
        self.assertEqual([plan for plan in answer["plans"] if plan["fits"]], [])

    def test_topology_chooses_the_linked_pairs(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "topo.txt")
        pathlib.Path(path).write_text(TOPOLOGY)
        plan = self.by_label(self.plan("Qwen/Qwen3-32B", "--on", "4xA100-SXM4-80GB", "--topology", path, "--all"))["2 x TP2"]
        self.assertEqual(sorted(plan["gpus"]), [[0, 2], [1, 3]])
        self.assertIn("numactl --cpunodebind=", plan["commands"][0])

    def test_splits(self):
        code, out, err = run("plan", "--splits", DENSE, SMALL)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(DENSE, out)
        self.assertIn(SMALL, out)
        for columns in (80, 100, 200):
            for language in ("en", "zh"):
                code, out = in_terminal("plan", "--splits", DENSE, SMALL, "--lang", language, columns=columns)
                self.assertEqual((code, len(re.findall(r"TP\d+", out))), (0, 16))
                self.assertLessEqual(max(map(len, out.splitlines())), columns)
                self.assertEqual(len(re.findall(r"\bok\b", out)), 5 + 3 + 1)  # and the line that says what it means

    def test_why_shows_the_ledger_in_both_languages(self):
        for language, word in (("en", "weights"), ("zh", "权重")):
            code, out, err = run("plan", DENSE, *SIX, *LOAD, "--why", "--lang", language)
            self.assertEqual((code, err), (0, ""))
            self.assertIn(word, out)
            self.assertGreater(len(out), len(run("plan", DENSE, *SIX, *LOAD, "--lang", language)[1]))

    def test_markdown(self):
        for language in ("en", "zh"):
            code, out, err = run("plan", DENSE, *SIX, *LOAD, "--format", "markdown", "--lang", language)
            self.assertEqual((code, err), (0, ""))
            table = [line for line in out.splitlines() if line.startswith("|")]
            self.assertGreater(len(table), 3)
            self.assertIn("--tensor-parallel-size 2 --pipeline-parallel-size 3", out)

    def test_chinese_says_what_english_says(self):
        english, chinese = (run("plan", DENSE, *SIX, *LOAD, "--lang", language)[1] for language in ("en", "zh"))
        figures = lambda text: sorted(re.findall(r"SX\d{4}|\b\d[\d ]*\d\b", text))  # noqa: E731
        self.assertEqual([c for c in figures(english) if c.startswith("SX")], [c for c in figures(chinese) if c.startswith("SX")])
        self.assertRegex(chinese, "[一-鿿]")

    def test_the_table_fits_the_terminal(self):
        """80, 100 and 200 columns: only commands are longer than a line; nothing that counts is lost."""
        cells = lambda text: text.split("\n\n")[1].splitlines()  # noqa: E731
        for words in ((DENSE, *SIX, *LOAD), (SMALL, "--on", "8xH100"), ("deepseek-ai/DeepSeek-V3", "--on", "8xH200-SXM", "--engine", "any"),
                      ("Qwen/Qwen3-30B-A3B", "--on", "2xH100-SXM+2xL40S", "--all")):
            for language in ("en", "zh"):
                piped = run("plan", *words, "--lang", language)[1]
                self.assertNotIn("\x1b", piped)
                for columns in (80, 100, 200):
                    code, out = in_terminal("plan", *words, "--lang", language, "--color", "never", columns=columns)
                    self.assertEqual(code, 0, out)
                    for line in out.splitlines():
                        if line.startswith("    env "):
                            continue  # a command stays in one piece, so that it can be copied
                        wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
                        self.assertLessEqual(wide, columns, line)
                    self.assertEqual(len(re.findall(r"TP\d+", "".join(cells(out)))), len(re.findall(r"TP\d+", "".join(cells(piped)))))
                    if columns == 200:  # as of a pipe
                        self.assertEqual(cells(out), cells(piped))


class OddMachines(Answers):
    def test_unknown_card(self):
        self.assertIn("H900", self.refused(SMALL, "--on", "2xH900"))

    def test_none_and_too_many(self):
        self.refused(SMALL, "--on", "0xH100")
        self.refused(SMALL, "--on", "10000xH100")

    def test_mixed_cards_keep_groups_of_one_kind(self):
        answer = self.plan(SMALL, "--on", "2xH100-SXM+2xL40S", "--all")
        names = {gpu["index"]: gpu["name"] for gpu in answer["machine"]["gpus"]}
        for plan in answer["plans"]:
            if plan["layout"]["tp"] != 2:
                continue
            for group in plan["gpus"]:
                self.assertEqual(len({names[gpu] for gpu in group}), 1, plan["label"])

    def test_a_file_that_is_no_machine(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("nothing of this is a machine\n")
            file.flush()
            self.refused(SMALL, "--on", file.name)

    def test_mig_of_a_card(self):
        text = ("GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-11111111-1111-1111-1111-111111111111)\n"
                "  MIG 3g.20gb     Device  0: (UUID: MIG-22222222-2222-2222-2222-222222222222)\n"
                "  MIG 3g.20gb     Device  1: (UUID: MIG-33333333-3333-3333-3333-333333333333)\n")
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            # Never a number of the whole card: what a process sees of it is not known.
            for language, words in (("en", "is not known"), ("zh", "未知")):
                code, out, err = run("plan", SMALL, "--on", file.name, "--lang", language)
                self.assertEqual(code, 2, out)
                self.assertIn("MIG", err)
                self.assertIn(words, out.splitlines()[0])
                self.assertNotIn("vllm serve", out)
            self.assertEqual(self.plan(SMALL, "--on", file.name, code=2)["plans"], [])
            answer = json.loads(run("check", "--why", "--on", file.name, "--format", "json", "--", "vllm", "serve", SMALL)[1])
        self.assertNotIn("budget", answer)
        self.assertNotIn("kv_tokens", answer)


class Contradictions(Answers):
    def test_usage(self):
        for words in (("--gpus", "9"), ("--gpus", "0"), ("--users", "0"), ("--users", "-1"), ("--users", "many"), ("--input", "0"),
                      ("--output", "1.5"), ("--context", "0"), ("--context", "32769"), ("--context", "99999999999999999999"),
                      ("--goal", "best"), ("--kv-dtype", "int3"), ("--engine", "tgi"), ("--engine", "llamacpp"),
                      ("--context", "1000", "--input", "900", "--output", "200"), ("--input", "40000"),
                      ("--free", "9=1GiB"), ("--free", "nonsense"), ("--topology", "/nonexistent"), ("--no-such-option",)):
            with self.subTest(words):
                self.refused(DENSE, "--on", "8xH100", *words)

    def test_a_short_name_becomes_the_whole_id_in_commands(self):
        answer = self.plan("qwen3-8b", "--on", "1xL4")
        self.assertIn("vllm serve Qwen/Qwen3-8B ", answer["plans"][0]["commands"][0])
        self.assertTrue([text for text in answer["assumed"] if "qwen3-8b" in text and "Qwen/Qwen3-8B" in text])

    def test_an_option_that_is_none_is_named(self):
        self.assertIn("no option --gpu; the nearest is --gpus", self.refused(DENSE, "--gpu", "4xH100"))

    def test_models(self):
        self.refused("--on", "8xH100")
        self.refused(DENSE, SMALL, "--on", "8xH100")
        self.assertIn("Qwen2.5-72B-Instruct", self.refused("Qwen/Qwen2.5-72B-Instrukt", "--on", "8xH100"))
        self.refused("/nonexistent/model", "--on", "8xH100")

    def test_a_class_that_no_table_has(self):
        with tempfile.TemporaryDirectory() as folder:
            config = {"architectures": ["FooBarForCausalLM"], "model_type": "foobar", "hidden_size": 4096, "num_hidden_layers": 32,
                      "num_attention_heads": 32, "vocab_size": 32000, "intermediate_size": 11008, "torch_dtype": "bfloat16"}
            (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))
            answer = self.plan(folder, "--on", "4xL40S")
            self.assertTrue([text for text in answer["assumed"] if "FooBarForCausalLM" in text])
            self.assertIn("FooBarForCausalLM", run("plan", folder, "--on", "4xL40S", "--lang", "zh")[1])
        self.assertFalse([text for text in self.plan(SMALL, "--on", "4xL40S")["assumed"] if "class" in text])

    def test_what_no_layout_mends_is_said_instead_of_more_cards(self):
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            file.write(checkpoints.gguf(layers=8, hidden=1024, heads=8, width=4096))
            file.flush()
            answer = self.plan(file.name, "--on", "3xRTX3090", code=1)
            self.assertIn("SX4131", answer["nothing"])  # it has no tokenizer
            self.assertEqual(answer["search"]["fitting"], 0)
            self.assertIn("SX4131 拒绝", run("plan", file.name, "--on", "3xRTX3090", "--lang", "zh")[1])

    def test_impossible_says_what_would_do(self):
        answer = self.plan("deepseek-ai/DeepSeek-V3", "--on", "1xL4", code=1)
        self.assertTrue(answer["nothing"])
        self.assertEqual([plan for plan in answer["plans"] if plan["fits"]], [])
        # Nothing clears this one: no way in is made up.
        self.assertEqual([(one["label"], one["nearest_fix"]) for one in answer["rejected"]], [("TP1", None)])
        for language in ("en", "zh"):
            code, out, _ = run("plan", "deepseek-ai/DeepSeek-V3", "--on", "1xL4", "--lang", language)
            self.assertEqual(code, 1)
            self.assertIn("SX3101", out)
            self.assertNotIn("->", out)


class WorkedExamples(Answers):
    def test_72b_on_six_cards_of_40_gb(self):
        answer = self.plan(DENSE, *SIX, *LOAD, "--input", "2000", "--output", "500", "--all")
        best = answer["plans"][0]
        self.assertEqual((best["label"], best["named"], best["layout"]["stages"]), ("TP2 x PP3", "B", [27, 27, 26]))
        self.assertAlmostEqual(best["kv_tokens"], 220864, delta=2209)  # one per cent
        self.assertAlmostEqual(best["max_concurrency_at_context"], 6.7, delta=0.1)
        out = {rejected["label"]: rejected for rejected in answer["rejected"]}
        for label in ("TP3", "TP5", "TP6"):
            self.assertEqual(out[label]["code"], "SX2103")
        named = {plan["named"]: plan for plan in answer["plans"] if "named" in plan}
        self.assertEqual(sorted(named), ["A", "B", "C"])
        self.assertFalse(named["A"]["fits"])
        self.assertAlmostEqual(named["A"]["kv_tokens"], 5168, delta=160)  # a small rest of a large sum
        self.assertFalse(named["C"]["fits"])
        weights = next(line["bytes"] for line in best["budget"][0]["lines"] if line["name"] == "weights")
        self.assertAlmostEqual(weights / 2 ** 30, 23.2, delta=0.12)

    def test_the_ladder_of_tensor_parallel_alone(self):
        answer = self.plan(DENSE, *SIX, *LOAD)
        self.assertEqual(answer["ladders"], [{"engine": "vllm", "rungs": [
            {"tp": 1, "fits": False, "code": "SX3101"}, {"tp": 2, "fits": False, "code": "SX3101"},
            {"tp": 4, "fits": False, "code": "SX3103"}]}])
        self.assertIn("TP1 (SX3101), TP2 (SX3101), TP4 (SX3103)", run("plan", DENSE, *SIX, *LOAD)[1])
        ladders = {one["engine"]: one["rungs"] for one in self.plan(SMALL, "--on", "8xL40S", "--engine", "any")["ladders"]}
        self.assertEqual(sorted(ladders), ["sglang", "vllm"])
        for rungs in ladders.values():
            self.assertEqual([(rung["tp"], rung["fits"]) for rung in rungs], [(1, True), (2, True), (4, True)])
        self.assertIn("台阶：TP1、TP2、TP4", run("plan", SMALL, "--on", "8xL40S", "--lang", "zh")[1])
        self.assertEqual(self.plan(SMALL, "--on", "1xL40S")["ladders"], [])

    def test_32b_on_four_cards_over_pcie(self):
        words = ("Qwen/Qwen3-32B", "--users", "64", "--input", "2000", "--output", "500", "--context", "2500", "--all")
        plans = self.by_label(self.plan(*words, "--on", "4xL40S"))
        for label, tokens in (("TP4", 380370), ("TP2 x PP2", 380380), ("TP1 x PP4", 368515)):
            self.assertAlmostEqual(plans[label]["kv_tokens"] / tokens, 1, delta=0.04)
        speed = {label: plans[label]["predicted"]["output_tok_s"]["mid"] for label in ("TP4", "TP2 x PP2", "TP1 x PP4")}
        self.assertGreater(speed["TP2 x PP2"], 1.5 * speed["TP4"])
        for label, tokens_s in (("TP4", 344), ("TP2 x PP2", 647), ("TP1 x PP4", 469)):
            self.assertAlmostEqual(speed[label] / tokens_s, 1, delta=0.15)

    def test_a_better_fabric_makes_tensor_groups_pay(self):
        """The answer flips on what is between the cards."""
        words = ("Qwen/Qwen3-32B", "--users", "64", "--input", "2000", "--output", "500", "--context", "2500", "--all")
        speed = {}
        for fabric, cell in (("switch", "PIX"), ("sockets", "SYS")):
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(re.sub("NV4|SYS", cell, TOPOLOGY))
                file.flush()
                plans = self.by_label(self.plan(*words, "--on", "4xL40S", "--topology", file.name))
            speed[fabric] = {label: plans[label]["predicted"]["output_tok_s"]["mid"] for label in ("TP4", "TP2 x PP2")}
        gain = {fabric: of["TP4"] / of["TP2 x PP2"] for fabric, of in speed.items()}
        self.assertGreater(gain["switch"], gain["sockets"])


if __name__ == "__main__":
    unittest.main()
