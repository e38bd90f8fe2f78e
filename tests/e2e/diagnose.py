"""`sextant diagnose` as people use it: recorded logs of a real vLLM on CPU, pipes, several files,
both languages, the JSON contract, refusals."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SEXTANT = os.environ["SEXTANT"]
LOGS = pathlib.Path(__file__).resolve().parent.parent / "logs"
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 79.15 GiB of which 1.00 GiB is free.\n"
HEADS = "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).\n"
COMMAND = ["vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--tensor-parallel-size", "8"]


def run(*words, text=None):
    done = subprocess.run([SEXTANT, "diagnose", *map(str, words)], capture_output=True, text=True,
                          input=text, timeout=60)
    return done.returncode, done.stdout, done.stderr


def answer(*words, text=None):
    code, out, err = run("--format", "json", *words, text=text)
    assert code in (0, 1), err
    return json.loads(out)


class Recorded(unittest.TestCase):
    def test_each_recorded_log_gives_its_cause_at_its_line(self):
        with open(LOGS / "expected.tsv") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        self.assertGreater(len(rows), 30)
        for row in rows:
            with self.subTest(row["file"]):
                found = answer(LOGS / row["file"])["causes"]
                if row["cause"] == "-":
                    self.assertEqual(found, [])
                    continue
                self.assertEqual(found[0]["name"], row["cause"])
                self.assertIn(str(found[0]["line"]["number"]), row["lines"].split(","))

    def test_a_pipe_says_the_same_as_the_file(self):
        path = LOGS / "kv_gt_ram.log"
        done = subprocess.run([SEXTANT, "diagnose", "--format", "json", "-"], capture_output=True,
                              input=path.read_bytes(), timeout=60)
        whole, piped = answer(path), json.loads(done.stdout)
        self.assertEqual(whole["causes"][0]["line"]["number"], piped["causes"][0]["line"]["number"])
        self.assertEqual(whole["lines"], piped["lines"])


class Contract(unittest.TestCase):
    def test_the_document_has_what_the_contract_names(self):
        said = answer("-", text=OOM)
        self.assertEqual(said["schema"], "sextant.diagnose/1")
        for key in ("engine", "phase", "causes", "healthy", "timeline", "lines", "bytes"):
            self.assertIn(key, said)
        cause = said["causes"][0]
        for key in ("code", "name", "confidence", "title", "because", "otherwise", "line", "evidence",
                    "echoes", "facts", "fixes"):
            self.assertIn(key, cause)
        for key in ("file", "number", "column", "text", "process", "rank"):
            self.assertIn(key, cause["line"])
        self.assertEqual(cause["facts"]["asked"], 2.0)
        self.assertEqual(said["bytes"], len(OOM))

    def test_exit_codes(self):
        self.assertEqual(run("-", text=OOM)[0], 1)
        code, out, _ = run("-", text="nothing here\n")
        self.assertEqual(code, 0)
        self.assertIn("nothing here", out)  # it says where the log stops
        self.assertEqual(run("/no/such/file.log")[0], 2)
        self.assertEqual(run()[0], 2)
        self.assertEqual(run(tempfile.gettempdir())[0], 2)

    def test_no_cause_says_where_it_stopped(self):
        said = answer("-", text="INFO 11-29 18:12:29 [x.py:1] Starting to load model x...\nlast words\n")
        self.assertEqual(said["causes"], [])
        self.assertEqual(said["phase"], "load")
        self.assertEqual(said["last_event"]["text"], "last words")
        self.assertFalse(said["healthy"])

    def test_several_files_are_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            engine, kernel = pathlib.Path(folder, "engine.log"), pathlib.Path(folder, "kernel.log")
            engine.write_text("TimeoutError: RPC call to execute_model timed out.\n")
            kernel.write_text("[ 10.123456] NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.\n")
            cause = answer(engine, kernel)["causes"][0]
            self.assertEqual(cause["name"], "gpu-fallen-off-bus")
            self.assertTrue(cause["line"]["file"].endswith("kernel.log"))


class Words(unittest.TestCase):
    def test_both_languages(self):
        english, chinese = run("-", text=HEADS)[1], run("--lang", "zh", "-", text=HEADS)[1]
        self.assertIn("cause[SX2103]: 28 attention heads cannot be split over 8 GPUs", english)
        self.assertIn("根因[SX2103]: 28 个注意力头无法平均分到 8 张 GPU", chinese)
        self.assertIn("^^^^", english)

    def test_a_rule_and_its_cause_share_code_and_page(self):
        code = answer("-", text=HEADS)["causes"][0]["code"]
        page = subprocess.run([SEXTANT, "explain", code], capture_output=True, text=True).stdout
        self.assertIn("tp-heads-indivisible", page)

    def test_each_code_of_the_logs_has_its_page(self):
        rows = subprocess.run([SEXTANT, "explain", "causes"], capture_output=True, text=True).stdout
        self.assertGreater(len(rows.splitlines()), 150)
        for language in ("en", "zh"):
            page = subprocess.run([SEXTANT, "explain", "--lang", language, "SX7104"],
                                  capture_output=True, text=True).stdout
            self.assertIn("oom-cudagraph", page)


class Fixes(unittest.TestCase):
    def test_with_the_command_the_fix_is_a_command(self):
        fixes = answer("-", "--", *COMMAND, text=HEADS)["causes"][0]["fixes"]
        self.assertIn("--tensor-parallel-size 4", fixes[0]["command"])

    def test_the_log_itself_tells_the_command(self):
        dump = "INFO 11-29 18:12:29 [utils.py:1] non-default args: {'model_tag': 'Qwen/Qwen2.5-7B-Instruct', 'model': 'Qwen/Qwen2.5-7B-Instruct', 'tensor_parallel_size': 8}\n"
        fixes = answer("-", text=dump + HEADS)["causes"][0]["fixes"]
        self.assertIn("vllm serve Qwen/Qwen2.5-7B-Instruct", fixes[0]["command"] or "")

    def test_without_a_command_the_fix_is_said(self):
        fixes = answer("-", text=HEADS)["causes"][0]["fixes"]
        self.assertIsNone(fixes[0]["command"])
        self.assertTrue(fixes[0]["title"])

    CAPTURE = "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 1.16 GiB.\n"
    SGLANG = ["python3", "-m", "sglang.launch_server", "--model-path", "Qwen/Qwen3-8B"]

    def test_what_ran_out_of_memory_is_never_given_more(self):
        fixes = answer("-", "--", *self.SGLANG, "--mem-fraction-static", "0.7", text=self.CAPTURE)["causes"][0]["fixes"]
        self.assertIn("--mem-fraction-static 0.65", fixes[0]["command"])

    def test_a_title_names_the_flag_that_its_command_has(self):
        fixes = answer("-", "--", *self.SGLANG, text=self.CAPTURE)["causes"][0]["fixes"]
        self.assertIn("--disable-cuda-graph", fixes[1]["title"])
        self.assertIn("--disable-cuda-graph", fixes[1]["command"])

    def test_a_misspelt_flag_has_the_fix_that_check_has(self):
        said = "vllm: error: unrecognized arguments: --tensor-paralel-size 2\n"
        fixes = answer("-", "--", "vllm", "serve", "Qwen/Qwen3-8B", "--tensor-paralel-size", "2", text=said)["causes"][0]["fixes"]
        self.assertEqual(fixes[0]["command"], "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2")

    def test_the_length_that_the_engine_names_is_proposed(self):
        said = ("ValueError: To serve at least one request with the models's max seq len (40960), (7.50 GiB KV cache is needed, which is larger "
                "than the available KV cache memory (2.50 GiB). Based on the available memory, the estimated maximum model length is 13648. Try\n")
        fixes = answer("-", "--", "vllm", "serve", "Qwen/Qwen2.5-14B-Instruct", "--max-model-len", "40960", text=said)["causes"][0]["fixes"]
        self.assertIn("--max-model-len 13648", fixes[0]["command"])


class OnlyTheEnd(unittest.TestCase):
    WRAPPER = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"

    def test_a_log_that_only_passes_a_failure_on_says_so_and_what_to_bring(self):
        for language, word in (("en", "the log says that the engine failed, not why"), ("zh", "日志只说引擎失败了")):
            code, out, _ = run("--lang", language, "-", text=self.WRAPPER)
            self.assertEqual(code, 0)
            self.assertIn(word, out)
            self.assertIn("docker logs CONTAINER > serve.log 2>&1", out)
        self.assertEqual(answer("-", text=self.WRAPPER)["engine"]["name"], "vllm")

    def test_the_phase_is_said_in_the_reader_s_language_where_it_is_known(self):
        start = "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\nStarting to load model x...\n"
        for text, english, chinese in ((start, "it stopped here (phase: load):\n", "日志停在这里（阶段：加载）：\n"),
                                       ("dear all\nit does not work\n", "it stopped here:\n", "日志停在这里：\n")):
            self.assertIn(english, run("-", text=text)[1])
            self.assertIn(chinese, run("--lang", "zh", "-", text=text)[1])

    def test_a_text_that_is_no_log_asks_for_nothing(self):
        self.assertNotIn("docker", run("-", text="dear all\nit does not work\n")[1])


class Pipe(unittest.TestCase):
    LINE = b'(APIServer pid=31252) INFO:     10.0.3.17:41022 - "POST /v1/completions HTTP/1.1" 200 OK\n'

    def resident(self, megabytes):
        """Most memory in MB that so much through a pipe took, and what was said."""
        block = self.LINE * (1_000_000 // len(self.LINE))
        environment = dict(os.environ, ASAN_OPTIONS="quarantine_size_mb=1:" + os.environ.get("ASAN_OPTIONS", ""))
        with subprocess.Popen([SEXTANT, "diagnose", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as child:
            for number in range(megabytes):
                child.stdin.write(block)
                if number == megabytes // 2:
                    child.stdin.write(OOM.encode())
            child.stdin.close()
            said = child.stdout.read().decode()
            _, _, usage = os.wait4(child.pid, 0)
            child.returncode = 0
        return usage.ru_maxrss / 1024, said

    def test_memory_does_not_grow_with_what_comes(self):
        small, _ = self.resident(10)
        large, said = self.resident(200)
        self.assertIn("CUDA out of memory", said)
        self.assertLess(large - small, 16)


class Engine(unittest.TestCase):
    def test_whose_log_it_is_may_be_said(self):
        start = "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\n"
        self.assertEqual(answer("-", text=start)["engine"], {"name": "vllm", "version": "0.9.1"})
        self.assertEqual(answer("--engine", "any", "-", text=start)["engine"]["name"], "vllm")
        self.assertEqual(answer("--engine", "sglang", "-", text=start)["engine"], {"name": "sglang", "version": ""})


class Several(unittest.TestCase):
    def test_what_is_independent_is_said_beside_the_answer(self):
        log = ("(EngineCore_DP0 pid=9) ERROR 11-29 18:12:29 [core.py:1] ValueError: No available memory for the cache blocks. "
               "Try increasing `gpu_memory_utilization`\n"
               "(EngineCore_DP1 pid=10) ERROR 11-29 18:12:40 [core.py:1] OSError: [Errno 28] No space left on device: '/cache/x'\n")
        english, chinese = run("-", text=log)[1], run("--lang", "zh", "-", text=log)[1]
        self.assertEqual(english.count("cause["), 2)
        self.assertIn("beside that, and not because of it:", english)
        self.assertEqual(chinese.count("根因["), 2)

    def test_an_earlier_start_is_said_to_be_one(self):
        start = "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\nStarting to load model x...\n"
        log = start + OOM + start + "OSError: [Errno 98] Address already in use\n"
        english, chinese = run("-", text=log)[1], run("--lang", "zh", "-", text=log)[1]
        self.assertLess(english.index("Address already"), english.index("an earlier start in the same log"))
        self.assertIn("更早的一次启动", chinese)


class Nothing(unittest.TestCase):
    START = ("INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\n"
             "INFO 11-29 18:12:30 [pynccl.py:1] vLLM is using nccl==2.21.5\n")

    def test_where_it_stopped_what_comes_next_what_to_collect(self):
        code, english, _ = run("-", "--", *COMMAND, text=self.START)
        self.assertEqual(code, 0)
        for words in ("phase: dist", "the ranks were joining", "Starting to load model", "sextant diagnose --pid PID",
                      "NCCL_DEBUG=INFO vllm serve", "--tensor-parallel-size 8"):
            self.assertIn(words, english)
        chinese = run("--lang", "zh", "-", "--", *COMMAND, text=self.START)[1]
        for words in ("各 rank 正在互相连接", "要进一步定位", "NCCL_DEBUG=INFO vllm serve"):
            self.assertIn(words, chinese)

    def test_the_log_may_tell_the_command(self):
        dump = "INFO 11-29 18:12:29 [utils.py:1] non-default args: {'model': 'Qwen/Qwen2.5-7B-Instruct', 'tensor_parallel_size': 4}\n"
        said = answer("-", text=self.START.replace("INFO 11-29 18:12:30", dump + "INFO 11-29 18:12:30"))
        self.assertIn("NCCL_DEBUG=INFO vllm serve Qwen/Qwen2.5-7B-Instruct", said["next"]["again"])

    def test_a_healthy_log_and_one_of_nobody_are_not_asked_for_more(self):
        self.assertNotIn("next", answer("-", text=self.START + "INFO:     Application startup complete.\n"))
        self.assertNotIn("next", answer("-", text="words\n"))


class Hostile(unittest.TestCase):
    def test_bytes_of_any_kind(self):
        with tempfile.NamedTemporaryFile() as file:
            for data in (b"", b"\0" * 100000, bytes(range(256)) * 400, b"\x1b[" * 50000, b"\r" * 100000,
                         b"Error: " * 30000, b"{\"log\":\"" * 10000):
                file.seek(0)
                file.truncate()
                file.write(data)
                file.flush()
                code, out, err = run(file.name)
                self.assertIn(code, (0, 1), err)
                self.assertNotIn("\x1b", out)
                json.loads(run("--format", "json", file.name)[1])


if __name__ == "__main__":
    unittest.main()
