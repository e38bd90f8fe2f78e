#!/usr/bin/env python3
"""Traces of the gateway as a collector gets them: one span a request, the client's trace continued, and requests that are served as fast
whether the collector answers, refuses, is slow or is not there."""
import http.client
import http.server
import json
import os
import signal
import subprocess
import threading
import time
import unittest

from gateway_parts import CHAT, DONE, SEXTANT, SSE_HEAD, Backend, answer, chunk, event, until
from ports import free_ports

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector:
    """Takes spans, or answers what `replies` holds first: (status, fields)."""

    def __init__(self, port=0, replies=()):
        self.messages, self.replies, self.tries, self.fields = [], list(replies), 0, []
        self.taken_at = []  # the numbers of the tries that were taken
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.tries += 1
                status, fields, told = outer.replies.pop(0) if outer.replies else (200, {}, {})
                if status == 0:
                    time.sleep(fields["wait"])
                    status, fields = 200, {}
                if status == 200:
                    outer.taken_at.append(outer.tries)
                    outer.fields.append((self.path, dict(self.headers)))
                    outer.messages.append(json.loads(body))
                said = json.dumps(told).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(said)), **fields}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.socket.listen(128)  # five, as it comes, are few
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def spans(self):
        return [span for message in list(self.messages) for of in message["resourceSpans"] for scope in of["scopeSpans"] for span in scope["spans"]]

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def attributes(span):
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def serve(connection, head, body):
    if head.startswith(b"GET /v1/models"):
        return answer({"object": "list", "data": [{"id": "toy", "object": "model"}]})
    if b'"stream"' in body:
        return SSE_HEAD + chunk(event("a")) + chunk(b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}\n\n') + chunk(DONE) + b"0\r\n\r\n"
    return answer({"usage": {"prompt_tokens": 7, "completion_tokens": 3}})


