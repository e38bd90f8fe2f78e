#!/usr/bin/env python3
"""--online against a hub that plays every fault; and no connection at all without it."""
import contextlib
import http.server
import json
import struct
import threading
import unittest

from terminal import run

TOKEN = "hf_secretsecretsecret"
MODEL = "someone/Tiny-7B"
CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
          "num_attention_heads": 28, "num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 32000,
          "max_position_embeddings": 4096, "torch_dtype": "bfloat16", "tie_word_embeddings": True}


def shard(tensors):
    """A safetensors file without its data, and the length it would have."""
    header, at = {}, 0
    for name, shape in tensors.items():
        size = 2
        for side in shape:
            size *= side
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text, 8 + len(text) + at


FRONT, LENGTH = shard({"model.embed_tokens.weight": [32000, 4096], "model.norm.weight": [4096]})


class Hub:
    """Loopback only; counts what it is asked, plays `fault` once a request."""

    def __init__(self, fault=None, files=None, cdn=None, busy_times=0):
        self.fault, self.cdn, self.busy_times = fault, cdn, busy_times
        self.files = files if files is not None else {"config.json": json.dumps(CONFIG).encode(),
                                                      "model.safetensors": FRONT}
        self.asked, self.tokens = [], []
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                hub.asked.append(self.path)
                hub.tokens.append(self.headers.get("Authorization"))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    hub.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket.listen(128)  # five, as it comes, are few: a SYN too many waits for a second
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that hangs up is part of the play
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def send(self, to, status, body, kind="application/json", **headers):
        to.send_response(status)
        to.send_header("Content-Type", kind)
        if "Content_Length" not in headers:
            to.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            to.send_header(name.replace("_", "-"), value)
        to.end_headers()
        to.wfile.write(body)

    def listing(self, to):
        entries = [{"type": "file", "path": name, "size": LENGTH if name.endswith(".safetensors") else len(body)}
                   for name, body in self.files.items()]
        self.send(to, 200, json.dumps(entries).encode())

    def answer(self, to):
        fault = self.fault
        if self.busy_times > 0:
            self.busy_times -= 1
            return self.send(to, 503, b"busy")
        if fault == "unauthorised":
            return self.send(to, 401, b"{}", X_Error_Code="RepoNotFound")
        if fault == "gated":
            return self.send(to, 403, b"{}", X_Error_Code="GatedRepo")
        if fault == "absent":
            return self.send(to, 404, b"{}", X_Error_Code="RepoNotFound")
        if fault == "busy":
            return self.send(to, 503, b"busy")
        if fault == "limited":
            return self.send(to, 429, b"slow down", Retry_After="600")
        if fault == "page":
            return self.send(to, 200, b"<html>log in</html>", "text/html; charset=utf-8")
        if fault == "garbage":
            return self.send(to, 200, b'[{"path": "config.json", ')
        if fault == "loop":
            return self.send(to, 302, b"", Location=self.address + to.path)
        if fault == "scheme":
            return self.send(to, 302, b"", Location="file:///etc/passwd")
        if fault == "cut":
            to.send_response(200)
            to.send_header("Content-Length", "100000")
            to.end_headers()
            to.wfile.write(b"[")
            to.close_connection = True
            return None
        if fault == "headers":
            to.send_response(200)
            with contextlib.suppress(OSError):
                for i in range(20000):
                    to.send_header("X-Filler-%d" % i, "x" * 100)
                to.end_headers()
            return None
        if "/api/models/" in to.path:
            return self.listing(to)
        name = to.path.rsplit("/", 1)[-1]
        if name not in self.files:
            return self.send(to, 404, b"{}", X_Error_Code="EntryNotFound")
        if self.cdn:
            return self.send(to, 302, b"", Location=self.cdn.address + "/" + name, X_Linked_Size=str(LENGTH))
        body = self.files[name]
        if fault == "no ranges":
            return self.send(to, 200, body + bytes(4 << 20) if name.endswith(".safetensors") else body)
        wanted = to.headers.get("Range")
        if wanted:
            total = LENGTH if name.endswith(".safetensors") else len(body)
            part = body[:int(wanted.split("-")[1]) + 1]
            return self.send(to, 206, part, "application/octet-stream",
                             Content_Range=f"bytes 0-{len(part) - 1}/{total}")
        return self.send(to, 200, body)


