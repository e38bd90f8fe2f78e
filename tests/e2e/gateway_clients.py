#!/usr/bin/env python3
"""Real clients, pinned (./dev setup --clients), through the gateway to a real llama.cpp server and to a fake backend that calls tools,
fails and is lost: openai for Python and Node, Anthropic's, litellm's, curl. What is not there is left out, and said."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from deployments import wait_for
from gateway_parts import SSE_HEAD, Backend, Relay, answer, chunk, reset, route, until

HERE = pathlib.Path(__file__).parent
CLIENTS = pathlib.Path(os.environ.get("SEXTANT_CLIENTS", HERE.parents[1] / "build/clients"))
PYTHON, NODE = CLIENTS / "venv/bin/python", CLIENTS / "node"
READY = (CLIENTS / "installed.txt").exists()
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "NO_PROXY": "*"}
SECONDS = 120   # for a step
IMPORT = 600    # seconds: litellm's six of a processor, of ten thousand files; beside compilers, with nothing in the page cache, minutes
MISSING = "the clients are not there: ./dev setup --clients"
ARGUMENTS = '{"town": "\\u4e0a\\u6d77"}'
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}


def whole(message, reason):
    return answer({"id": "c", "object": "chat.completion", "created": 1, "model": "mock", "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}],
                   "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})


def piece(delta, reason=None):
    data = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    return chunk(b"data: " + json.dumps(data).encode() + b"\n\n")


def claude(kind, **more):
    return chunk(b"event: %s\ndata: %s\n\n" % (kind.encode(), json.dumps({"type": kind, **more}).encode()))


def messages(words, stream, connection):
    if words == "tool":
        return answer({"id": "m", "type": "message", "role": "assistant", "model": "mock", "content": [{"type": "tool_use", "id": "t", "name": "weather", "input": json.loads(ARGUMENTS)}],
                       "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}})
    start = {"id": "m", "type": "message", "role": "assistant", "model": "mock", "content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    begin = SSE_HEAD + claude("message_start", message=start) + claude("content_block_start", index=0, content_block={"type": "text", "text": ""})
    texts = [claude("content_block_delta", index=0, delta={"type": "text_delta", "text": one}) for one in "abc"]
    if words == "stream-lost":
        connection.sendall(begin + texts[0])
        time.sleep(0.05)
        return reset(connection)
    return (begin + b"".join(texts) + claude("content_block_stop", index=0) + claude("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 3}) +
            claude("message_stop") + b"0\r\n\r\n")


def behave(connection, head, body):
    """What a prompt says is done: a call of a tool, an error of the engine's own, a loss, a slow stream."""
    asked = json.loads(body)
    if b" /v1/embeddings " in head:
        return answer({"object": "list", "model": "mock", "data": [{"object": "embedding", "index": i, "embedding": [0.5]} for i in range(2)], "usage": {"prompt_tokens": 1, "total_tokens": 1}})
    words, stream = asked["messages"][0]["content"], asked.get("stream")
    if b" /v1/messages " in head:
        return messages(words, stream, connection)
    if words == "tool" and not stream:
        return whole({"content": None, "tool_calls": [CALL]}, "tool_calls")
    if words == "tool":
        first = {**CALL, "index": 0, "function": {"name": "weather", "arguments": ""}}
        parts = [{"tool_calls": [{"index": 0, "function": {"arguments": ARGUMENTS[i:i + 3]}}]} for i in range(0, len(ARGUMENTS), 3)]
        return SSE_HEAD + piece({"role": "assistant", "tool_calls": [first]}) + b"".join(map(piece, parts)) + piece({}, "tool_calls") + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"
    if words == "too long":
        return answer({"error": {"message": "too long for me", "type": "BadRequestError", "param": None, "code": 400}}, "400 Bad Request")
    if words == "busy":
        return answer({"error": {"message": "busy", "type": "rate", "code": "busy"}}, "429 Too Many Requests", b"Retry-After: 3\r\n")
    if words == "stream-lost":
        connection.sendall(SSE_HEAD + piece({"content": "a"}) + piece({"content": "b"}))
        time.sleep(0.05)
        return reset(connection)
    if words == "slow":
        connection.sendall(SSE_HEAD)
        for _ in range(3000):  # a minute, if nobody leaves
            connection.sendall(piece({"content": "a"}))
            time.sleep(0.02)
    return whole({"content": "hello"}, "stop") if not stream else SSE_HEAD + piece({"content": "a"}) + piece({}, "stop") + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