class Traces(unittest.TestCase):
    def begin(self, *more, environment=None):
        self.backend = Backend(serve)
        self.addCleanup(self.backend.kill)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        self.process = subprocess.Popen([SEXTANT, "gateway", "--listen", "127.0.0.1:0", "--backend", f"http://127.0.0.1:{self.backend.port}", *more],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**clean, **(environment or {})})
        for end in (self.process.stderr.close, self.process.stdout.close, lambda: self.process.wait(10), self.process.kill):
            self.addCleanup(end)
        self.port = int(self.process.stdout.readline().split("/v1")[0].rsplit(":", 1)[1])
        until(lambda: self.ask(None, "/v1/models", method="GET")[1].count(b"toy"))

    def collector(self, **more):
        made = Collector(**more)
        self.addCleanup(made.end)
        return made

    def ask(self, body, path=CHAT, method="POST", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json", **headers})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def metric(self, name):
        page = self.ask(None, "/metrics", "GET")[1].decode()
        return next((float(line.split()[-1]) for line in page.splitlines() if line.startswith(name + " ")), None)

    def sent_on(self, name):
        """That field of the last chat that the engine got; None: it got none."""
        head = [head for head, _ in self.backend.requests if head.startswith(b"POST")][-1].decode()
        found = [line.split(": ", 1)[1] for line in head.split("\r\n")[1:] if line.lower().startswith(name + ":")]
        return found[0] if len(found) == 1 else found or None

    def test_one_span_a_request_in_its_clients_trace(self):
        collector = self.collector()
        self.begin("--otlp", f"http://127.0.0.1:{collector.port}", environment={"OTEL_EXPORTER_OTLP_HEADERS": "api-key=mine", "OTEL_SERVICE_NAME": "front"})
        secret = "the words of a prompt"
        body = {"model": "toy", "stream": True, "messages": [{"role": "user", "content": secret}]}
        self.ask(body, CHAT + "?key=hidden", traceparent=f"00-{TRACE}-{PARENT}-01", tracestate="vendor=1", Authorization="Bearer sk-secret")
        forwarded = self.sent_on("traceparent")
        self.assertEqual(self.sent_on("tracestate"), "vendor=1")
        self.ask({"model": "none"})
        until(lambda: len([span for span in collector.spans() if span["name"].startswith("POST")]) == 2)
        chat, refused = [span for span in collector.spans() if span["name"].startswith("POST")]
        self.assertEqual((chat["traceId"], chat["parentSpanId"], chat["kind"]), (TRACE, PARENT, 2))
        self.assertEqual(forwarded, f"00-{TRACE}-{chat['spanId']}-01")
        self.assertEqual(chat["name"], "POST /v1/chat/completions")
        got = attributes(chat)
        self.assertEqual({name: got.get(name) for name in ("http.response.status_code", "url.path", "url.scheme", "gen_ai.operation.name", "gen_ai.request.model",
                                                           "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "sextant.replica")},
                         {"http.response.status_code": "200", "url.path": CHAT, "url.scheme": "http", "gen_ai.operation.name": "chat", "gen_ai.request.model": "toy",
                          "gen_ai.usage.input_tokens": "7", "gen_ai.usage.output_tokens": "1", "sextant.replica": "0"})
        self.assertLessEqual(int(chat["startTimeUnixNano"]), int(chat["endTimeUnixNano"]))
        self.assertAlmostEqual(int(chat["endTimeUnixNano"]) / 1e9, time.time(), delta=60)
        self.assertEqual((attributes(refused)["http.response.status_code"], "status" in refused, "parentSpanId" in refused), ("404", False, False))
        path, fields = collector.fields[0]
        self.assertEqual((path, fields["Content-Type"], fields["api-key"]), ("/v1/traces", "application/json", "mine"))
        self.assertIn({"key": "service.name", "value": {"stringValue": "front"}}, collector.messages[0]["resourceSpans"][0]["resource"]["attributes"])
        for word in (secret, "hidden", "sk-secret"):
            self.assertNotIn(word, json.dumps(collector.messages))

    def test_a_trace_that_is_not_kept_goes_on_as_it_came(self):
        collector = self.collector()
        self.begin(environment={"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}"})
        unsampled = f"00-{TRACE}-{PARENT}-00"
        self.ask({"model": "toy"}, traceparent=unsampled)
        self.assertEqual(self.sent_on("traceparent"), unsampled)
        self.ask({"model": "toy"}, traceparent="nonsense", tracestate="vendor=1")
        until(lambda: [span for span in collector.spans() if span["name"].startswith("POST")])
        span, = [span for span in collector.spans() if span["name"].startswith("POST")]
        self.assertNotEqual(span["traceId"], TRACE)
        self.assertEqual(self.sent_on("traceparent"), f"00-{span['traceId']}-{span['spanId']}-01")
        self.assertIsNone(self.sent_on("tracestate"))

    def test_a_part_is_kept_by_the_trace_s_own_number_and_the_engine_is_told(self):
        kept, left = "0" * 15 + "1" + "1" * 16, "0" * 15 + "1" + "f" * 16
        collector = self.collector()
        for round in range(2):  # whichever gateway it comes to
            self.begin("--otlp", f"http://127.0.0.1:{collector.port}", environment={"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"})
            for trace, flag in ((kept, "01"), (left, "00")):
                self.ask({"model": "toy"}, traceparent=f"00-{trace}-{PARENT}-01")
                self.assertRegex(self.sent_on("traceparent"), f"^00-{trace}-[0-9a-f]{{16}}-{flag}$")
            until(lambda: [span["traceId"] for span in collector.spans() if span["name"].startswith("POST")] == [kept] * (round + 1))
        # A ratio of our own, parent-based: a client that keeps its trace is obeyed, one that begins here is not kept.
        self.begin("--otlp", f"http://127.0.0.1:{collector.port}", "--otlp-sample", "0")
        self.ask({"model": "toy"})
        self.assertRegex(self.sent_on("traceparent"), "^00-[0-9a-f]{32}-[0-9a-f]{16}-00$")
        self.ask({"model": "toy"}, traceparent=f"00-{left}-{PARENT}-01")
        until(lambda: [span["traceId"] for span in collector.spans() if span["name"].startswith("POST")] == [kept, kept, left])

    def test_without_a_collector_a_clients_trace_passes(self):
        self.begin()
        self.ask({"model": "toy"}, traceparent="anything")
        self.assertEqual(self.sent_on("traceparent"), "anything")
        self.assertIsNone(self.metric("sextant_spans_sent_total"))

    def test_later_is_tried_again_and_refused_is_dropped(self):
        endless = {f"X-{number}": "a" * 5000 for number in range(80)}
        collector = self.collector(replies=[(503, {"Retry-After": "1"}, {}), (500, endless, {})])
        self.begin("--otlp", f"http://127.0.0.1:{collector.port}/v1/traces")
        until(lambda: collector.spans())
        self.assertEqual(collector.taken_at[0], 3)  # those after it may have come as well
        self.assertIn("/v1/traces: its headers do not end", self.process.stderr.readline())
        dropped = self.metric("sextant_spans_dropped_total")
        self.assertEqual(dropped, 0)
        collector.replies.append((400, {}, {}))
        self.ask({"model": "toy"})
        self.assertIn("answers 400: traces are dropped", self.process.stderr.readline())
        until(lambda: self.metric("sextant_spans_dropped_total") >= 1)
        before = self.metric("sextant_spans_dropped_total")
        collector.replies.append((200, {}, {"partialSuccess": {"rejectedSpans": "1", "errorMessage": "no"}}))
        until(lambda: not collector.replies and self.metric("sextant_spans_dropped_total") == before + 1)

    def test_nobody_waits_for_a_collector_that_is_slow_or_not_there(self):
        absent = free_ports(1)[0]
        slow = self.collector(replies=[(0, {"wait": 30}, {})])
        for port in (absent, slow.port):
            self.begin("--otlp", f"http://127.0.0.1:{port}")
            body = {"model": "toy"}
            self.assertEqual([self.ask(body)[0] for _ in range(50)], [200] * 50)
            if port == absent:
                self.assertIn(f"cannot send to http://127.0.0.1:{absent}/v1/traces: no connection", self.process.stderr.readline())
            else:
                until(lambda: slow.tries == 1)
            self.process.send_signal(signal.SIGTERM)
            self.assertEqual(self.process.wait(10), 0)  # sooner than the slow one answers


if __name__ == "__main__":
    unittest.main()
