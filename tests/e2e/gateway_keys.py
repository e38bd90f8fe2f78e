#!/usr/bin/env python3
"""Keys of the gateway, their limits, its numbers and its access log, through the built program."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import unittest

from gateway_parts import CHAT, DONE, SEXTANT, SSE_HEAD, Backend, Relay, answer, chunk, event, route, until
from prometheus_page import parse, total

SECRET = "a prompt that nobody may read"
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":7,"total_tokens":10,"completion_tokens":3}}\n\n'


def serves(connection, head, body):
    """An engine: models, a stream where one is asked for, else an answer with its usage."""
    if head.startswith(b"GET /v1/models"):
        return answer({"object": "list", "data": [{"id": "toy", "object": "model"}]})
    if head.startswith(b"GET "):
        return answer({}, "404 Not Found")
    asked = json.loads(body)
    if asked.get("stream"):
        return SSE_HEAD + b"".join(chunk(part) for part in (event("a"), event("b"), event("c"), USAGE, DONE)) + b"0\r\n\r\n"
    tokens = asked.get("tokens", 10)
    return answer({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": tokens - 3, "total_tokens": tokens, "completion_tokens": 3}})


def gates(gate):
    """The same, which answers requests with "wait" once the gate is open."""
    def behave(connection, head, body):
        if body and json.loads(body).get("wait"):
            gate.wait(60)  # as long as the test lasts
        return serves(connection, head, body)
    return behave


class Gateway(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", str(self.folder)], check=True))
        self.file = self.folder / "keys.json"
        self.said = []

    def keys(self, *words, code=0, language="en"):
        ran = subprocess.run([SEXTANT, "keys", *words, "--file", str(self.file), "--lang", language], capture_output=True, text=True, timeout=30)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran.stdout if code == 0 else ran.stderr

    def add(self, name, *limits):
        return self.keys("add", name, *limits).strip()

    def start(self, *arguments, behave=serves, environment=None, listen="127.0.0.1:0"):
        self.backend = Backend(behave)
        self.addCleanup(self.backend.kill)
        words = [SEXTANT, "gateway", "--listen", listen, "--backend", f"http://127.0.0.1:{self.backend.port}", "--lang", "en", *arguments]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})
        self.addCleanup(process.stdout.close)
        reader = threading.Thread(target=lambda: self.said.extend(process.stderr), daemon=True)
        reader.start()
        self.addCleanup(process.stderr.close)
        self.addCleanup(reader.join, 10)
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.kill)
        self.port = int(re.search(r":(\d+)/v1", process.stdout.readline()).group(1))
        self.process = process
        return process

    def ask(self, body=None, key=None, path=CHAT, method="POST", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            more = {"Content-Type": "application/json", **(headers or {})}
            if key:
                more["Authorization"] = "Bearer " + key
            connection.request(method, path, body and json.dumps(body), more)
            reply = connection.getresponse()
            return reply, reply.read()
        finally:
            connection.close()

    def status(self, key, **body):
        return self.ask({"model": "toy", **body}, key)[0].status

    def refused(self, status, code, *arguments, **more):
        reply, got = self.ask(*arguments, **more)
        error = json.loads(got)["error"]
        self.assertEqual((reply.status, error.get("code")), (status, code), error)
        self.assertTrue(any("\u4e00" <= letter <= "\u9fff" for letter in error["message_zh"]), error)
        return reply, error

    def numbers(self, key=None, open_metrics=False):
        accept = "application/openmetrics-text; version=1.0.0" if open_metrics else "text/plain"
        reply, page = self.ask(None, key, "/metrics", "GET", {"Accept": accept})
        self.assertEqual(reply.status, 200, page)
        return parse(page.decode(), open_metrics)


class Files(Gateway):
    def test_a_key_is_shown_once_and_only_its_digest_is_kept(self):
        key = self.add("alice", "--concurrency", "2", "--tokens-per-minute", "1000", "--body-mib", "3", "--priority", "5")
        self.assertRegex(key, r"^sk-sextant-[A-Za-z0-9_-]{43}$")
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertNotIn(key, self.file.read_text())
        self.assertNotEqual(self.add("bob"), key)
        listed = json.loads(self.keys("list", "--format", "json"))
        self.assertEqual([(one["name"], one["concurrency"], one["tokens_per_minute"], one["body_bytes"], one["priority"]) for one in listed["keys"]],
                         [("alice", 2, 1000, 3 << 20, 5), ("bob", None, None, None, 0)])
        self.keys("revoke", "alice")
        table = self.keys("list")
        self.assertRegex(table, r"alice.*T.*Z .*T.*Z\n")
        self.assertNotIn(key, table)
        self.add("alice")  # somebody else may have the name

    def test_what_cannot_be_done_is_said_in_both_languages(self):
        self.add("alice")
        for words, said in ((("add", "alice"), "has a key already"), (("add", "a b"), "no name of a key"), (("revoke", "carol"), f"no key in {self.file} has the name carol; `sextant keys list --file {self.file}` names them"),
                            (("add",), "add, list, revoke"), (("list", "x"), "add, list, revoke"), (("add", "d", "--concurrency", "0"), "from 1 to"),
                            (("add", "d", "--priority", "10"), "from 1 to 9")):
            self.assertIn(said, self.keys(*words, code=2))
            self.assertTrue(any("\u4e00" <= letter <= "\u9fff" for letter in self.keys(*words, code=2, language="zh")))
        self.file.chmod(0o644)
        self.assertIn("chmod 600", self.keys("add", "carol", code=2))
        self.file.chmod(0o600)
        self.file.write_text("{")
        self.assertIn(str(self.file), self.keys("list", code=2))
        self.assertEqual(self.file.read_text(), "{")

    def test_many_at_once_lose_nothing(self):
        ran = [subprocess.Popen([SEXTANT, "keys", "add", f"k{n}", "--file", str(self.file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for n in range(12)]
        self.assertEqual([one.wait(30) for one in ran], [0] * 12)
        self.assertEqual(len(json.loads(self.keys("list", "--format", "json"))["keys"]), 12)

    def test_a_gateway_does_not_start_with_keys_that_it_cannot_trust(self):
        for make in (lambda: None, lambda: self.file.write_text("{"), lambda: (self.file.unlink(), self.add("a"), self.file.chmod(0o604))):
            make()
            ran = subprocess.run([SEXTANT, "gateway", "--backend", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--keys", str(self.file)],
                                 capture_output=True, text=True, timeout=30)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(str(self.file), ran.stderr)

    def test_other_machines_are_let_in_with_keys_or_a_reason(self):
        words = [SEXTANT, "gateway", "--backend", "http://127.0.0.1:1", "--listen", "0.0.0.0:0"]
        for language, said in (("en", "no key is asked for"), ("zh", "这里不要求密钥")):
            ran = subprocess.run([*words, "--lang", language], capture_output=True, text=True, timeout=30)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(said, ran.stderr)
        self.start("--anyway", "behind a firewall", listen="0.0.0.0:0")
        until(lambda: any("behind a firewall" in line for line in self.said))
        self.assertEqual(self.status(None), 200)
        self.add("a")
        self.start("--keys", str(self.file), listen="0.0.0.0:0")
        self.assertEqual(self.status(None), 401)


class Admission(Gateway):
    def test_only_keys_of_the_file_get_in_and_none_goes_on_to_an_engine(self):
        key = self.add("alice")
        self.start("--keys", str(self.file), environment={"SEXTANT_BACKEND_KEY": "sk-engine"})
        self.assertEqual(self.status(key), 200)
        self.assertEqual(self.ask({"model": "toy"}, headers={"x-api-key": key})[0].status, 200)
        self.assertEqual(self.ask({"model": "toy"}, headers={"authorization": "bearer " + key})[0].status, 200)
        reply, error = self.refused(401, "missing_api_key", {"model": "toy"})
        self.assertEqual(reply.headers["WWW-Authenticate"], "Bearer")
        self.refused(401, "invalid_api_key", {"model": "toy"}, key + "x")
        self.refused(401, "invalid_api_key", {"model": "toy"}, "sk-sextant-" + "A" * 43)
        self.refused(401, "missing_api_key", {"model": "toy"}, headers={"Authorization": "Basic " + key})
        self.refused(401, "missing_api_key", path="/v1/models", method="GET")
        self.refused(401, "missing_api_key", path="/sleep")  # and nothing is told of what there is
        for path in ("/health", "/ready"):
            self.assertEqual(self.ask(None, path=path, method="GET")[0].status, 200)
        reply, got = self.ask({"model": "toy"}, path="/v1/messages")
        self.assertEqual((reply.status, json.loads(got)["error"]["type"]), (401, "authentication_error"))
        heads = [head for head, _ in self.backend.requests if head.startswith(b"POST")]
        self.assertEqual(len(heads), 3)
        for head in heads:
            self.assertIn(b"Authorization: Bearer sk-engine", head)
            self.assertNotIn(key.encode(), head)
            self.assertNotIn(b"x-api-key", head.lower())

    def test_without_a_key_of_its_own_an_engine_gets_none(self):
        key = self.add("alice")
        self.start("--keys", str(self.file))
        self.assertEqual(self.status(key), 200)
        self.assertNotIn(b"authorization", b"".join(head for head, _ in self.backend.requests).lower())

    def test_a_refused_body_is_not_read(self):
        self.add("alice")
        self.start("--keys", str(self.file))
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            client.sendall(b"POST " + CHAT.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\nExpect: 100-continue\r\n\r\n")
            self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 401 "))

    def test_a_changed_file_is_taken_without_a_restart(self):
        gate = threading.Event()
        alice = self.add("alice")
        self.start("--keys", str(self.file), behave=gates(gate))
        bob = self.add("bob")
        until(lambda: self.status(bob) == 200)
        got = []
        running = threading.Thread(target=lambda: got.append(self.status(alice, wait=True)))
        running.start()
        until(lambda: total(self.numbers(), "sextant_key_requests_in_flight", key="alice") == 1)
        self.keys("revoke", "alice")
        until(lambda: self.status(alice) == 401)
        gate.set()  # what was in flight goes on
        running.join(20)
        self.assertEqual((got, self.status(bob)), ([200], 200))

    def test_a_file_that_breaks_leaves_the_keys_as_they_are_and_is_told_once(self):
        alice = self.add("alice")
        self.start("--keys", str(self.file))
        good = self.file.read_text()

        def put(text):
            """At once: a file that is written in its place is empty for a moment, which is another fault to tell of."""
            beside = self.folder / "beside"
            beside.write_text(text)
            beside.chmod(0o600)
            beside.replace(self.file)
        put(good[:-5])
        until(lambda: any(str(self.file) in line for line in self.said))
        self.assertEqual((self.status(alice), self.status(None)), (200, 401))
        self.assertEqual(total(self.numbers(), "sextant_key_file_good"), 0)
        self.process.send_signal(signal.SIGHUP)  # read whatever it looks like
        until(lambda: len(self.said) == 2)
        put(good)
        until(lambda: total(self.numbers(), "sextant_key_file_good") == 1)
        self.assertEqual((self.status(alice), len(self.said)), (200, 2))


class Limits(Gateway):
    def test_requests_at_a_time(self):
        gate = threading.Event()
        key, other = self.add("alice", "--concurrency", "2"), self.add("bob")
        self.start("--keys", str(self.file), behave=gates(gate))
        got = []
        running = [threading.Thread(target=lambda: got.append(self.status(key, wait=True))) for _ in range(2)]
        for one in running:
            one.start()
        until(lambda: total(self.numbers(), "sextant_key_requests_in_flight", key="alice") == 2)
        reply, error = self.refused(429, "key_concurrency", {"model": "toy"}, key)
        self.assertEqual(reply.headers["Retry-After"], "1")
        self.assertIn("alice", error["message"])
        self.assertEqual(self.status(other), 200)
        self.assertEqual(self.ask(None, key, "/v1/models", "GET")[0].status, 200)  # costs no engine anything
        gate.set()
        for one in running:
            one.join(20)
        self.assertEqual((got, self.status(key)), ([200, 200], 200))
        self.assertEqual(total(self.numbers(), "sextant_key_limited_total", key="alice", limit="concurrency"), 1)

    def test_tokens_within_a_minute_as_answers_tell_them(self):
        key = self.add("alice", "--tokens-per-minute", "1000")
        self.start("--keys", str(self.file))
        self.assertEqual(self.status(key, tokens=400, padding="x" * 8000), 200)  # guessed at 2000, told to be 400
        until(lambda: total(self.numbers(), "sextant_key_tokens_total", key="alice") == 400)
        self.assertEqual(self.status(key, tokens=700), 200)
        reply, error = self.refused(429, "key_tokens_per_minute", {"model": "toy"}, key)
        self.assertTrue(1 <= int(reply.headers["Retry-After"]) <= 60, reply.headers["Retry-After"])
        self.assertIn("1000", error["message"])
        reply, got = self.ask({"model": "toy"}, path="/v1/messages", headers={"x-api-key": key})
        self.assertEqual((reply.status, json.loads(got)["error"]["type"]), (429, "rate_limit_error"))

    def test_tokens_of_streams_and_of_answers_that_tell_nothing(self):
        def silent(connection, head, body):
            if head.startswith(b"GET"):
                return serves(connection, head, body)
            if json.loads(body).get("stream"):
                return SSE_HEAD + b"".join(chunk(event(str(n))) for n in range(20)) + chunk(DONE) + b"0\r\n\r\n"
            return answer(b"y" * 400)
        key = self.add("alice", "--tokens-per-minute", "100000")
        self.start("--keys", str(self.file), behave=silent)
        self.status(key, stream=True)
        until(lambda: 20 < total(self.numbers(), "sextant_key_tokens_total", key="alice") < 60)
        before = total(self.numbers(), "sextant_key_tokens_total", key="alice")
        self.status(key)
        until(lambda: 100 < total(self.numbers(), "sextant_key_tokens_total", key="alice") - before < 250)

    def test_the_size_of_a_body(self):
        key, other = self.add("alice", "--body-mib", "1"), self.add("bob")
        self.start("--keys", str(self.file))
        large = {"model": "toy", "messages": "x" * (1 << 20)}
        self.refused(413, "body_too_large", large, key)
        self.assertEqual(self.ask(large, other)[0].status, 200)
        chunked = [json.dumps(large).encode()[at:at + 65536] for at in range(0, 1 << 20, 65536)]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("POST", CHAT, iter(chunked + [b"x" * 65536]), {"Authorization": "Bearer " + key}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 413)
        connection.close()


class Numbers(Gateway):
    def test_both_formats_are_what_scrapers_read(self):
        self.start()
        self.ask({"model": "toy", "stream": True})
        self.ask({"model": 'no"such\\model\n'})
        until(lambda: total(self.numbers(), "sextant_requests_total", path=CHAT) == 2)
        plain, opened = self.numbers(), self.numbers(open_metrics=True)
        self.assertEqual({name for name, _ in plain}, {name for name, _ in opened})
        reply, _ = self.ask(None, path="/metrics", method="HEAD")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))

    def test_they_say_what_happened(self):
        self.start()
        until(lambda: json.loads(self.ask(None, path="/v1/models", method="GET")[1])["data"])
        self.assertEqual(self.ask({"model": "toy", "stream": True})[0].status, 200)
        self.assertEqual(self.ask({"model": "toy"})[0].status, 200)
        self.ask({"model": "other"})
        self.ask(None, path="/sleep")
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            client.sendall(b"nonsense\r\n\r\n")
            client.recv(65536)
        # Whoever was refused before its body was read is counted once it has gone.
        for cause in ("bad_request_head", "admin_path"):
            until(lambda cause=cause: total(self.numbers(), "sextant_requests_total", cause=cause) == 1)
        now = self.numbers()
        self.assertEqual(total(now, "sextant_requests_total", cause="bad_request_head", code=400), 1)
        self.assertEqual(total(now, "sextant_requests_total", model_name="toy", path=CHAT, code=200, cause=""), 2)
        self.assertEqual(total(now, "sextant_requests_total", model_name="", cause="model_not_found", code=404), 1)
        self.assertEqual(total(now, "sextant_requests_total", cause="admin_path", code=403, path=""), 1)
        self.assertEqual(total(now, "sextant_time_to_first_token_seconds_count", model_name="toy"), 1)
        self.assertEqual(total(now, "sextant_e2e_request_latency_seconds_count", model_name="toy"), 2)
        self.assertEqual((total(now, "sextant_prompt_tokens_total"), total(now, "sextant_generation_tokens_total")), (7 + 7, 3 + 3))
        self.assertEqual(total(now, "sextant_routes_total", why="only"), 2)

    def test_every_gauge_of_work_goes_back(self):
        def drops(connection, head, body):
            if head.startswith(b"GET"):
                return serves(connection, head, body)
            connection.sendall(SSE_HEAD + chunk(event("a")))
            return None
        key = self.add("alice", "--concurrency", "100")
        self.start("--keys", str(self.file), behave=drops)
        for n in range(40):
            client = socket.create_connection(("127.0.0.1", self.port), timeout=10)
            body = json.dumps({"model": "toy", "stream": True}).encode()
            data = b"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" % (CHAT.encode(), key.encode(), len(body)) + body
            client.sendall(data[:len(data) * (n % 5 + 1) // 5])
            if n % 10 == 9:
                client.recv(100)  # within the answer
            client.close()

        def still():
            now = self.numbers()
            names = ("sextant_requests_in_flight", "sextant_requests_waiting", "sextant_body_bytes_held", "sextant_key_requests_in_flight",
                     "sextant_replica_requests_in_flight", "sextant_replica_load_tokens")
            return all(total(now, name) == 0 for name in names) and total(now, "sextant_connections_open") == 1
        until(still)

    def test_who_may_read_them(self):
        key = self.add("alice")
        self.start("--keys", str(self.file))
        self.assertEqual(self.ask(None, path="/metrics", method="GET")[0].status, 200)
        self.refused(403, "metrics_closed", None, path="/metrics", method="GET", headers={"X-Forwarded-For": "203.0.113.7"})
        self.assertEqual(self.ask(None, key, "/metrics", "GET", {"X-Forwarded-For": "203.0.113.7"})[0].status, 200)
        self.refused(401, "invalid_api_key", None, "sk-other", path="/metrics", method="GET")


class AccessLog(Gateway):
    def lines(self, path=None):
        path = path or self.folder / "access.log"
        written = path.read_text() if path.exists() else ""
        return [json.loads(line) for line in written[:written.rfind("\n") + 1].splitlines()]  # the last one may be half there

    def test_one_line_a_request_and_no_word_of_a_prompt_or_key(self):
        key = self.add("alice")
        self.start("--keys", str(self.file), "--access-log", str(self.folder / "access.log"))
        self.ask({"model": "toy", "stream": True, "messages": SECRET}, key, headers={"X-Request-Id": "mine-1"})
        self.ask({"model": "toy", "messages": SECRET}, key, path=CHAT + "?token=" + key)
        reply, _ = self.ask({"model": "toy", "messages": SECRET}, headers={"X-Request-Id": "no good\tid"})
        until(lambda: len(self.lines()) == 3)
        stream, whole, refused = self.lines()
        self.assertEqual({name: stream[name] for name in ("id", "key", "method", "path", "model", "replica", "why", "status", "events", "prompt_tokens", "completion_tokens")},
                         {"id": "mine-1", "key": "alice", "method": "POST", "path": CHAT, "model": "toy", "replica": 0, "why": "only", "status": 200, "events": 4,
                          "prompt_tokens": 7, "completion_tokens": 3})
        self.assertRegex(stream["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertGreaterEqual(stream["total_ms"], stream["ttft_ms"])
        self.assertGreater(stream["bytes_in"], len(SECRET))
        self.assertGreater(stream["bytes_out"], 200)
        self.assertNotIn("cause", stream)
        self.assertEqual((whole["path"], whole["status"], whole["completion_tokens"]), (CHAT, 200, 3))
        self.assertEqual((refused["status"], refused["cause"], refused["id"]), (401, "missing_api_key", reply.headers["x-request-id"]))
        self.assertNotIn("key", refused)
        text = (self.folder / "access.log").read_text() + "".join(self.said)
        self.assertNotIn(SECRET, text)
        self.assertNotIn(key, text)

    def test_ids_go_to_the_engine_and_back(self):
        self.start()
        ids = [self.ask({"model": "toy"})[0].headers["x-request-id"] for _ in range(3)]
        self.assertEqual(len(set(ids)), 3)
        reply, _ = self.ask({"model": "toy"}, headers={"x-request-id": "abc"})
        self.assertEqual(reply.headers.get_all("x-request-id"), ["abc"])
        seen = [re.findall(rb"(?i)x-request-id: (\S+)", head) for head, _ in self.backend.requests if head.startswith(b"POST")]
        self.assertEqual(seen, [[one.encode()] for one in (*ids, "abc")])

    def test_what_went_wrong_has_its_cause(self):
        gate = threading.Event()

        def behave(connection, head, body):
            if head.startswith(b"GET"):
                return serves(connection, head, body)
            what = json.loads(body)["what"]
            if what == "lost":
                connection.sendall(SSE_HEAD + chunk(event("a")))
                return None
            if what == "gone":
                connection.sendall(SSE_HEAD + chunk(event("a")))
                gate.wait(60)  # a client's end is seen before the engine says more
                return chunk(event("b"))
            return answer({"error": {}}, "400 Bad Request")
        self.start("--access-log", str(self.folder / "access.log"), behave=behave)
        self.ask({"model": "toy", "what": "lost"})
        self.ask({"model": "toy", "what": "bad"})
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            body = json.dumps({"model": "toy", "what": "gone"}).encode()
            client.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (CHAT.encode(), len(body)) + body)
            client.recv(65536)
        until(lambda: len(self.lines()) == 3)
        gate.set()
        self.assertEqual([(one["status"], one["cause"]) for one in self.lines()], [(200, "replica_lost"), (400, "engine"), (200, "client_gone")])

    def test_a_file_that_was_moved_away_is_opened_again(self):
        log = self.folder / "access.log"
        self.start("--access-log", str(log))
        self.ask({"model": "toy"})
        until(lambda: len(self.lines()) == 1)
        log.rename(self.folder / "old")
        self.process.send_signal(signal.SIGUSR1)
        until(log.exists)
        self.ask({"model": "toy"})
        until(lambda: len(self.lines()) == 1)
        self.assertEqual(len(self.lines(self.folder / "old")), 1)

    def test_to_standard_output_even_when_nobody_reads_it(self):
        self.start("--access-log", "-")
        self.ask({"model": "toy"})
        self.assertEqual(json.loads(self.process.stdout.readline())["status"], 200)
        for _ in range(1000):  # far more than a pipe holds
            self.assertEqual(self.ask(None, path="/health", method="GET")[0].status, 200)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(10), 0)


class OfADeployment(unittest.TestCase):
    def test_up_opens_no_address_to_others_without_keys(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", str(folder)], check=True))
        file = folder / "sextant.toml"
        state = {**os.environ, "SEXTANT_STATE": str(folder / "state")}
        for keys, said in (("", ("no key is asked for", "这里不要求密钥")), ('key_file = "keys.json"\n', (str(folder / "keys.json"), str(folder / "keys.json")))):
            file.write_text(f'listen = "0.0.0.0:8123"\n{keys}[model]\ncommand = "llama-server -m model.gguf"\n')
            for language, words in zip(("en", "zh"), said):
                ran = subprocess.run([SEXTANT, "up", str(file), "--detach", "--lang", language], capture_output=True, text=True, env=state, cwd=folder, timeout=60)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertIn(words, ran.stderr)
        self.assertFalse((folder / "state").exists())

    def test_the_relay_of_a_deployment_keeps_a_log_in_its_state_folder(self):
        backend = Backend(serves)
        self.addCleanup(backend.kill)
        relay = Relay([route(0, backend.port)])
        self.addCleanup(relay.end)
        self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
        log = relay.folder / "access.log"
        until(lambda: log.exists() and log.read_text().endswith("}\n"))
        self.assertEqual(json.loads(log.read_text())["status"], 200)
        self.assertEqual(stat.S_IMODE(log.stat().st_mode), 0o600)

    def test_its_record_names_the_file_of_keys(self):
        backend = Backend(serves)
        self.addCleanup(backend.kill)
        relay = Relay([route(0, backend.port)])
        self.addCleanup(relay.end)
        launch = {"engine": "vllm", "words": ["vllm"], "environment": {}, "folder": "", "host": "127.0.0.1", "port": 9001, "model": "toy", "gpus": [], "cpus": "", "key": ""}
        record = {"schema": "sextant.deployment/1", "name": "default", "host": "127.0.0.1", "port": 8000, "rungs": [],
                  "layouts": [{"label": "one", "proves": "", "replicas": [launch]}],
                  "restart": {"tries": 3, "healed_s": 600, "stop_grace_s": 30, "backoff_s": [5]}, "log": {"file_bytes": 1 << 20, "files": 4}}
        keys = relay.folder / "mine.json"  # keys.json there is what a deployment file says
        (relay.folder / "next").write_text(json.dumps({**record, "key_file": str(keys)}))
        (relay.folder / "next").rename(relay.folder / "deployment.json")
        until(lambda: relay.ask({"model": "toy"})[0].status == 503)  # asked for, and not there yet
        state = {**os.environ, "SEXTANT_STATE": str(relay.folder.parent)}
        ran = subprocess.run([SEXTANT, "keys", "add", "alice", "--name", relay.folder.name], capture_output=True, text=True, env=state, timeout=30)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        until(lambda: relay.ask({"model": "toy"})[0].status == 401)
        self.assertEqual(relay.ask({"model": "toy"}, headers={"Authorization": "Bearer " + ran.stdout.strip()})[0].status, 200)
        # That file is made anew from the deployment file each time: what is added there would be lost.
        (relay.folder / "next").write_text(json.dumps({**record, "key_file": str(relay.folder / "keys.json")}))
        (relay.folder / "next").rename(relay.folder / "deployment.json")
        for word in ("add", "revoke"):
            ran = subprocess.run([SEXTANT, "keys", word, "bob", "--name", relay.folder.name], capture_output=True, text=True, env=state, timeout=30)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(f"stand in its deployment file; change them there, then `sextant reload --name {relay.folder.name}`", ran.stderr)
        self.assertFalse((relay.folder / "keys.json").exists())


if __name__ == "__main__":
    unittest.main()
