#!/usr/bin/env python3
"""`sextant bench serve` against engines whose times are known: counts, order and sense, never a figure of its own."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.request

from deployments import FAKE_ENGINE, HOST, KEPT, SEXTANT, free_ports, listens, wait_for
from terminal import in_terminal, run

SCHEMA = pathlib.Path(__file__).parent / "schemas/sextant.bench-1.json"


class Engine:
    """One fake engine by itself."""

    def __init__(self, plan="slow=5ms", name="vllm"):
        self.above = pathlib.Path(tempfile.mkdtemp(prefix="sx"))
        program = self.above / name
        program.symlink_to(os.path.abspath(FAKE_ENGINE))
        self.port = free_ports(1)[0]
        environment = {"PATH": os.environ["PATH"], "FAKE_ENGINE_PLAN": plan, "FAKE_ENGINE_STAGE_MS": "1"}
        words = {"vllm": ["serve", "tiny", "--served-model-name", "tiny"], "llama-server": ["-m", "tiny", "--metrics"]}[name]
        self.process = subprocess.Popen([str(program), *words, "--host", HOST, "--port", str(self.port)], cwd=self.above,
                                        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        assert wait_for(lambda: listens(self.port)), "the fake engine does not listen"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(20)
        shutil.rmtree(self.above, ignore_errors=True)

    def works(self):
        with urllib.request.urlopen(f"http://{HOST}:{self.port}/metrics", timeout=20) as page:
            return re.search(r"num_requests_running\S* [1-9]", page.read().decode())

    def bench(self, *words, users=4, seconds=2, output=8):
        return run("bench", "serve", "--url", f"http://{HOST}:{self.port}", "--users", str(users), "--seconds", str(seconds),
                   "--warm-up", "1", "--output-tokens", str(output), "--prompt-tokens", "16", *words)

    def result(self, *words, **more):
        code, out, err = self.bench("--format", "json", *words, **more)
        assert code == 0, err
        return json.loads(out)


class Measures(unittest.TestCase):
    def test_counts_and_percentiles(self):
        with Engine() as engine:
            result = engine.result(users=4, output=8)
            self.assertEqual(result["schema"], "sextant.bench/1")
            self.assertEqual(result["model"], "tiny")   # as the server says
            self.assertEqual(result["load"]["users"], 4)
            requests = result["requests"]
            self.assertGreater(requests["measured"], 8)
            self.assertGreater(requests["warm_up"], 0)
            self.assertEqual(requests["failed"], 0)
            self.assertEqual(result["failures"], [])
            self.assertEqual(result["tokens"]["output_mean"], 8)
            for name in ("ttft_ms", "tpot_ms", "latency_ms"):
                figure = result[name]
                self.assertTrue(0 < figure["p50"] <= figure["p90"] <= figure["p99"], figure)
                self.assertEqual(len(figure["slices"]), 5)
            # Of eight tokens in five milliseconds each at least: it cannot be less.
            self.assertGreaterEqual(result["tpot_ms"]["p50"], 4.5)
            self.assertGreaterEqual(result["latency_ms"]["p50"], 7 * 4.5)
            self.assertGreater(result["output_tok_s"]["mean"], 0)

    def test_a_slower_engine_reads_slower_and_is_called_worse(self):
        with tempfile.TemporaryDirectory() as folder:
            fast, slow = os.path.join(folder, "fast.json"), os.path.join(folder, "slow.json")
            with Engine("slow=4ms") as engine:
                code, out, err = engine.bench("--save", fast, seconds=3)
                self.assertEqual(code, 0, err)
                self.assertIn("Written to", out)
                first = json.loads(pathlib.Path(fast).read_text())
                _, same, _ = engine.bench("--compare", fast, seconds=3)
                self.assertIn("before", same)
            with Engine("slow=40ms") as engine:
                code, out, err = engine.bench("--compare", fast, "--save", slow, seconds=3)
                self.assertEqual(code, 0, err)
                self.assertGreaterEqual(out.count("worse"), 3)
                second = json.loads(pathlib.Path(slow).read_text())
            # Ten times as slow; what a busy machine adds to each token, it adds to both.
            self.assertGreater(second["tpot_ms"]["p50"], 2 * first["tpot_ms"]["p50"])
            self.assertLess(second["output_tok_s"]["mean"], first["output_tok_s"]["mean"])

    def test_other_conditions_are_said(self):
        with Engine() as engine, tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "old.json")
            self.assertEqual(engine.bench("--save", file, users=2)[0], 0)
            _, out, _ = engine.bench("--compare", file, users=4)
            self.assertIn("measured under other conditions: users: 2, now 4", out)
            _, out, _ = engine.bench("--compare", file, "--lang", "zh", users=4)
            self.assertIn("两次测量的条件不同：并发用户：此前 2，现在 4", out)

    def test_failures_are_counted_by_kind(self):
        with Engine("busy=429") as engine:
            code, out, err = engine.bench("--model", "tiny", "--format", "json")
            self.assertEqual(code, 1)
            result = json.loads(out)
            self.assertEqual(result["requests"]["measured"], 0)
            self.assertEqual([one["what"] for one in result["failures"]], ["status 429"])
            self.assertEqual(result["failures"][0]["count"], result["requests"]["failed"])
            self.assertIsNone(result["ttft_ms"]["p50"])
            self.assertIn("no request was answered", err)
            self.assertIn("the first of these answers says: queue is full\n", engine.bench("--model", "tiny", seconds=1)[1])
        for kind, what in (("error", "error in the stream"), ("no-done", "the stream was cut")):
            with Engine(f"bad-sse={kind}; slow=5ms") as engine:
                _, out, _ = engine.bench("--model", "tiny", "--format", "json")
                self.assertIn(what, [one["what"] for one in json.loads(out)["failures"]], kind)

    def test_many_users_each_get_their_answers(self):
        with Engine("slow=20ms") as engine:
            result = engine.result(users=100, seconds=3, output=4)
            self.assertEqual(result["requests"]["failed"], 0)
            self.assertGreaterEqual(result["requests"]["measured"], 100)


class Words(unittest.TestCase):
    def test_what_cannot_be_measured_is_named(self):
        port = free_ports(1)[0]
        for words, code, said in (
                (("bench",), 2, "bench serve"),
                (("bench", "serve"), 4, "there is no deployment default; --url measures another address"),
                (("bench", "serve", "--url", f"https://{HOST}:{port}"), 2, "nobody listens"),
                (("bench", "serve", "--url", f"https://{HOST}:{port}", "--ca", "/nonexistent.pem"), 2, "/nonexistent.pem"),
                (("bench", "serve", "--url", "x:1"), 2, "http://HOST:PORT"),
                (("bench", "serve", "--url", f"http://[::1]:{port}"), 2, f"nobody listens at [::1]:{port}"),
                (("bench", "serve", "--url", f"http://{HOST}:{port}"), 2, "nobody listens"),
                (("bench", "serve", "--url", f"http://{HOST}:{port}", "--users", "0"), 2, "--users takes a whole number"),
                (("bench", "serve", "--url", f"http://{HOST}:{port}", "--compare", "/nonexistent.json"), 2, "/nonexistent.json")):
            got, out, err = run(*words, SEXTANT_STATE="/tmp/sextant-nothing-here")
            self.assertEqual((got, out), (code, ""), (words, err))
            self.assertIn(said, err)

    def test_a_terminal_sees_how_far_it_is_and_a_pipe_does_not(self):
        with Engine() as engine:
            words = ("bench", "serve", "--url", f"http://{HOST}:{engine.port}", "--users", "2", "--seconds", "2", "--warm-up", "1",
                     "--output-tokens", "4")
            code, out = in_terminal(*words, columns=100)
            self.assertEqual(code, 0)
            self.assertIn("warm-up, ", out)
            self.assertIn("of 2 s, ", out)
            self.assertIn("first token, ms", out)
            _, _, err = run(*words)
            self.assertEqual(err, "")

    def test_an_interrupt_ends_it_without_a_result(self):
        with Engine() as engine:
            environment = {name: os.environ[name] for name in KEPT if name in os.environ}
            process = subprocess.Popen([SEXTANT, "bench", "serve", "--url", f"http://{HOST}:{engine.port}", "--seconds", "600"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment)
            self.assertTrue(wait_for(engine.works), "it asks for nothing")  # before that it may not hear the signal yet
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=30)
            self.assertEqual((process.returncode, out), (130, b""))

    def test_the_result_is_as_the_schema_says(self):
        with Engine() as engine:
            result = engine.result(users=2)
        schema = json.loads(SCHEMA.read_text())
        self.assertEqual(faults(schema, result), [])
        self.assertNotEqual(faults(schema, {**result, "users": "x", "load": {}}), [])


def faults(schema, value, at="$"):
    """The few words of JSON schema that ours uses."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}
    wanted = schema.get("type", [])
    wanted = wanted if isinstance(wanted, list) else [wanted]
    if wanted and not any(isinstance(value, kinds[kind]) and not isinstance(value, bool) for kind in wanted):
        return [f"{at} is no {wanted}"]
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{at} is not {schema['const']}")
    if isinstance(value, dict):
        found += [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
        for name, one in value.items():
            if name in schema.get("properties", {}):
                found += faults(schema["properties"][name], one, f"{at}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{at}.{name} is not known")
    if isinstance(value, list) and "items" in schema:
        for index, one in enumerate(value):
            found += faults(schema["items"], one, f"{at}[{index}]")
    return found


if __name__ == "__main__":
    unittest.main()
