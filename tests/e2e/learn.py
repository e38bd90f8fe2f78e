#!/usr/bin/env python3
"""`sextant learn`: logs of every engine against the prediction, what is kept, and what later checks make of it."""
import gzip
import json
import pathlib
import shutil
import tempfile
import unittest

from terminal import run

GIB = 1 << 30
MACHINE = ("--on", "2xL40S")
LAUNCH = ("vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--gpu-memory-utilization", "0.85", "-tp", "2",
          "--max-model-len", "32768")
ECHO = ("(APIServer pid=1) INFO 11-20 10:00:00 [utils.py:253] non-default args: {'model_tag': "
        "'Qwen/Qwen2.5-7B-Instruct', 'model': 'Qwen/Qwen2.5-7B-Instruct', 'max_model_len': 32768, "
        "'tensor_parallel_size': 2, 'gpu_memory_utilization': 0.85, 'api_key': ['sk-very-secret'], 'port': 9001}\n")


def vllm_log(weights=7.21, kv=(27.90, 27.95), echo=ECHO):
    text = echo + ("(EngineCore_DP0 pid=80) INFO 11-20 10:00:10 [core.py:93] Initializing a V1 LLM engine (v0.23.0) "
                   "with config: model='Qwen/Qwen2.5-7B-Instruct'\n")
    for rank in (0, 1):
        worker = f"(Worker_TP{rank} pid={81 + rank}) INFO 11-20 10:01:00 "
        text += (f"{worker}[gpu_model_runner.py:4000] Model loading took {weights} GiB memory and 20.1 seconds\n"
                 f"{worker}[gpu_model_runner.py:5000] Estimated CUDA graph memory: 0.40 GiB total\n"
                 f"{worker}[gpu_worker.py:300] Available KV cache memory: {kv[rank]} GiB\n")
    return text + ("(EngineCore_DP0 pid=80) INFO [kv_cache_utils.py:1000] GPU KV cache size: 1,044,768 tokens\n"
                   "(EngineCore_DP0 pid=80) INFO [kv_cache_utils.py:1005] Maximum concurrency for 32,768 tokens per "
                   "request: 31.88x\n"
                   "(Worker_TP0 pid=81) INFO [gpu_model_runner.py:6000] Graph capturing finished in 12 secs, took "
                   "0.52 GiB\n")