class Python:
    """clients/client.py with one client, for as many steps as are asked; it is imported meanwhile."""

    def __init__(self, name, base):
        self.words = tempfile.TemporaryFile()
        self.process = subprocess.Popen([PYTHON, HERE / "clients/client.py", name, base], env=ENVIRONMENT, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.words)
        self.imported = False

    def said(self, what, seconds):
        ready = select.select([self.process.stdout], [], [], seconds)[0]
        line = self.process.stdout.readline() if ready else b""
        if not line:
            self.words.seek(0)
            raise AssertionError(f"no answer to {what}: {self.words.read()[-2000:].decode()}")
        return json.loads(line)

    def told(self, step, model):
        if not self.imported:
            self.imported = self.said("the import", IMPORT)
        self.process.stdin.write(json.dumps([step, model]).encode() + b"\n")
        self.process.stdin.flush()
        return self.said(step, SECONDS)

    def end(self):
        self.process.kill()
        self.process.communicate()
        self.words.close()


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.backend, cls.engine, cls.python = Backend(behave), None, {}
        routes = [route(0, cls.backend.port, "mock")]
        import up_llama
        if up_llama.SERVER.exists():
            port = up_llama.free_ports(1)[0]
            ask = up_llama.launch(port)
            cls.engine = subprocess.Popen(ask["words"], env=ask["environment"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cls.addClassCleanup(cls.engine.wait, 10)
            cls.addClassCleanup(cls.engine.kill)
            routes.append(route(1, port, "tiny"))
            if not wait_for(lambda: up_llama.listens(port) and up_llama.chat(port, 1) == "", 60):
                raise AssertionError("llama-server does not serve")
        cls.relay = Relay(routes, "mock")
        cls.addClassCleanup(cls.relay.end)
        cls.addClassCleanup(cls.backend.kill)
        cls.base = f"http://127.0.0.1:{cls.relay.port}"
        if READY and cls is Clients:
            cls.begin("litellm")  # the slowest to import: beside the others

    @classmethod
    def begin(cls, name):
        cls.python[name] = Python(name, cls.base)
        cls.addClassCleanup(cls.python[name].end)

    def told(self, name, step, model="mock"):
        if name != "node":
            if name not in self.python:
                self.begin(name)
            return self.python[name].told(step, model)
        ran = subprocess.run(["node", HERE / "clients/client.mjs", NODE, self.base, step, model], env=ENVIRONMENT, capture_output=True, text=True,
                             timeout=SECONDS)
        self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])
        return json.loads(ran.stdout.strip().split("\n")[-1])

    def nothing_is_left(self):
        until(lambda: self.relay.counts()["in_flight"] == 0, 20)  # the slow stream would last a minute

    def usual(self, name):
        models = ["mock"] + (["tiny"] if self.engine else [])
        self.assertEqual(self.told(name, "models"), models)
        self.assertEqual(self.told(name, "hello"), [1, "stop"])
        self.assertEqual(self.told(name, "tool"), ["weather", ARGUMENTS])
        self.assertIn(b'"tools"', self.backend.requests[-1][1])
        if self.engine:
            count, reason = self.told(name, "stream", "tiny")
            self.assertGreater(count, 1)
            self.assertIn(reason, ("stop", "length"))
            self.assertEqual(self.told(name, "hello", "tiny")[0], 1)
        told = self.told(name, "hello", "none")
        self.assertEqual((told["status"], told["code"], told["type"]), (404, "model_not_found", "NotFoundError"))
        self.assertEqual(self.told(name, "too long")["status"], 400)
        self.assertEqual(self.told(name, "busy")["type"], "RateLimitError")
        lost = self.told(name, "stream-lost")
        self.assertEqual((lost["code"], lost["type"]), ("replica_lost", "APIError"))
        self.assertIn("replica 0", lost["message"])
        self.assertEqual(self.told(name, "leave"), 2 if name == "openai" else 3)
        self.nothing_is_left()

    @unittest.skipUnless(READY, MISSING)
    def test_openai_for_python(self):
        self.usual("openai")
        self.assertEqual(self.told("openai", "model"), "mock")
        self.assertEqual(self.told("openai", "embeddings"), 2)
        self.assertEqual(self.told("openai", "tool-stream"), ["weather", ARGUMENTS])

    @unittest.skipUnless(READY and (NODE / "node_modules/openai").exists() and shutil.which("node"), MISSING)
    def test_openai_for_node(self):
        self.usual("node")

    @unittest.skipUnless(READY, MISSING)
    def test_anthropic(self):
        self.assertEqual(self.told("anthropic", "tool"), ["weather", json.loads(ARGUMENTS)])
        self.assertEqual(self.told("anthropic", "stream"), [3, "end_turn"])
        told = self.told("anthropic", "hello", "none")
        self.assertEqual((told["status"], told["kind"], told["type"]), (404, "not_found_error", "NotFoundError"))
        lost = self.told("anthropic", "stream-lost")
        self.assertEqual(lost["kind"], "api_error")
        self.assertIn("replica 0", lost["message"])
        if self.engine:
            self.assertEqual(self.told("anthropic", "hello", "tiny")[0], "assistant")
            self.assertGreater(self.told("anthropic", "stream", "tiny")[0], 1)
        self.nothing_is_left()

    @unittest.skipUnless(READY, MISSING)
    def test_litellm(self):
        told = self.told("litellm", "hello,tool,stream,unknown")
        self.assertEqual(told, {"hello": "stop", "tool": ["weather", ARGUMENTS], "stream": 1, "unknown": {"status": 404, "type": "NotFoundError"}})
        if self.engine:
            self.assertGreater(self.told("litellm", "stream", "tiny")["stream"], 1)
        self.nothing_is_left()


