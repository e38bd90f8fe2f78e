#!/usr/bin/env python3
"""`sextant plan` of models of unlike parts: a diffusion pipeline's folder, a vision tower, layers over cards."""
import json
import pathlib
import re
import shutil
import struct
import tempfile
import unittest

from terminal import run


def weights(path, count):
    """A safetensors file of so many bytes, nearly all of them a hole."""
    header = json.dumps({"w": {"dtype": "BF16", "shape": [count // 2], "data_offsets": [0, count]}}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + count)


class Pipeline(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        parts = {"scheduler": 0, "text_encoder": 9 << 30, "transformer": 12 << 30, "vae": 160 << 20}
        (self.folder / "model_index.json").write_text(json.dumps(
            {"_class_name": "FluxPipeline", **{name: ["diffusers", "Made"] for name in parts}}))
        for name, size in parts.items():
            (self.folder / name).mkdir()
            if size:
                weights(self.folder / name / "model.safetensors", size)
        (self.folder / "transformer" / "config.json").write_text(json.dumps({"num_attention_heads": 24}))

    def plan(self, machine, *words):
        code, out, err = run("plan", str(self.folder), "--on", machine, *words)
        return code, out, err

    def test_a_card_that_holds_it_is_a_replica(self):
        code, out, err = self.plan("4xRTX-3090", "--format", "json")
        self.assertEqual(code, 0, err)
        answer = json.loads(out)
        self.assertEqual(answer["schema"], "sextant.plan/1")
        best = answer["plans"][0]
        self.assertEqual(best["layout"]["replicas"], 4)
        self.assertEqual(best["gpus"], [[0], [1], [2], [3]])
        for gpu in best["budget"]:
            self.assertEqual(sum(line["bytes"] for line in gpu["lines"]), gpu["capacity_bytes"])
        split = [plan for plan in answer["plans"] if plan["layout"]["sequence"] == 4]
        self.assertTrue(split)
        self.assertEqual({part["name"] for part in answer["parts"] if part["gpus"]},
                         {"text_encoder", "transformer", "vae"})

    def test_no_language_model_layouts_are_offered(self):
        for words in ((), ("--lang", "zh"), ("--format", "markdown")):
            code, out, _ = self.plan("4xRTX-3090", *words)
            self.assertEqual(code, 0)
            self.assertNotIn("TP", out)
            self.assertNotIn("tensor-parallel", out)
            self.assertIn("12.0 GiB", out)

    def test_components_are_placed_where_no_card_holds_all(self):
        code, out, _ = self.plan("2xA4000")
        self.assertEqual(code, 0, out)
        self.assertIn("transformer (12.0 GiB) on GPU", out)

    def test_nothing_fits(self):
        code, out, _ = self.plan("2xRTX-3080")
        self.assertEqual(code, 1, out)
        self.assertIn("the largest component, transformer, takes 12.0 GiB", out)

    def test_more_gpus_than_there_are(self):
        code, _, err = self.plan("2xRTX-3090", "--gpus", "3")
        self.assertEqual(code, 2)
        self.assertIn("--gpus", err)


class Vision(unittest.TestCase):
    def test_parts_say_where_the_tower_sits(self):
        code, out, err = run("plan", "Qwen/Qwen2.5-VL-72B-Instruct", "--on", "8xA100-SXM-80GB", "--format", "json",
                             "--all")
        self.assertEqual(code, 0, err)
        plans = {plan["label"]: plan for plan in json.loads(out)["plans"]}
        tower, language = plans["TP2 x PP3"]["parts"]
        self.assertEqual(tower["name"], "vision tower")
        self.assertEqual(tower["placement"], "split")
        self.assertEqual(len(tower["gpus"]), 2)
        self.assertEqual(len(language["gpus"]), 6)
        self.assertGreater(language["bytes_per_gpu"], tower["bytes_per_gpu"])

    def test_a_model_of_one_part_has_none(self):
        code, out, err = run("plan", "Qwen/Qwen2.5-72B-Instruct", "--on", "8xA100-SXM-80GB", "--format", "json")
        self.assertEqual(code, 0, err)
        for plan in json.loads(out)["plans"]:
            self.assertNotIn("parts", plan)


class AttentionByRequests(unittest.TestCase):
    def plans(self, *words):
        code, out, err = run("plan", "deepseek-ai/DeepSeek-V3", "--on", "8xH200", "--all", "--format", "json", *words)
        self.assertEqual(code, 0, err)
        return {plan["label"]: plan for plan in json.loads(out)["plans"]}

    def test_a_latent_cache_is_held_once(self):
        plans = self.plans("--engine", "sglang")
        plan, plain = plans["TP8 + DP attention"], plans["TP8"]
        self.assertIn("--attn-dp-size 8", plan["commands"][0])
        self.assertEqual(plan["layout"]["attention_dp"], 8)
        self.assertGreater(plan["kv_tokens"] * 8, plain["kv_tokens"] * 2)
        # Its parts were measured, its sum was not: bands are wider, and --why says so.
        self.assertEqual(plan["predicted"]["basis"], "measured constants of a related card")
        self.assertTrue([note for note in plan["predicted"]["notes"] if "8 groups" in note])
        self.assertGreater(plan["predicted_one_user"]["tpot_ms"]["mid"], plain["predicted_one_user"]["tpot_ms"]["mid"])

    def test_what_a_flag_says_of_all_groups_is_not_one_groups(self):
        """--max-running-requests and --chunked-prefill-size are shared out among the groups."""
        code, out, err = run("plan", "zai-org/GLM-5.2-FP8", "--on", "8xH200-SXM", "--engine", "sglang", "--all", "--users", "103",
                             "--input", "1000", "--output", "2000", "--format", "json")
        self.assertEqual(code, 0, err)
        plan = next(plan for plan in json.loads(out)["plans"] if plan["label"] == "TP8 + DP attention")
        self.assertEqual(plan["predicted"]["running"], 103)
        asked = re.search(r"--max-running-requests (\d+)", plan["commands"][0])
        self.assertEqual(int(asked[1]), plan["max_num_seqs"] * 8)

    def test_older_versions_say_it_with_a_switch(self):
        plan = self.plans("--engine", "sglang", "--engine-version", "0.5.10")["TP8 + DP attention"]
        self.assertIn("--dp-size 8 --enable-dp-attention", plan["commands"][0])

    def test_other_engines_have_no_such_layout(self):
        self.assertFalse([label for label in self.plans("--engine", "vllm") if "attention" in label])


class Out(unittest.TestCase):
    def test_alike_reasons_share_a_line_and_programs_get_all(self):
        words = ("plan", "Qwen/Qwen3-235B-A22B", "--on", "8xH100-SXM")
        _, text, _ = run(*words)
        self.assertEqual(text.count("SX2103"), 1)
        _, out, _ = run(*words, "--format", "json")
        heads = [one for one in json.loads(out)["rejected"] if one["code"] == "SX2103"]
        self.assertGreater(len(heads), 1)
        for one in heads[:4]:
            self.assertIn(one["label"], text)


if __name__ == "__main__":
    unittest.main()