class Kept(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.log = self.folder / "vllm.log"
        self.log.write_text(vllm_log())
        self.store = self.folder / "data" / "sextant" / "learned.jsonl"

    def sextant(self, *words, **more):
        return run(*words, XDG_DATA_HOME=str(self.folder / "data"), **more)

    def learn(self, *words, code=0, **more):
        got, out, err = self.sextant("learn", "--format", "json", *words, **more)
        self.assertEqual(got, code, out + err)
        return json.loads(out) if out else err

    def why(self, *words, command=LAUNCH):
        _, out, _ = self.sextant("check", "--why", "--format", "json", *MACHINE, "--engine-version", "0.23.0", *words,
                                 "--", *command)
        return json.loads(out)

    def test_each_line_beside_the_prediction(self):
        answer = self.learn(*MACHINE, str(self.log))
        self.assertEqual(answer["schema"], "sextant.learn/1")
        self.assertEqual(answer["engine"], {"name": "vllm", "version": "0.23.0"})
        self.assertEqual(answer["command_from"], "log")
        lines = {(line["gpu"], line["name"]): line for line in answer["lines"]}
        self.assertEqual(lines[0, "weights"]["real"], int(7.21 * GIB))
        self.assertAlmostEqual(lines[1, "kv_cache"]["real"] / GIB, 27.95, places=6)
        self.assertEqual(lines[1, "kv_cache"]["line"]["number"], 8)
        self.assertLess(abs(lines[0, "weights"]["over_percent"]), 3)
        self.assertEqual(answer["kv_tokens"]["real"], 1044768)
        self.assertLess(abs(answer["kv_tokens"]["over_percent"]), 5)
        self.assertEqual(answer["max_concurrency"]["real"], 31.88)
        self.assertEqual(answer["stored"], str(self.store))

    def test_no_secret_is_shown_or_kept(self):
        for words in ((), ("--format", "json")):
            _, out, err = self.sextant("learn", *words, *MACHINE, str(self.log))
            self.assertNotIn("sk-very-secret", out + err)
        self.assertNotIn("sk-very-secret", self.store.read_text())

    def test_the_next_check_of_the_same_launch_takes_it(self):
        before = self.why()
        self.learn(*MACHINE, str(self.log))
        after = self.why()
        lines = {line["name"]: line for line in after["budget"][0]["lines"]}
        self.assertEqual(lines["weights"]["origin"], "measured")
        self.assertEqual(lines["weights"]["bytes"], int(7.21 * GIB))
        self.assertIn("measured here", lines["weights"]["note"])
        self.assertEqual([gpu["kv_bytes"] for gpu in after["budget"]], [int(27.90 * GIB), int(27.95 * GIB)])
        self.assertNotEqual(before["kv_tokens"], after["kv_tokens"])
        for gpu in after["budget"]:
            self.assertEqual(sum(line["bytes"] for line in gpu["lines"]), gpu["capacity_bytes"])
        self.assertEqual(self.why("--no-learned")["budget"], before["budget"])

    def test_plan_takes_it_too(self):
        def best(*words):
            _, out, _ = self.sextant("plan", "Qwen/Qwen2.5-7B-Instruct", *MACHINE, "--engine-version", "0.23.0",
                                     "--format", "json", *words)
            return next(plan for plan in json.loads(out)["plans"] if plan["label"] == "TP2")
        before = best()
        command = before["commands"][0].split()
        self.learn(*MACHINE, "--engine-version", "0.23.0", str(self.log), "--", *command)
        origins = {line["name"]: line["origin"] for line in best()["budget"][0]["lines"]}
        self.assertEqual(origins["weights"], "measured")
        self.assertEqual(best("--no-learned")["budget"], before["budget"])

    def test_names_addresses_and_spellings_do_not_matter(self):
        self.learn(*MACHINE, str(self.log))
        command = ("vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--max-model-len=32768", "--tensor_parallel_size", "2",
                   "--gpu-memory-utilization=0.850", "--port", "1234", "--host", "127.0.0.1", "--served-model-name", "q")
        self.assertEqual(self.why(command=command)["budget"][0]["kv_bytes"], int(27.90 * GIB))

    def test_another_launch_is_not_touched(self):
        self.learn(*MACHINE, str(self.log))
        for more in (("--enforce-eager",), ("--max-num-seqs", "64"), ("--kv-cache-dtype", "fp8")):
            answer = self.why(command=LAUNCH + more)
            self.assertEqual(answer["budget"], self.why("--no-learned", command=LAUNCH + more)["budget"], more)

    def test_a_newer_log_takes_the_place_of_the_older(self):
        self.learn(*MACHINE, str(self.log))
        self.log.write_text(vllm_log(kv=(20.0, 20.0)))
        self.learn(*MACHINE, str(self.log))
        self.assertEqual(len(self.store.read_text().splitlines()), 1)
        self.assertEqual(self.why()["budget"][0]["kv_bytes"], 20 * GIB)

    def test_a_file_that_was_damaged_loses_nothing_and_stops_nothing(self):
        self.store.parent.mkdir(parents=True)
        self.store.write_text("{ half a line\n")
        self.assertIn("budget", self.why())
        self.learn(*MACHINE, str(self.log))
        self.assertTrue(self.store.read_text().startswith("{ half a line\n"))

    def test_a_store_that_cannot_be_written_is_said(self):
        (self.folder / "data").write_text("a file")
        answer = self.learn(*MACHINE, str(self.log))
        self.assertEqual(answer["stored"], "")
        self.assertTrue(answer["not_stored"])

    def test_no_save(self):
        self.assertEqual(self.learn("--no-save", *MACHINE, str(self.log))["stored"], "")
        self.assertFalse(self.store.exists())

    def test_the_launch_may_be_given(self):
        self.log.write_text(vllm_log(echo=""))
        answer = self.learn(*MACHINE, str(self.log))
        self.assertEqual((answer["command"], answer["stored"]), ("", ""))
        self.assertIn("--", answer["no_prediction"])
        answer = self.learn(*MACHINE, str(self.log), "--", *LAUNCH)
        self.assertEqual(answer["command_from"], "given")
        self.assertEqual(self.why()["budget"][1]["kv_bytes"], int(27.95 * GIB))

    def test_several_logs_and_standard_input_are_one_run(self):
        head, tail = vllm_log().split("(EngineCore_DP0", 1)
        self.log.write_text(head)
        answer = self.learn(*MACHINE, str(self.log), "-", stdin=("(EngineCore_DP0" + tail).encode())
        self.assertEqual(answer["command_from"], "log")
        self.assertEqual(answer["lines"][0]["line"]["file"], "-")

    def test_sglang_and_llama(self):
        (self.folder / "sglang.log").write_text(
            "[2025-11-30 10:00:00] server_args=ServerArgs(model_path='Qwen/Qwen3-8B', tp_size=2, mem_fraction_static=0.8)\n"
            "[2025-11-30 10:00:20 TP0] Load weight end. type=Qwen3ForCausalLM, avail mem=36 GB, mem usage=7.70 GB.\n"
            "[2025-11-30 10:00:20 TP1] Load weight end. type=Qwen3ForCausalLM, avail mem=36 GB, mem usage=7.70 GB.\n"
            "[2025-11-30 10:00:21 TP0] KV Cache is allocated. #tokens: 390000, K size: 13.40 GB, V size: 13.40 GB\n"
            "[2025-11-30 10:00:41 TP0] max_total_num_tokens=390000, chunked_prefill_size=8192, context_len=40960\n")
        answer = self.learn(*MACHINE, str(self.folder / "sglang.log"))
        lines = {(line["gpu"], line["name"]): line for line in answer["lines"]}
        self.assertEqual(answer["engine"]["name"], "sglang")
        self.assertEqual(lines[0, "kv_cache"]["real"], int(26.8 * GIB))
        self.assertIsNotNone(lines[1, "weights"]["predicted"])
        (self.folder / "llama.log").write_text(
            "load_tensors:   CPU_Mapped model buffer size =   292.36 MiB\n"
            "load_tensors:        CUDA0 model buffer size =  3850.10 MiB\n"
            "llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB\n"
            "sched_reserve:      CUDA0 compute buffer size =   304.50 MiB\n")
        answer = self.learn("--no-save", str(self.folder / "llama.log"))
        self.assertEqual([(line["gpu"], line["name"], line["real"]) for line in answer["lines"]],
                         [(0, "weights", int(3850.10 * (1 << 20))), (0, "activations", int(304.5 * (1 << 20))),
                          (0, "kv_cache", 512 << 20)])

    def test_what_cannot_be_done(self):
        empty = self.folder / "empty.log"
        empty.write_text("hello\n")
        for words, part in (((), "no log"), ((str(empty),), "no memory lines"),
                            ((str(self.folder / "none"),), "no such file"), (("/dev/zero",), "a device without end")):
            code, out, err = self.sextant("learn", *words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(part, err)

    def test_logs_of_any_length_and_encoding(self):
        # A server that ran for weeks and was started again at the end; as PowerShell writes it; packed, and cut short.
        chatter = "(APIServer pid=1) INFO 11-20 11:00:00 [loggers.py:1] Avg prompt throughput: 1.0 tokens/s\n" * 1000
        with self.log.open("w") as log:
            log.write(vllm_log(weights=9.99))
            for _ in range(900):
                log.write(chatter)
            log.write(vllm_log())
        self.assertGreater(self.log.stat().st_size, 70 << 20)
        answer = self.learn("--no-save", *MACHINE, str(self.log))
        lines = {(line["gpu"], line["name"]): line for line in answer["lines"]}
        self.assertEqual(lines[0, "weights"]["real"], int(7.21 * GIB))
        self.assertEqual((answer["starts"], lines[0, "weights"]["line"]["number"]), (2, 900_014))
        plain = vllm_log()
        for name, data in (("utf16le.log", b"\xff\xfe" + plain.encode("utf-16-le")),
                           ("utf16be.log", b"\xfe\xff" + plain.encode("utf-16-be")),
                           ("bom.log", b"\xef\xbb\xbf" + plain.encode()), ("log.gz", gzip.compress(plain.encode()))):
            (self.folder / name).write_bytes(data)
            answer = self.learn("--no-save", *MACHINE, str(self.folder / name))
            self.assertEqual(answer["lines"][0]["real"], int(7.21 * GIB), name)
            self.assertEqual((answer["command_from"], answer["damaged"]), ("log", []), name)
        cut = self.folder / "cut.gz"
        cut.write_bytes(gzip.compress((plain + chatter).encode())[:-9])
        self.assertEqual(self.learn("--no-save", *MACHINE, str(cut))["damaged"], [str(cut)])
        for language, words in (("en", "end too early"), ("zh", "提前结束")):
            _, out, _ = self.sextant("learn", "--lang", language, "--no-save", *MACHINE, str(cut))
            self.assertIn(words, out)

    def test_in_chinese(self):
        code, out, _ = self.sextant("learn", "--lang", "zh", "--no-save", *MACHINE, str(self.log))
        self.assertEqual(code, 0)
        self.assertIn("权重", out)
        self.assertIn("预测", out)


if __name__ == "__main__":
    unittest.main()