class Online(unittest.TestCase):
    def hub(self, *args, **kwargs):
        hub = Hub(*args, **kwargs)
        self.addCleanup(hub.close)
        return hub

    def check(self, hub, *words, model=MODEL, online=True, **variables):
        flags = ["--online"] if online else []
        code, out, err = run("check", "--format", "json", *flags, "--on", "8xH100-SXM", "--", "vllm", "serve", model,
                             *words, HF_ENDPOINT=hub.address, HF_TOKEN=TOKEN, **variables)
        self.assertNotIn(TOKEN, out + err)
        self.assertIn(code, (0, 1), err)
        return json.loads(out)

    def codes(self, answer):
        return [d["code"] for d in answer["diagnostics"]]

    def reasons(self, answer):
        return " ".join(n["reason"] for n in answer["not_checked"])

    def test_the_hub_tells_the_heads(self):
        hub = self.hub()
        self.assertIn("SX2103", self.codes(self.check(hub, "-tp", "8")))
        self.assertTrue(all("Tiny-7B" in path for path in hub.asked))
        self.assertIn("Bearer " + TOKEN, hub.tokens)

    def test_headers_of_shards_are_read_by_ranges(self):
        answer = self.check(self.hub(), "--enforce-eager")
        self.assertNotIn("weights", self.reasons(answer))

    def test_without_the_flag_nothing_is_asked(self):
        hub = self.hub()
        answer = self.check(hub, "-tp", "8", online=False)
        self.assertEqual(hub.asked, [])
        self.assertNotIn("SX2103", self.codes(answer))

    def test_a_server_elsewhere_never_sees_the_token(self):
        cdn = self.hub()
        hub = self.hub(cdn=cdn)
        self.assertIn("SX2103", self.codes(self.check(hub, "-tp", "8")))
        self.assertTrue(cdn.asked)
        self.assertEqual(set(cdn.tokens), {None})

    def test_a_revision_is_asked_for(self):
        hub = self.hub()
        self.check(hub, "--revision", "v2.0")
        self.assertTrue(all("/v2.0" in path for path in hub.asked), hub.asked)

    def test_a_server_that_knows_no_ranges_is_cut_short(self):
        self.assertIn("SX2103", self.codes(self.check(self.hub("no ranges"), "-tp", "8")))

    def test_a_busy_hub_is_asked_again(self):
        self.assertIn("SX2103", self.codes(self.check(self.hub(busy_times=2), "-tp", "8")))

    def test_faults_are_told_and_nothing_is_guessed(self):
        told = {"unauthorised": "HF_TOKEN", "gated": "licence", "absent": "no model", "busy": "503", "limited": "429",
                "page": "web page", "garbage": "cannot be read", "loop": "redirects", "cut": "broke off",
                "scheme": "no web address", "headers": "headers do not end"}
        for fault, words in told.items():
            with self.subTest(fault):
                hub = self.hub(fault)
                answer = self.check(hub, "-tp", "8")
                self.assertIn(words, self.reasons(answer))
                self.assertNotIn("SX2103", self.codes(answer))
                self.assertLess(len(hub.asked), 10)

    def test_a_silent_hub_leaves_the_catalogue(self):
        answer = self.check(self.hub("busy"), "-tp", "6", model="Qwen/Qwen2.5-72B-Instruct")
        self.assertIn("SX2103", self.codes(answer))
        self.assertIn("built-in catalogue was taken", " ".join(answer["assumptions"]))

    def test_offline_variables_are_obeyed(self):
        hub = self.hub()
        answer = self.check(hub, "-tp", "8", HF_HUB_OFFLINE="1")
        self.assertEqual(hub.asked, [])
        self.assertIn("HF_HUB_OFFLINE=1", self.reasons(answer))

    def test_a_folder_on_the_web(self):
        hub = self.hub()
        answer = self.check(hub, "-tp", "8", model=hub.address + "/models/tiny")
        self.assertIn("SX2103", self.codes(answer))
        self.assertEqual(set(hub.tokens), {None})
        offline = self.check(hub, "-tp", "8", model=hub.address + "/models/tiny", online=False)
        self.assertIn("--online", self.reasons(offline))

    def test_modelscope(self):
        hub = self.hub()
        config = json.dumps(CONFIG).encode()
        files = {"Code": 200, "Data": {"Files": [{"Path": "config.json", "Size": len(config), "Type": "blob"}]}}

        def answer(to):
            if "/repo/files?Revision=master" in to.path:
                return hub.send(to, 200, json.dumps(files).encode())
            self.assertIn("FilePath=config.json", to.path)
            return hub.send(to, 200, config)

        hub.answer = answer
        code = self.check(hub, "-tp", "8", VLLM_USE_MODELSCOPE="True", MODELSCOPE_ENDPOINT=hub.address)
        self.assertIn("SX2103", self.codes(code))
        self.assertTrue(all(path.startswith("/api/v1/models/someone/Tiny-7B/") for path in hub.asked))


if __name__ == "__main__":
    unittest.main()
