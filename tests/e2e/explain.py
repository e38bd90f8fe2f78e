#!/usr/bin/env python3
"""`sextant explain`: each kind of thing, lists and their filters, both languages, words that are nothing."""
import json
import unittest

from terminal import run

NASTY = "\x1b]0;owned\x07\x1b[2J"


class Kinds(unittest.TestCase):
    def entry(self, *words):
        code, out, err = run("explain", "--format", "json", *words)
        self.assertEqual((code, err), (0, ""), words)
        answer = json.loads(out)
        self.assertEqual(answer["schema"], "sextant.explain/1")
        return answer["entries"]

    def test_each_kind_is_found_by_its_word(self):
        for word, kind in (("SX2103", "rule"), ("tp-heads-indivisible", "rule"), ("--max-model-len", "flag"),
                           ("VLLM_PP_LAYER_PARTITION", "variable"), ("NCCL_P2P_LEVEL", "variable"), ("H100", "gpu"),
                           ("xid79", "xid"), ("Qwen/Qwen2.5-7B-Instruct", "model"), ("Qwen2ForCausalLM", "architecture"),
                           ("vllm", "engine"), ("gptq", "quantisation"), ("loc-keeps-p2p", "claim"),
                           ("nnodes-backend", "launch rule"), ("no-kv-room", "symptom"),
                           ("No available memory for the cache blocks", "symptom")):
            with self.subTest(word=word):
                entries = self.entry(word)
                self.assertEqual({entry["kind"] for entry in entries}, {kind})
                if kind != "rule":
                    for field in entries[0]["fields"]:
                        self.assertIn(field["value"], entries[0]["text"])

    def test_lists_have_rows(self):
        for word in ("rules", "flags", "variables", "gpus", "xids", "models", "architectures", "engines", "quantisation",
                     "symptoms", "claims"):
            with self.subTest(word=word):
                entry, = self.entry(word)
                self.assertEqual(entry["kind"], "list")
                self.assertGreater(len(entry["rows"]), 2)

    def test_a_claim_stands_with_the_flag_and_the_variable_it_is_about(self):
        self.assertIn("LOC means never", run("explain", "NCCL_P2P_LEVEL")[1])
        self.assertIn("the pool has the same size either way", run("explain", "--max-model-len")[1])
        self.assertIn("池大小不变", run("explain", "--lang", "zh", "--max-model-len")[1])

    def test_a_rule_shows_the_launch_rules_it_speaks_for(self):
        out = run("explain", "layout-sizes-clash")[1]
        self.assertIn("nnodes-divides-dp-groups", out)
        self.assertNotIn("Launch rules of the engines", run("explain", "SX2103")[1])

    def test_a_rule_shows_what_one_sees_of_it(self):
        self.assertIn("heads-do-not-divide", run("explain", "SX2103")[1])
        self.assertIn("没有检查就启动时的现象", run("explain", "--lang", "zh", "SX2103")[1])

    def test_a_cause_shows_its_scenes_whether_or_not_a_rule_has_its_name(self):
        for word, kind in (("oom-cudagraph", "cause"), ("SX7104", "cause"), ("kv-cache-max-len", "rule")):
            with self.subTest(word=word):
                entry, = self.entry(word)
                self.assertEqual(entry["kind"], kind)
                named = [s["answer"]["cause"] for s in entry["scenes"] if s["answer"]]
                self.assertIn(word if kind == "rule" else "oom-cudagraph", named)
                self.assertGreater(len(entry["scenes"]), 1)
                for scene in entry["scenes"]:
                    self.assertIn(scene["heading"], entry["text"])
                    for log in scene["logs"]:
                        self.assertIn(log["text"].splitlines()[-1], entry["text"])
        chinese = run("explain", "--lang", "zh", "oom-cudagraph")[1]
        self.assertIn("日志示例", chinese)
        self.assertIn("回答：oom-cudagraph（确定），第 9 行：捕获 CUDA graph 时显存不足", chinese)
        self.assertIn("回答：没有根因", chinese)


class Symptoms(unittest.TestCase):
    def test_a_pasted_line_finds_its_row_with_and_without_quotes(self):
        line = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`"
        quoted = run("explain", line)
        self.assertEqual(quoted, run("explain", *line.split()))
        self.assertEqual(quoted[0], 0)
        self.assertIn("SX3102", quoted[1])
        self.assertIn("权重、激活值", run("explain", "--lang", "zh", line)[1])

    def test_a_line_of_the_kernel_log_finds_its_xid(self):
        line = "[12345.6] NVRM: Xid (PCI:0000:3b:00): 31, pid=1814139, name=python, Ch 00000018"
        quoted = run("explain", line)
        self.assertEqual(quoted, run("explain", *line.split()))
        self.assertTrue(quoted[1].startswith("Xid 31\n"), quoted)

    def test_a_class_of_failures_without_a_rule_finds_what_one_sees(self):
        self.assertIn("CUDA graphs", run("explain", "oom-cudagraph")[1])

    def test_the_filter_narrows_the_list(self):
        everything = run("explain", "symptoms")[1].splitlines()
        some = run("explain", "symptoms", "hang")[1].splitlines()
        self.assertGreater(len(everything), 45)
        self.assertLess(0, len(some))
        self.assertLess(len(some), len(everything))
        self.assertEqual(len(run("explain", "--lang", "zh", "symptoms", "卡住")[1]) > 0, True)

    def test_claims_too(self):
        code, out, _ = run("explain", "claims", "NCCL_P2P_LEVEL")
        self.assertEqual(code, 0)
        self.assertIn("loc-keeps-p2p", out)
        self.assertIn("直连", run("explain", "--lang", "zh", "claims", "直连")[1])


class Unknown(unittest.TestCase):
    def test_the_nearest_name_is_said(self):
        for word, near in (("--max-model-lne", "--max-model-len"), ("symptom", "symptoms"), ("NCCL_P2P_LEVL", "NCCL_P2P_LEVEL"),
                           ("loc-keeps-pp", "loc-keeps-p2p")):
            with self.subTest(word=word):
                code, out, err = run("explain", word)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(near, err)

    def test_a_filter_that_nothing_is_about(self):
        for words in (("symptoms", "qqqq"), ("claims", "qqqq")):
            code, out, err = run("explain", *words)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("qqqq", err)
        self.assertRegex(run("explain", "--lang", "zh", "claims", "qqqq")[2], "[\u4e00-\u9fff]")

    def test_hostile_words_are_shown_harmlessly(self):
        for words in ((NASTY,), ("symptoms", NASTY), ("claims", NASTY), (NASTY, NASTY, NASTY), ("x" * 100000,), ("", ""),
                      ("symptoms", "*" * 5000)):
            with self.subTest(words=ascii(words)[:60]):
                code, out, err = run("explain", *words)
                self.assertEqual(code, 2)
                self.assertNotIn("\x1b", out + err)


if __name__ == "__main__":
    unittest.main()