@unittest.skipUnless(shutil.which("curl"), "curl is not there")
class Curl(Clients):
    test_openai_for_python = test_openai_for_node = test_anthropic = test_litellm = None

    def curl(self, *words, path="/v1/chat/completions", code=0):
        ran = subprocess.run(["curl", "-sS", "--max-time", "10", "--noproxy", "*", *words, self.base + path], capture_output=True, timeout=30)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran.stdout

    def test_ways_to_ask(self):
        body = '{"model":"mock","messages":[{"role":"user","content":"hello"}]}'
        stream = body.replace("{", '{"stream":true,', 1)
        for more in ((), ("--http1.0",), ("--http2",), ("-H", "Transfer-Encoding: chunked"), ("-H", "Expect: 100-continue"), ("--compressed",)):
            self.assertEqual(json.loads(self.curl("-d", body, *more))["choices"][0]["message"]["content"], "hello", more)
            self.assertTrue(self.curl("-N", "-d", stream, *more).endswith(b"data: [DONE]\n\n"), more)
        self.assertTrue(self.curl("-I", path="/health").startswith(b"HTTP/1.1 200 OK\r\n"))
        self.assertEqual(self.curl("-o", "/dev/null", "-w", "%{http_code}", "-X", "OPTIONS"), b"405")
        self.assertEqual(json.loads(self.curl("-d", body.replace("mock", "none")))["error"]["code"], "model_not_found")
        with tempfile.NamedTemporaryFile() as large:
            large.write(body.replace("hello", "x" * 3_000_000).encode())
            large.flush()
            self.assertIn(b"hello", self.curl("-d", "@" + large.name))
            self.assertIn(b"hello", self.curl("-T", large.name, "-X", "POST"))
        self.assertIn(b'"replica_lost"', self.curl("-N", "-d", stream.replace("hello", "stream-lost")))
        self.assertGreater(self.curl("-N", "--max-time", "3", "-d", stream.replace("hello", "slow"), code=28).count(b"data: "), 1)
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
