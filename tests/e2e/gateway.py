#!/usr/bin/env python3
"""The gateway in front of fake backends: what passes, what is refused, and what happens when a replica or a client goes."""
import http.client
import json
import re
import signal
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from gateway_parts import CHAT, DONE, PATIENCE, SANITIZED, SSE_HEAD, Backend, Relay, answer, chunk, event, lines, read_all, reset, route, until


def post(body, path=CHAT, extra=b""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n" % (path.encode(), extra, len(body)) + body


class Gateway(unittest.TestCase):
    def start(self, *behaviours, **more):
        backends = [Backend(behave) for behave in behaviours]
        for backend in backends:
            self.addCleanup(backend.kill)
        relay = Relay([route(i, backend.port, **more) for i, backend in enumerate(backends)])
        self.addCleanup(relay.end)
        return relay, backends

    def counters_are_zero(self, relay):
        def still():
            counts = relay.counts()
            return counts["in_flight"] == 0 and counts["body_bytes"] == 0 and all(one["in_flight"] == 0 for one in counts["replicas"])
        until(still)


class Passing(Gateway):
    def test_a_request_goes_through_unchanged_and_says_its_way(self):
        relay, (backend,) = self.start(None)
        body = b'{ "messages":[{"role":"user","content":"\\u4f60 \\"model\\": \\"no\\""}] , "model" : "toy"}'
        reply, got = relay.ask(body, headers={"X-Request-Id": "abc", "Connection": "keep-alive, X-Mine", "X-Mine": "1"})
        self.assertEqual((reply.status, json.loads(got)), (200, {"from": backend.port}))
        self.assertEqual(reply.headers["x-sextant-route"], "replica=0;why=only")
        head, seen = backend.requests[0]
        self.assertEqual(seen, body)
        names = [line.split(b":")[0].lower() for line in head.split(b"\r\n")[1:]]
        self.assertIn(b"x-request-id", names)
        self.assertNotIn(b"x-mine", names)
        self.assertEqual((names.count(b"content-length"), names.count(b"host")), (1, 1))

    def test_the_key_of_a_replica_replaces_that_of_the_client(self):
        relay, (backend,) = self.start(None, key="sk-engine")
        relay.ask({"model": "toy"}, headers={"Authorization": "Bearer sk-client"})
        self.assertIn(b"Authorization: Bearer sk-engine", backend.requests[0][0])
        self.assertNotIn(b"sk-client", backend.requests[0][0])

    def test_one_connection_carries_many_requests_on_both_sides(self):
        relay, (backend,) = self.start(None)
        with socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE) as client:
            for _ in range(20):
                client.sendall(post({"model": "toy"}))
                self.assertIn(b"200 OK", client.recv(65536))
        self.assertEqual(backend.connections, 1)

    def test_requests_sent_at_once_are_answered_in_order(self):
        relay, _ = self.start(lambda c, head, body: answer({"n": json.loads(body)["n"]}))
        for size in (0, 6000, 150_000):  # a body's last read takes something of the next request along
            ask = {"model": "toy", "x": "y" * size}
            got = relay.raw(b"".join(post({**ask, "n": n}) for n in range(5)) + post({**ask, "n": 5}, extra=b"Connection: close\r\n"))
            places = [got.find(b'"n": %d' % n) for n in range(6)]
            self.assertTrue(min(places) > 0 and sorted(places) == places, (size, places))

    def test_a_request_cut_at_every_byte_arrives_whole(self):
        relay, (backend,) = self.start(None)
        for data in (post({"model": "toy", "x": "yz"}),
                     b"POST " + CHAT.encode() + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b'{"model":') + b'6;ext=1\r\n"toy"}\r\n0\r\nTrailer: 1\r\n\r\n'):
            for at in range(1, len(data)):
                with socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE) as client:
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    client.sendall(data[:at])
                    time.sleep(0.001)
                    client.sendall(data[at:])
                    self.assertIn(b"200 OK", client.recv(65536), (data, at))
        bodies = {json.loads(body)["model"] for _, body in backend.requests}
        self.assertEqual(bodies, {"toy"})

    def test_a_stream_cut_at_every_byte_arrives_whole_and_in_whole_events(self):
        stream = event("a") + event("b\u4f60") + b": note\n\n" + DONE
        raw = chunk(stream[:7]) + chunk(stream[7:60]) + chunk(stream[60:]) + b"0\r\n\r\n"

        def behave(connection, head, body):
            at = json.loads(body)["at"]
            connection.sendall(SSE_HEAD + raw[:at])
            time.sleep(0.002)
            return raw[at:]
        relay, _ = self.start(behave)
        for at in range(len(raw)):
            reply, got = relay.ask({"model": "toy", "stream": True, "at": at})
            self.assertEqual(got, stream, at)

    def test_an_event_leaves_with_the_read_it_came_in(self):
        go = threading.Event()

        def behave(connection, head, body):
            connection.sendall(SSE_HEAD + chunk(event("first")))
            go.wait(3 * PATIENCE)  # longer than the client has patience for an event that is held back
            return chunk(DONE) + b"0\r\n\r\n"
        relay, _ = self.start(behave)
        with socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE) as client:
            client.sendall(post({"model": "toy"}))
            got = b""
            while b"first" not in got:
                got += client.recv(65536)
            go.set()
            while not got.endswith(b"0\r\n\r\n"):
                got += client.recv(65536)
        self.assertIn(DONE, got)

    def test_old_clients_get_a_stream_without_chunks(self):
        relay, _ = self.start(lambda c, h, b: SSE_HEAD + chunk(event("a")) + chunk(DONE) + b"0\r\n\r\n")
        body = b'{"model":"toy"}'
        got = relay.raw(b"POST /v1/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        self.assertTrue(got.endswith(b"\r\n\r\n" + event("a") + DONE), got)

    def test_answers_of_every_frame_and_size(self):
        big = b"x" * 3_000_000

        def behave(connection, head, body):
            kind = json.loads(body)["kind"]
            if kind == "sized":
                return answer(big)
            if kind == "chunked":
                return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(chunk(big[i:i + 70000]) for i in range(0, len(big), 70000)) + b"0\r\n\r\n"
            if kind == "empty":
                return b"HTTP/1.1 204 No Content\r\n\r\n"
            if kind == "interim":
                return b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + answer(b"late")
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + big)
            return None
        relay, _ = self.start(behave)
        for kind, wanted in (("sized", big), ("chunked", big), ("close", big), ("empty", b""), ("interim", b"late")):
            reply, got = relay.ask({"model": "toy", "kind": kind})
            self.assertEqual((reply.status in (200, 204), len(got), got == wanted), (True, len(wanted), True), kind)

    def test_a_large_body_after_100_continue(self):
        relay, (backend,) = self.start(None)
        body = json.dumps({"messages": "y" * 5_000_000, "model": "toy"}).encode()
        with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as client:
            client.sendall(post(b"", extra=b"Expect: 100-continue\r\n").replace(b"Length: 0", b"Length: %d" % len(body)))
            self.assertEqual(client.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            client.sendall(body)
            self.assertIn(b"200 OK", client.recv(65536))
        self.assertEqual(backend.requests[0][1], body)

    def test_200_at_once_over_three_replicas(self):
        all_there = threading.Event()

        def behave(connection, head, body):
            if sum(len(one.requests) for one in backends) == 200:
                all_there.set()
            all_there.wait(PATIENCE)  # whoever answers sooner gets more: nobody does
            return SSE_HEAD + chunk(event(json.loads(body)["n"])) + chunk(DONE) + b"0\r\n\r\n"
        relay, backends = self.start(behave, behave, behave)
        with ThreadPoolExecutor(200) as pool:
            got = list(pool.map(lambda n: (n, relay.ask({"model": "toy", "n": str(n)}, timeout=3 * PATIENCE)[1]), range(200)))
        for n, body in got:
            self.assertEqual(body, event(str(n)) + DONE)
        counts = [len(backend.requests) for backend in backends]
        self.assertLessEqual(max(counts) - min(counts), 2, counts)  # numbers of three digits weigh a little more
        self.counters_are_zero(relay)

    def test_saturation_is_passed_on_as_it_is(self):
        relay, (backend,) = self.start(lambda c, h, b: answer({"error": {}}, "429 Too Many Requests", b"Retry-After: 7\r\n"))
        reply, _ = relay.ask({"model": "toy"})
        self.assertEqual((reply.status, reply.headers["Retry-After"], len(backend.requests)), (429, "7", 1))


class Here(Gateway):
    def test_models_health_and_readiness_need_no_replica(self):
        relay, (backend,) = self.start(None)
        reply, got = relay.ask(None, "/v1/models", "GET")
        self.assertEqual([one["id"] for one in json.loads(got)["data"]], ["toy"])
        self.assertEqual(relay.ask(None, "/v1/models/toy", "GET")[0].status, 200)
        self.assertEqual(relay.ask(None, "/v1/models/other", "GET")[0].status, 404)
        self.assertEqual(relay.ask(None, "/health", "GET")[0].status, 200)
        self.assertEqual(relay.ask(None, "/ready", "GET")[0].status, 200)
        reply, got = relay.ask(None, "/health", "HEAD")
        self.assertEqual((reply.status, got), (200, b""))
        relay.tell([route(0, backend.port, takes=False)])
        self.assertEqual(relay.ask(None, "/ready", "GET")[0].status, 503)
        self.assertEqual(backend.requests, [])

    def refused(self, relay, status, code, *args, **more):
        reply, got = relay.ask(*args, **more)
        error = json.loads(got)["error"]
        self.assertEqual((reply.status, error["code"]), (status, code), error)
        self.assertTrue(error["message"] and any("\u4e00" <= c <= "\u9fff" for c in error["message_zh"]), error)
        return reply, error

    def test_what_is_not_served(self):
        relay, (backend,) = self.start(None)
        for path in ("/sleep", "/slots", "/server_info", "/update_weights_from_disk", "/v1/load_lora_adapter"):
            self.refused(relay, 403, "admin_path", {"model": "toy"}, path=path)
        for path in ("/", "/generate", "/metrics/", "/v1/../sleep", "//sleep", "/v1/chat/completions/", "/v1%2Fmodels"):
            self.refused(relay, 404, "path_not_served", {"model": "toy"}, path=path)
        self.refused(relay, 405, "method_not_allowed", None, path=CHAT, method="GET")
        self.refused(relay, 404, "model_not_found", {"model": "gpt-4"})
        self.refused(relay, 400, "model_not_text", {"model": 7})
        self.refused(relay, 400, "bad_request_body", b"[1]")
        self.refused(relay, 400, "bad_request_body", b'{"model":"toy"')
        self.refused(relay, 400, "upgrade_not_served", {"model": "toy"}, headers={"Connection": "Upgrade", "Upgrade": "websocket"})
        self.refused(relay, 417, "expectation", {"model": "toy"}, headers={"Expect": "a miracle"})
        self.assertEqual(backend.requests, [])

    def test_a_request_without_a_model_goes_where_only_one_is_served(self):
        relay, (backend,) = self.start(None)
        self.assertEqual(relay.ask({"messages": []})[0].status, 200)
        other = Backend()
        relay.tell([route(0, backend.port), route(1, other.port, "second")])
        self.refused(relay, 400, "model_missing", {"messages": []})
        for model, at in (("toy", backend), ("second", other)):
            self.assertEqual(json.loads(relay.ask({"model": model})[1]), {"from": at.port})

    def test_the_model_of_a_form(self):
        relay, (backend,) = self.start(None)
        form = b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n%s\r\n--b--\r\n'
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        self.assertEqual(relay.ask(form % b"toy", "/v1/audio/transcriptions", headers=kind)[0].status, 200)
        self.refused(relay, 404, "model_not_found", form % b"none", path="/v1/audio/transcriptions", headers=kind)

    def test_no_replica_is_said_with_when_to_come_again(self):
        relay = Relay([])
        self.addCleanup(relay.end)
        reply, error = self.refused(relay, 503, "no_replica", {"model": "toy"})
        self.assertEqual(reply.headers["Retry-After"], "1")
        self.assertIn("toy", error["message"])

    def test_anthropic_errors_have_their_own_shape(self):
        relay = Relay([])
        self.addCleanup(relay.end)
        _, got = relay.ask({"model": "toy"}, "/v1/messages")
        whole = json.loads(got)
        self.assertEqual((whole["type"], whole["error"]["type"]), ("error", "overloaded_error"))


class Hostile(Gateway):
    BODY = b'{"model":"toy"}'

    def test_whatever_two_servers_could_read_differently_is_refused(self):
        relay, (backend,) = self.start(None)
        line, host = b"POST " + CHAT.encode() + b" HTTP/1.1\r\n", b"Host: x\r\n"
        size = b"Content-Length: 15\r\n"
        chunks = chunk(self.BODY) + b"0\r\n\r\n"
        for name, data in {
            "length and chunks": line + host + size + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
            "two lengths": line + host + size + b"Content-Length: 15\r\n\r\n" + self.BODY,
            "two unlike lengths": line + host + size + b"Content-Length: 3\r\n\r\n" + self.BODY,
            "a list of lengths": line + host + b"Content-Length: 15, 15\r\n\r\n" + self.BODY,
            "a signed length": line + host + b"Content-Length: +15\r\n\r\n" + self.BODY,
            "a negative length": line + host + b"Content-Length: -1\r\n\r\n" + self.BODY,
            "a huge length": line + host + b"Content-Length: 99999999999999999999\r\n\r\n" + self.BODY,
            "a folded field": line + host + b"X: a\r\n b\r\n" + size + b"\r\n" + self.BODY,
            "a bare line feed": line + b"Host: x\n" + size + b"\r\n" + self.BODY,
            "bare line feeds alone": b"POST / HTTP/1.1\nHost: x\n\n",
            "a bare carriage return": line + host + b"X: a\rb\r\n" + size + b"\r\n" + self.BODY,
            "a blank before the colon": line + host + b"Content-Length : 15\r\n\r\n" + self.BODY,
            "a null byte": line + host + b"X: a\0b\r\n" + size + b"\r\n" + self.BODY,
            "another encoding": line + host + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks,
            "an encoding twice": line + host + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
            "a tab in the encoding": line + host + b"Transfer-Encoding: \x0bchunked\r\n\r\n" + chunks,
            "chunks in HTTP/1.0": line.replace(b"1.1", b"1.0") + host + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
            "no host": line + size + b"\r\n" + self.BODY,
            "two hosts": line + host + host + size + b"\r\n" + self.BODY,
            "HTTP/2 by hand": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "an empty line first": b"\r\n" + line + host + size + b"\r\n" + self.BODY,
            "a chunk size with a sign": line + host + b"Transfer-Encoding: chunked\r\n\r\n+f\r\n" + self.BODY + b"\r\n0\r\n\r\n",
            "a chunk size in C": line + host + b"Transfer-Encoding: chunked\r\n\r\n0xf\r\n" + self.BODY + b"\r\n0\r\n\r\n",
            "a chunk that is longer": line + host + b"Transfer-Encoding: chunked\r\n\r\n3\r\n" + self.BODY + b"\r\n0\r\n\r\n",
            "a chunk line with a bare line feed": line + host + b"Transfer-Encoding: chunked\r\n\r\nf\n" + self.BODY + b"\r\n0\r\n\r\n",
            "not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        }.items():
            got = relay.raw(data + b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertRegex(got[:12], rb"HTTP/1.1 (400|505)", name)
            self.assertEqual(len(re.findall(rb"HTTP/1\.1 \d{3} ", got)), 1, name)
        self.assertEqual(backend.requests, [])

    def test_what_is_too_large(self):
        relay, (backend,) = self.start(None)
        self.assertIn(b" 431 ", relay.raw(b"GET /v1/models HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 40000 + b"\r\n\r\n")[:20])
        self.assertIn(b" 431 ", relay.raw(b"GET /v1/models HTTP/1.1\r\nHost: x\r\n" + b"X: a\r\n" * 200 + b"\r\n")[:20])
        self.assertIn(b" 413 ", relay.raw(post(b"", extra=b"").replace(b"Length: 0", b"Length: 99999999999"))[:20])
        self.assertEqual(backend.requests, [])
        self.counters_are_zero(relay)

    def test_a_replica_that_does_not_speak_http_is_named(self):
        for words in (b"hello\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", b"HTTP/1.1 200 OK\nX: 1\n\n", b"X" * 20000):
            relay, _ = self.start(lambda c, h, b, words=words: words)
            reply, got = relay.ask({"model": "toy", "prompt": "the secret"})
            self.assertEqual(reply.status, 502)
            self.assertIn("replica 0", json.loads(got)["error"]["message"])
            self.assertNotIn(b"secret", got)

    def test_slow_heads_do_not_stay(self):
        relay, _ = self.start(None)
        with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as client:
            client.sendall(b"POST /v1/chat/comp")
            self.assertIn(b" 408 ", read_all(client)[:20])


class Failure(Gateway):
    def test_a_replica_that_ends_before_its_first_byte_is_replaced_once(self):
        relay, (bad, good) = self.start(lambda c, h, b: reset(c), None)
        whys, begin = set(), time.monotonic()
        for _ in range(6):
            reply, got = relay.ask({"model": "toy"})
            self.assertEqual((reply.status, json.loads(got)), (200, {"from": good.port}))
            whys.add(reply.headers["x-sextant-route"])
        self.assertIn("replica=1;why=failover", whys)
        # Then it rests for a second while others are there.
        self.assertLessEqual(len(bad.requests), 1 + int((time.monotonic() - begin) / 0.9))
        self.assertGreaterEqual(relay.counts()["retries"], 1)

    def test_two_replicas_at_most_work_on_a_request(self):
        relay, backends = self.start(*[lambda c, h, b: reset(c)] * 3)
        reply, got = relay.ask({"model": "toy"})
        self.assertEqual((reply.status, json.loads(got)["error"]["code"]), (502, "replica_failed"))
        self.assertEqual(sum(len(backend.requests) for backend in backends), 2)

    def test_those_that_refuse_cost_no_try(self):
        relay, backends = self.start(None, None, None)
        for backend in backends[:2]:
            backend.kill()
        for _ in range(4):
            self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
        self.assertEqual(len(backends[2].requests), 4)

    def test_an_answer_that_may_be_stored_is_not_asked_for_twice(self):
        relay, backends = self.start(lambda c, h, b: reset(c), lambda c, h, b: reset(c))
        reply, got = relay.ask({"model": "toy"}, "/v1/responses")
        self.assertEqual((reply.status, sum(len(backend.requests) for backend in backends)), (502, 1))
        self.assertIn("not sent twice", json.loads(got)["error"]["message"])

    def test_an_idle_connection_that_the_engine_closed_costs_nothing(self):
        def behave(connection, head, body):
            connection.sendall(answer({"ok": 1}))
            time.sleep(0.02)
            return reset(connection)
        relay, (backend,) = self.start(behave)
        for _ in range(10):
            self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
            time.sleep(0.03)

    def test_a_stream_whose_replica_is_lost_ends_with_an_error_event(self):
        for torn in (b"", chunk(event("half")[:20]), b"40\r\n" + event("half")[:20]):
            def behave(connection, head, body, torn=torn):
                connection.sendall(SSE_HEAD + chunk(event("a")) + torn)
                time.sleep(0.05)
                reset(connection)
            relay, _ = self.start(behave)
            reply, got = relay.ask({"model": "toy", "prompt": "the secret"})
            events = [one for one in got.split(b"\n\n") if one]
            self.assertEqual(events[0] + b"\n\n", event("a"))
            error = json.loads(events[1].removeprefix(b"data: "))["error"]
            self.assertEqual((error["code"], events[2]), ("replica_lost", b"data: [DONE]"))
            self.assertIn("replica 0", error["message"])
            self.assertNotIn(b"secret", got)
            self.assertEqual(len(events), 3)
            self.counters_are_zero(relay)

    def test_an_answer_that_is_no_stream_is_seen_to_be_cut(self):
        def behave(connection, head, body):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            time.sleep(0.02)
            reset(connection)
        relay, _ = self.start(behave)
        got = relay.raw(post({"model": "toy"}))
        self.assertTrue(got.endswith(b"half"))

    def test_killed_under_load_no_request_without_a_first_byte_fails(self):
        def behave(connection, head, body):
            time.sleep(0.01)
            return answer({"ok": 1})
        relay, backends = self.start(behave, behave, behave)
        statuses, over = [], threading.Event()

        def load():
            while not over.is_set():
                try:
                    statuses.append(relay.ask({"model": "toy"})[0].status)
                except (OSError, http.client.HTTPException) as error:
                    statuses.append(repr(error))
        threads = [threading.Thread(target=load) for _ in range(8)]
        self.addCleanup(over.set)
        for thread in threads:
            thread.start()
        until(lambda: len(statuses) >= 60, 30)  # by number: how many a second come is the machine's
        backends[1].kill()
        until(lambda: len(statuses) >= 200, 60)
        over.set()
        for thread in threads:
            thread.join(3 * PATIENCE)
        self.assertEqual(set(statuses), {200})
        self.counters_are_zero(relay)


class Clients(Gateway):
    def test_a_client_that_goes_closes_the_replica_s_side_at_once(self):
        closed = []

        def behave(connection, head, body):
            if json.loads(body).get("stream"):
                connection.sendall(SSE_HEAD + chunk(event("a")))
            connection.settimeout(3 * PATIENCE)  # after that it ends with another error, and is not counted
            try:
                connection.recv(1)
            except ConnectionResetError:
                pass
            closed.append(True)
        relay, _ = self.start(behave)
        for stream in (True, False):
            with socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE) as client:
                client.sendall(post({"model": "toy", "stream": stream}))
                until(lambda: relay.counts()["in_flight"] == 1)
            until(lambda stream=stream: len(closed) == (1 if stream else 2))
            self.counters_are_zero(relay)

    def test_a_client_that_does_not_read_holds_back_its_replica_and_no_memory(self):
        sent = [0] * 20

        def behave(connection, head, body):
            mine = json.loads(body)["n"]
            connection.sendall(SSE_HEAD)
            piece = chunk(event("x" * 4000))
            connection.settimeout(20)
            while sent[mine] < 100_000_000:
                connection.sendall(piece)
                sent[mine] += len(piece)
        relay, _ = self.start(behave)
        before = relay.rss()
        clients = []
        for n in range(20):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", relay.port))
            client.sendall(post({"model": "toy", "n": n}))
            clients.append(client)
        until(lambda: min(sent) > 100_000)
        last = []

        def still():
            last.append(sum(sent))
            time.sleep(0.2)
            return len(last) > 1 and last[-1] == last[-2]
        until(still, 20)
        if not SANITIZED:  # a sanitized program keeps what is given back
            self.assertLess(relay.rss() - before, 20 * 32 * 1024 + 2_000_000)
        for client in clients:
            client.close()
        self.counters_are_zero(relay)

    def test_many_that_go_at_any_time_leave_nothing_behind(self):
        def behave(connection, head, body):
            connection.sendall(SSE_HEAD)
            for n in range(20):
                connection.sendall(chunk(event(str(n))))
                time.sleep(0.001)
            return chunk(DONE) + b"0\r\n\r\n"
        relay, _ = self.start(behave, behave)

        def one(n):
            with socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE) as client:
                data = post({"model": "toy", "n": n})
                client.sendall(data[:n % len(data) + 1] if n % 3 == 0 else data)
                if n % 3 == 1:
                    client.recv(100)
                if n % 2:
                    reset(client)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(one, range(500)))
        self.counters_are_zero(relay)
        until(lambda: relay.counts()["connections"] == 0)
        self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)


class Control(Gateway):
    def test_a_replica_that_takes_no_more_keeps_what_it_has(self):
        go = threading.Event()

        def behave(connection, head, body):
            connection.sendall(SSE_HEAD + chunk(event("a")))
            go.wait(3 * PATIENCE)
            return chunk(DONE) + b"0\r\n\r\n"
        relay, (first, second) = self.start(behave, None)
        with ThreadPoolExecutor(1) as pool:
            relay.tell([route(0, first.port)])
            running = pool.submit(relay.ask, {"model": "toy"})
            until(lambda: len(first.requests) == 1)
            relay.begun()
            counts = relay.tell([route(0, first.port, takes=False), route(1, second.port)])
            self.assertEqual([one["in_flight"] for one in counts["replicas"]], [1, 0])
            self.assertGreater(counts["replicas"][0]["bytes"], 0)
            for _ in range(5):
                self.assertEqual(json.loads(relay.ask({"model": "toy"})[1]), {"from": second.port})
            with relay.control() as control:
                go.set()
                self.assertTrue(any(counts["replicas"][0]["in_flight"] == 0 for counts in lines(control)))
            self.assertEqual(running.result()[1], event("a") + DONE)

    def test_a_replica_that_is_gone_from_the_table_is_cut(self):
        def behave(connection, head, body):
            connection.sendall(SSE_HEAD + chunk(event("a")))
            time.sleep(3 * PATIENCE)
        relay, (first,) = self.start(behave)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(relay.ask, {"model": "toy"})
            until(lambda: len(first.requests) == 1)
            relay.begun()
            relay.tell([])
            got = running.result(PATIENCE)[1]
            self.assertTrue(got.startswith(event("a")), got)
            self.assertIn(b"was taken out", got)

    def test_a_daemon_that_comes_back_gets_the_listening_socket(self):
        relay, (backend,) = self.start(None)
        with relay.control() as control:
            control.sendall(b'{"do":"listener"}\n')
            while True:
                data, fds, _, _ = socket.recv_fds(control, 4096, 4)
                if fds:
                    break
        again = socket.socket(fileno=fds[0])
        self.assertEqual(again.getsockname(), relay.listener.getsockname())
        again.close()

    def test_it_serves_on_without_a_daemon_and_with_the_table_on_disk(self):
        relay, (backend,) = self.start(None)
        for bad in (b"no json\n", b'{"do":"routes","replicas":7}\n', b"\0" * 100 + b"\n"):
            with relay.control() as control:
                control.sendall(bad)
                until(lambda control=control: read_all(control) is not None)
        self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)

    def test_killed_a_new_one_answers_who_waits_at_the_same_socket(self):
        relay, (backend,) = self.start(None)
        self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
        relay.process.kill()
        relay.process.wait(PATIENCE)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(relay.ask, {"model": "toy"})  # in the kernel's queue meanwhile
            relay.start()
            self.assertEqual(waiting.result(PATIENCE)[0].status, 200)

    def drained(self, end):
        go = threading.Event()

        def behave(connection, head, body):
            connection.sendall(SSE_HEAD + chunk(event("a")))
            go.wait(3 * PATIENCE)
            return chunk(DONE) + b"0\r\n\r\n"
        relay, (backend,) = self.start(behave)
        idle = socket.create_connection(("127.0.0.1", relay.port), timeout=PATIENCE)
        with ThreadPoolExecutor(1) as pool, idle:
            running = pool.submit(relay.ask, {"model": "toy"})
            until(lambda: len(backend.requests) == 1)
            end(relay)
            self.assertEqual(idle.recv(100), b"")  # it ends; a silence would be an error
            self.assertIsNone(relay.process.poll())
            time.sleep(0.2)
            go.set()
            self.assertEqual(running.result(PATIENCE)[1], event("a") + DONE)
            self.assertEqual(relay.process.wait(PATIENCE), 0)  # sooner than its time for a drain is over
        self.assertFalse((relay.folder / "gateway.sock").exists())

    def test_asked_to_end_it_drains(self):
        self.drained(lambda relay: relay.process.send_signal(signal.SIGTERM))

    def test_told_to_stop_it_drains(self):
        def stop(relay):
            with relay.control() as control:
                control.sendall(b'{"do":"stop","grace_s":300}\n')
        self.drained(stop)

    def test_a_drain_has_a_limit(self):
        def behave(connection, head, body):
            connection.sendall(SSE_HEAD + chunk(event("a")))
            time.sleep(3 * PATIENCE)
        relay, (backend,) = self.start(behave)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(relay.raw, post({"model": "toy"}))
            until(lambda: len(backend.requests) == 1)
            relay.begun()
            with relay.control() as control:
                control.sendall(b'{"do":"stop","grace_s":1}\n')
                self.assertEqual(relay.process.wait(PATIENCE), 0)  # the stream lasts three times as long
            self.assertTrue(running.result(PATIENCE).endswith(event("a") + b"\r\n"))


if __name__ == "__main__":
    unittest.main()
