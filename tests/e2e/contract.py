#!/usr/bin/env python3
"""Answers for programs against the schemas of this folder: many inputs, every kind of outcome, every engine."""
import json
import pathlib
import shutil
import struct
import tempfile
import unittest

import jsonschema

from learn import vllm_log
from plan_parts import weights as hollow
from terminal import run

SCHEMAS = pathlib.Path(__file__).parent / "schemas"
QWEN = "Qwen/Qwen2.5-7B-Instruct"
MACHINES = ("8xH100-SXM", "6xA100-PCIE-40GB", "4xL40S", "2xH100-SXM+2xL40S", "1xT4", "8xV100-SXM2-32GB", "3xRTX4090", "2xH20")
COMMANDS = (
    f"vllm serve {QWEN}", f"vllm serve {QWEN} --tensor-parallel-size 8 --max-model-len 32768", "vllm serve no/such-model -tp 2",
    "vllm serve Qwen/Qwen2.5-72B-Instruct -tp 2 -pp 3 --max-model-len 32768 --no-such-flag 3",
    "vllm serve Qwen/Qwen3-30B-A3B --data-parallel-size 4 --enable-expert-parallel", f"vllm serve {QWEN} --host 0.0.0.0 --port 99999",
    "env VLLM_USE_V1=2 CUDA_VISIBLE_DEVICES=0,0 vllm serve deepseek-ai/DeepSeek-V3 -tp 16 --quantization awq",
    "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --enable-dp-attention --dp 8",
    "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp-size 3 --mem-fraction-static 0.99",
    "llama-server -hf Qwen/Qwen2.5-7B-Instruct-GGUF -ngl 99 -c 32768", "ollama serve", "vllm serve",
    f"vllm serve {QWEN} --max-model-len lots --gpu-memory-utilization 1.5", f"vllm serve {QWEN} --api-key sk-secret --trust-remote-code",
)
COMPOSE = f"""services:
  one:
    image: vllm/vllm-openai:v0.19.0
    command: --model {QWEN} --tensor-parallel-size 3
  two:
    image: lmsysorg/sglang:v0.5.6
    command: python3 -m sglang.launch_server --model-path {QWEN} --tp 2
"""
PLANS = (
    (QWEN, "--on", "1xL4"), (QWEN, "--on", "2xH100-SXM+2xL40S", "--all"), (QWEN, "--on", "1xT4", "--engine", "any"),
    ("Qwen/Qwen2.5-72B-Instruct", "--on", "6xA100-PCIE-40GB", "--users", "32", "--context", "32768"),
    ("Qwen/Qwen2.5-72B-Instruct", "--on", "6xA100-PCIE-40GB", "--all", "--goal", "context", "--engine", "any"),
    ("deepseek-ai/DeepSeek-V3", "--on", "8xH200-SXM", "--engine", "sglang", "--all"), ("deepseek-ai/DeepSeek-V3", "--on", "1xL4"),
    ("Qwen/Qwen3-30B-A3B", "--on", "8xH100-SXM", "--all", "--kv-dtype", "fp8"), ("Qwen/Qwen3-32B", "--on", "8xV100-SXM2-32GB", "--all"),
    ("Qwen/Qwen2.5-VL-7B-Instruct", "--on", "4xL40S", "--all"), ("openai/gpt-oss-120b", "--on", "2xH100-SXM", "--goal", "safest"),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "--on", "4xH100-SXM", "--goal", "latency"), (QWEN, "--on", "64xH100-SXM", "--users", "4000"),
    (QWEN, "--on", "2xL40S", "--free", "0=8GiB,1=44GiB", "--all"), ("google/gemma-3-27b-it", "--on", "3xRTX4090", "--all"),
    ("Qwen/Qwen2.5-72B-Instruct-AWQ", "--on", "8xL40S", "--goal", "throughput", "--why"),
)


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = {}
        for name in ("check", "plan", "inspect", "learn"):
            schema = json.loads((SCHEMAS / f"{name}-1.json").read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            cls.schemas[schema["$id"]] = jsonschema.Draft202012Validator(schema)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def holds(self, schema, *words, codes=(0, 1), **more):
        """The answer, which the schema takes; English whatever the language asked for."""
        at = words.index("--") if "--" in words else len(words)
        code, out, err = run(*words[:at], "--format", "json", "--lang", "zh", *words[at:],
                             XDG_DATA_HOME=str(self.folder / "data"), **more)
        self.assertIn(code, codes, (words, err))
        answer = json.loads(out)
        problems = [f"{error.json_path}: {error.message[:300]}" for error in self.schemas[schema].iter_errors(answer)]
        self.assertEqual(problems[:5], [], words)
        return answer

    def test_check(self):
        fixed = 0
        for machine in MACHINES[:4]:
            for command in COMMANDS:
                answer = self.holds("sextant.check/1", "check", "--why", "--on", machine, "--", *command.split())
                counts = [one["severity"] for one in answer["diagnostics"]]
                self.assertEqual([answer["summary"][key] for key in ("errors", "warnings", "advice")],
                                 [counts.count(word) for word in ("error", "warning", "advice")], command)
                self.assertEqual(answer["summary"]["not_checked"], len(answer["not_checked"]))
                texts = {source["id"]: source.get("text", "").encode() for source in answer["sources"]}
                for one in answer["diagnostics"]:
                    for label in one["labels"]:
                        self.assertIn(label["source"], texts)
                        self.assertLessEqual(label["begin"], label["end"])
                        if texts[label["source"]]:
                            self.assertLessEqual(label["end"], len(texts[label["source"]]))
                    self.assertLessEqual(sum(label["primary"] for label in one["labels"]), 1, one["code"])
                    fixed += bool(one["fixes"])
                for gpu in answer.get("budget", ()):
                    total = sum(line["bytes"] for line in gpu["lines"])
                    (self.assertEqual if gpu["kv_bytes"] else self.assertGreaterEqual)(total, gpu["capacity_bytes"], command)
                self.assertEqual("engine" in answer, len(answer["launches"]) == 1)
        file = self.folder / "compose.yaml"
        file.write_text(COMPOSE)
        answer = self.holds("sextant.check/1", "check", "--why", "--on", "4xL40S", "-f", str(file))
        self.assertEqual(len(answer["launches"]), 2)
        self.assertLessEqual({one["launch"] for one in answer["diagnostics"]}, {0, 1})
        self.assertNotIn("budget", answer)
        self.assertGreater(fixed, 20)

    def test_plan(self):
        seen = set()
        for words in PLANS:
            answer = self.holds("sextant.plan/1", "plan", *words)
            indices = {gpu["index"] for gpu in answer["machine"]["gpus"]}
            for plan in answer["plans"]:
                self.assertEqual(bool(plan["commands"]), plan["fits"], (words, plan["label"]))
                taken = [gpu for group in plan["gpus"] for gpu in group]
                self.assertEqual(len(taken), len(set(taken)), (words, plan["label"]))
                self.assertLessEqual(set(taken) | set(plan["idle"]), indices)
                if plan["fits"] and "predicted" in plan:
                    seen.add(plan["predicted"]["basis"])
                    for key in ("tpot_ms", "ttft_ms", "output_tok_s"):
                        band = plan["predicted"][key]
                        self.assertTrue(band["low"] <= band["mid"] <= band["high"], (words, plan["label"], key))
            self.assertEqual([plan["rank"] for plan in answer["plans"]], list(range(1, len(answer["plans"]) + 1)))
        self.assertEqual(len(seen), 3, seen)

    def test_plan_of_a_pipeline(self):
        folder = self.folder / "pictures"
        folder.mkdir()
        (folder / "model_index.json").write_text(json.dumps(
            {"_class_name": "FluxPipeline", "transformer": ["diffusers", "Made"], "vae": ["diffusers", "Made"]}))
        for name, size in (("transformer", 12 << 30), ("vae", 160 << 20)):
            (folder / name).mkdir()
            hollow(folder / name / "model.safetensors", size)
        for machine in ("4xRTX-3090", "1xT4", "2xH100-SXM"):
            answer = self.holds("sextant.plan/1", "plan", str(folder), "--on", machine)
            self.assertTrue(answer["plans"] or not answer["fits"], machine)

    def checkpoint(self, name, damage=lambda data: data):
        folder = self.folder / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({
            "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 128,
            "max_position_embeddings": 256, "torch_dtype": "bfloat16"}))
        header = json.dumps({"model.embed_tokens.weight": {"dtype": "BF16", "shape": [128, 64], "data_offsets": [0, 16384]}}).encode()
        (folder / "model.safetensors").write_bytes(damage(struct.pack("<Q", len(header)) + header + bytes(16384)))
        return str(folder)

    def test_inspect(self):
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 16384\n"
        states = set()
        for name, damage in (("whole", lambda data: data), ("short", lambda data: data[:-9]), ("pointer", lambda data: pointer),
                             ("page", lambda data: b"<html>no</html>"), ("empty", lambda data: b""), ("long", lambda data: data + b"xx")):
            for words in ((), ("--tp", "2"), ("--tp", "3", "--pp", "2"), ("--verify", "full")):
                folder = self.folder / name
                path = str(folder) if folder.exists() else self.checkpoint(name, damage)
                answer = self.holds("sextant.inspect/1", "inspect", path, *words)
                states |= {file["state"] for file in answer["files"]}
                self.assertEqual("per_rank" in answer, "--tp" in words, (name, words))
        self.assertLessEqual({"ok", "truncated", "pointer", "damaged"}, states)
        for model in (QWEN, "deepseek-ai/DeepSeek-V3", "openai/gpt-oss-120b", "Qwen/Qwen3-Next-80B-A3B-Instruct",
                      "google/gemma-3-27b-it"):
            answer = self.holds("sextant.inspect/1", "inspect", model, "--tp", "4", "--pp", "2")
            self.assertEqual([row["tp"] for row in answer["splits"]], list(range(1, 17)))

    def test_learn(self):
        log = self.folder / "vllm.log"
        for text, words in ((vllm_log(), ()), (vllm_log(echo=""), ()), (vllm_log(), ("--no-save",)),
                            (vllm_log(), ("--", "vllm", "serve", QWEN)), (vllm_log() * 2, ()),
                            ("load_tensors:        CUDA0 model buffer size =  3850.10 MiB\n", ())):
            log.write_text(text)
            answer = self.holds("sextant.learn/1", "learn", "--on", "2xL40S", str(log), *words, codes=(0,))
            self.assertTrue(answer["lines"])

    def test_an_answer_that_breaks_its_promise_is_seen(self):
        """The schemas are not empty: one change of each kind and they refuse."""
        answer = self.holds("sextant.plan/1", "plan", QWEN, "--on", "2xL40S")
        judge = self.schemas["sextant.plan/1"]
        for change in (lambda a: a.pop("search"), lambda a: a["plans"][0].pop("kv_tokens"),
                       lambda a: a["plans"][0]["budget"][0]["lines"][0].update(origin="guess"),
                       lambda a: a["plans"][0]["layout"].update(tp="2"), lambda a: a["plans"][0].update(fits=False),
                       lambda a: a["workload"].update(users=0), lambda a: a.update(schema="sextant.plan/2")):
            broken = json.loads(json.dumps(answer))
            change(broken)
            self.assertFalse(judge.is_valid(broken))


if __name__ == "__main__":
    unittest.main()
