#!/usr/bin/env python3
"""`sextant gateway`: one address in front of engines that somebody else started."""
import http.client
import json
import os
import pathlib
import re
import resource
import select
import signal
import subprocess
import tempfile
import unittest

from gateway_parts import CHAT, PATIENCE, SEXTANT, Backend, answer, until
from ports import free_ports


def serves(*names):
    def behave(connection, head, body):
        if head.startswith(b"GET /v1/models"):
            return answer({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})
        return answer({"from": names, "authorization": b"Bearer sk-mine" in head})
    return behave


class Front(unittest.TestCase):
    def front(self, *arguments, environment=None):
        process = subprocess.Popen([SEXTANT, "gateway", "--listen", "127.0.0.1:0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        self.assertIn("/v1 in front of", line)
        self.port = int(line.split("/v1")[0].rsplit(":", 1)[1])
        return process

    def ask(self, body, path=CHAT, method="POST"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body and json.dumps(body), {"Authorization": "Bearer sk-mine"})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read())
        finally:
            connection.close()

    def test_each_model_goes_where_it_is_served_with_the_client_s_key(self):
        one, two = Backend(serves("a", "shared")), Backend(serves("b", "shared"))
        process = self.front("--backend", f"http://127.0.0.1:{one.port}/v1", "--backend", f"http://localhost:{two.port}")
        until(lambda: [model["id"] for model in self.ask(None, "/v1/models", "GET")[1]["data"]] == ["a", "b", "shared"])
        self.assertEqual(self.ask({"model": "a"}), (200, {"from": ["a", "shared"], "authorization": True}))
        self.assertEqual(self.ask({"model": "b"})[1]["from"], ["b", "shared"])
        self.assertEqual(self.ask({"model": "c"})[0], 404)
        self.assertEqual({tuple(self.ask({"model": "shared"})[1]["from"]) for _ in range(4)}, {("a", "shared"), ("b", "shared")})
        one.kill()
        self.assertEqual([self.ask({"model": "shared"})[0] for _ in range(6)], [200] * 6)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_an_engine_that_is_not_there_yet_may_serve_anything(self):
        port = free_ports(1)[0]
        process = self.front("--backend", f"http://127.0.0.1:{port}")
        status, got = self.ask({"model": "a"})
        self.assertEqual((status, got["error"]["code"]), (502, "replica_failed"))
        self.assertIn("refused the connection", got["error"]["message"])
        Backend(serves("a"), port)
        self.assertEqual(self.ask({"model": "a"})[0], 200)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_each_engine_is_shown_the_key_that_it_asks_for(self):
        def asks_for(name, key):
            def behave(connection, head, body):
                if f"Authorization: Bearer {key}\r\n".encode() not in head + b"\r\n":
                    return answer({"error": "Unauthorized"}, "401 Unauthorized")
                return serves(name)(connection, head, body)
            return Backend(behave)

        engines = [asks_for("a", "sk-of-a-file"), asks_for("b", "sk-of-a-variable"), asks_for("c", "sk-of-all")]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "a.key"
        file.write_text("# of a\nsk-of-a-file\n")
        file.chmod(0o600)
        url = [f"http://127.0.0.1:{engine.port}" for engine in engines]
        arguments = ["--backend", f"{url[0]},key-file={file}", "--backend", f"{url[1]},weight=2,key-env=B_KEY", "--backend", url[2]]
        environment = {**os.environ, "B_KEY": "sk-of-a-variable", "SEXTANT_BACKEND_KEY": "sk-of-all"}
        self.front(*arguments, environment=environment)
        until(lambda: [model["id"] for model in self.ask(None, "/v1/models", "GET")[1]["data"]] == ["a", "b", "c"])
        self.assertEqual([self.ask({"model": name})[0] for name in ("a", "b", "c")], [200] * 3)

        def refused(words, **variables):
            ran = subprocess.run([SEXTANT, *words], capture_output=True, text=True, timeout=20, env={**environment, **variables}, check=False)
            self.assertNotIn("sk-of", ran.stdout + ran.stderr)
            return ran.returncode, ran.stderr
        request = pathlib.Path(folder.name) / "request.json"
        request.write_text('{"model": "b", "messages": [{"role": "user", "content": "x"}]}')
        explain = ["route", "--explain", str(request)]
        self.assertEqual(refused([*explain, *arguments])[0], 0)
        self.assertEqual(refused([*explain, "--name", "x", *arguments]), (2, "sextant: --name asks the gateway of a deployment, --backend one "
                                                                         "that would begin now: one of them\n"))
        self.assertEqual(refused([*explain, "--alias", "x=b"]), (2, "sextant: --alias goes with --backend: a deployment has its own names\n"))
        for variables, words in (({"B_KEY": ""}, "the variable B_KEY is not set"), ({"B_KEY": "sk-of\nX: 1"}, "what B_KEY holds is no key")):
            code, said = refused(["gateway", *arguments], **variables)
            self.assertEqual(code, 2)
            self.assertIn(words, said)
        file.write_text("# nobody\n")
        self.assertIn("a.key holds no key", refused(["gateway", *arguments])[1])

    def test_an_engine_that_wants_another_key_is_told_to_whoever_started_it(self):
        engine = Backend(lambda connection, head, body: answer({"error": "Unauthorized"}, "401 Unauthorized"))
        for environment, words in ((None, f"the engine at 127.0.0.1:{engine.port} asks for a key: --backend http://127.0.0.1:{engine.port},key-file=FILE"),
                                   ({**os.environ, "SEXTANT_BACKEND_KEY": "sk-old"}, "does not take the key that it is shown")):
            process = self.front("--backend", f"http://127.0.0.1:{engine.port}", environment=environment)
            self.assertTrue(select.select([process.stderr], [], [], 10)[0], words)
            self.assertIn(words, process.stderr.readline())
            process.send_signal(signal.SIGTERM)
            self.assertEqual((process.wait(PATIENCE), process.stderr.read()), (0, ""))
            explained = subprocess.run([SEXTANT, "route", "--explain", "-", "--backend", f"http://127.0.0.1:{engine.port}"], input='{"model": "a"}',
                                       capture_output=True, text=True, timeout=30, env=environment)
            self.assertEqual(explained.returncode, 0, explained.stderr)
            self.assertIn(words, explained.stderr)

    def test_who_has_the_address_is_named(self):
        other = Backend(serves("a"))
        for language, words in (("en", f"cannot listen on 127.0.0.1:{other.port}: port {other.port} is held by process {os.getpid()} ("),
                                ("zh", f"无法监听 127.0.0.1:{other.port}：端口 {other.port} 被进程 {os.getpid()}（")):
            ran = subprocess.run([SEXTANT, "gateway", "--backend", f"http://127.0.0.1:{other.port}", "--listen", f"127.0.0.1:{other.port}", "--lang", language],
                                 capture_output=True, text=True, timeout=30)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(words, ran.stderr)

    def test_there_is_room_for_all_descriptors_before_the_first_client(self):
        """A table that grows under load holds every stream for some 20 ms (synchronize_rcu, with threads beside the loop)."""
        process = self.front("--backend", f"http://127.0.0.1:{free_ports(1)[0]}")
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self.assertGreaterEqual(int(re.search(r"FDSize:\s+(\d+)", status)[1]), min(most, 20_000))

    def test_what_cannot_be_done_is_said(self):
        for arguments, words in (((), "in front of what"), (("--backend", "https://a"), "TLS"), (("--backend", "a:1"), "http://"),
                                 (("--backend", "http://a:1", "--alias", "a=b", "--alias", "b=a"), "a -> b -> a"),
                                 (("--backend", "http://a:1", "--listen", "x"), "HOST:PORT"), (("--backend", "http://no-such-host.invalid:1"), "no-such-host"),
                                 (("--backend", "http://127.0.0.1:1", "--listen", "203.0.113.1:1", "--anyway", "a test"), "cannot listen on 203.0.113.1:1")):
            for language in ("en", "zh"):
                ran = subprocess.run([SEXTANT, "gateway", *arguments, "--lang", language], capture_output=True, text=True, timeout=30)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""), arguments)
                if language == "en":
                    self.assertIn(words, ran.stderr)
                else:
                    self.assertTrue(any("\u4e00" <= c <= "\u9fff" for c in ran.stderr), ran.stderr)


if __name__ == "__main__":
    unittest.main()
