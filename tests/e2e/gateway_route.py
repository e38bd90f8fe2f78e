#!/usr/bin/env python3
"""Where requests go and what they wait for: conversations, sessions, other names, full and coming replicas."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import jsonschema

from deployments import HOST, Deployment, fake_launch, free_ports, wait_for
from gateway_parts import CHAT, DONE, SEXTANT, SSE_HEAD, Backend, Relay, answer, chunk, event, route, until
from prometheus_page import parse


def line_of(relay, routes, **more):
    relay.version += 1
    return json.dumps({"do": "routes", "version": relay.version, "model": "toy", "replicas": routes, **more}) + "\n"


def tell(relay, routes, **more):
    """A table with more than gateway_parts knows, and back once the gateway acts on it."""
    with relay.control() as control:
        control.sendall(line_of(relay, routes, **more).encode())
        data = b""
        while True:
            data += control.recv(65536)
            while b"\n" in data:
                line, data = data.split(b"\n", 1)
                if json.loads(line)["version"] >= relay.version:
                    return


def way(reply):
    return dict(part.split("=") for part in reply.headers["x-sextant-route"].split(";"))


def turns(*texts):
    roles = ("user", "assistant")
    return [{"role": "system", "content": "Be brief."}] + [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]


class Routing(unittest.TestCase):
    def start(self, *behaviours, **more):
        backends = [Backend(behave) for behave in behaviours]
        relay = Relay([route(i, one.port) for i, one in enumerate(backends)])
        self.addCleanup(relay.end)
        for one in backends:
            self.addCleanup(one.kill)
        if more:
            tell(relay, [{**route(i, one.port), **more.pop("replica", {})} for i, one in enumerate(backends)], **more)
        return relay, backends

    # --- where ---

    def test_turns_of_a_conversation_go_to_one_replica_and_conversations_spread(self):
        relay, backends = self.start(*[None] * 4)
        used = set()
        for i in range(24):
            first, _ = relay.ask({"model": "toy", "messages": turns(f"question {i}")})
            second, _ = relay.ask({"model": "toy", "temperature": 0, "messages": turns(f"question {i}", "because", "really?")})
            self.assertEqual(way(first)["replica"], way(second)["replica"])
            self.assertEqual(way(second)["why"], "prefix")
            used.add(way(first)["replica"])
        self.assertEqual(len(used), 4)

    def test_a_conversation_keeps_its_replica_when_another_one_is_lost_and_the_lost_one_s_move(self):
        relay, backends = self.start(*[None] * 4)
        def places(count=32):
            return [way(relay.ask({"model": "toy", "messages": turns(f"q{i}")})[0])["replica"] for i in range(count)]
        before = places()
        relay.tell([route(i, one.port) for i, one in enumerate(backends) if i != 2])
        after = places()
        moved = [(a, b) for a, b in zip(before, after) if a != b]
        self.assertTrue(moved)
        self.assertEqual({a for a, _ in moved}, {"2"})
        self.assertGreater(len({b for _, b in moved}), 1)

    def test_a_session_by_name_stays_whatever_it_asks(self):
        relay, _ = self.start(*[None] * 4)
        for header in ("X-Session-ID", "x-smg-routing-key", "x-claude-code-session-id"):
            ways = [way(relay.ask({"model": "toy", "messages": turns(f"{header} {i}")}, headers={header: "one"})[0]) for i in range(8)]
            self.assertEqual(len({one["replica"] for one in ways}), 1)
            self.assertEqual({one["why"] for one in ways}, {"session"})

    def test_a_busy_replica_is_passed_over_and_the_next_one_in_order_answers(self):
        free = threading.Event()
        self.addCleanup(free.set)
        def slow(connection, head, body):
            if b"hold" in body:
                free.wait(20)
            return answer({})
        relay, _ = self.start(*[slow] * 3)
        session = {"X-Session-ID": "s"}
        home = way(relay.ask({"model": "toy", "messages": []}, headers=session)[0])["replica"]
        big = {"model": "toy", "messages": turns("hold" + "x" * 200_000)}
        threads = [threading.Thread(target=relay.ask, args=(big,), kwargs={"headers": session}) for _ in range(2)]
        threads[0].start()
        until(lambda: relay.counts()["in_flight"] == 1)
        reply, _ = relay.ask({"model": "toy", "messages": []}, headers=session)
        self.assertNotEqual(way(reply)["replica"], home)
        self.assertEqual(way(reply)["why"], "spill")
        free.set()
        threads[0].join(20)

    def test_weights_share_the_conversations(self):
        relay, backends = self.start(None, None)
        tell(relay, [{**route(0, backends[0].port), "weight": 9}, route(1, backends[1].port)])
        for i in range(60):
            relay.ask({"model": "toy", "messages": turns(f"q {i}")})
        self.assertGreater(len(backends[0].requests), 3 * len(backends[1].requests))
        self.assertTrue(backends[1].requests)

    def test_an_answer_is_gone_on_from_where_it_was_given(self):
        def responds(connection, head, body):
            return answer({"id": f"resp_{connection.getsockname()[1]}", "object": "response"})
        relay, backends = self.start(*[responds] * 4)
        for i in range(6):
            first, body = relay.ask({"model": "toy", "input": f"a {i}"}, "/v1/responses")
            ask = {"model": "toy", "input": "b", "previous_response_id": json.loads(body)["id"]}
            second, _ = relay.ask(ask, "/v1/responses")
            self.assertEqual(way(second), {"replica": way(first)["replica"], "why": "response"})

    # --- names ---

    def test_another_name_is_written_over_in_the_body_and_nowhere_else(self):
        relay, (backend,) = self.start(None)
        tell(relay, [route(0, backend.port)], aliases={"gpt-4o": "toy"}, default_model="toy")
        body = b'{ "messages" : [{"role":"user","content":"\\u4f60 \\"model\\":\\"gpt-4o\\""}],\n "model" : "gpt-4o" , "x":1.50}'
        self.assertEqual(relay.ask(body)[0].status, 200)
        head, got = backend.requests[-1]
        self.assertEqual(got, body.replace(b'"model" : "gpt-4o"', b'"model" : "toy"'))
        self.assertIn(f"Content-Length: {len(got)}".encode(), head)
        relay.ask(b'{"messages":[]}')
        self.assertEqual(backend.requests[-1][1], b'{"model":"toy","messages":[]}')
        form = b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\ngpt-4o\r\n--b--\r\n'
        relay.ask(form, "/v1/audio/transcriptions", headers={"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual(backend.requests[-1][1], form.replace(b"gpt-4o", b"toy"))

    def test_models_are_listed_with_their_state_and_named_in_errors(self):
        relay, (backend, other) = self.start(None, None)
        tell(relay, [route(0, backend.port), route(1, other.port, takes=False, model="away")], coming=["soon"], aliases={"gpt-4o": "toy"})
        _, body = relay.ask(None, "/v1/models", "GET")
        models = {one["id"]: one for one in json.loads(body)["data"]}
        self.assertEqual({name: one["sextant"]["state"] for name, one in models.items()},
                         {"toy": "ready", "away": "unavailable", "soon": "starting", "gpt-4o": "ready"})
        self.assertEqual(models["gpt-4o"]["root"], "toy")
        reply, body = relay.ask({"model": "none", "messages": []})
        self.assertEqual(reply.status, 404)
        self.assertIn("away, gpt-4o, soon, toy", json.loads(body)["error"]["message"])
        self.assertEqual(relay.ask(None, "/v1/models/gpt-4o", "GET")[0].status, 200)

    # --- waiting ---

    def waiting(self, relay, body=None, **more):
        """A request in a thread of its own, back once it waits; join() gives the reply."""
        box = {}
        def ask():
            box["reply"] = relay.ask(body or {"model": "toy", "messages": []}, **more)
        before = relay.counts()["waiting"]
        thread = threading.Thread(target=ask)
        thread.start()
        until(lambda: relay.counts()["waiting"] == before + 1)
        def join():
            thread.join(20)
            return box["reply"]
        return join

    def test_a_request_waits_for_a_replica_that_comes(self):
        relay, (backend,) = self.start(None)
        tell(relay, [], coming=["toy"])
        first = self.waiting(relay)
        second = self.waiting(relay)
        tell(relay, [route(0, backend.port)])
        (one, _), (two, _) = first(), second()
        self.assertEqual((one.status, two.status), (200, 200))
        self.assertRegex(one.headers["x-sextant-queue"], r"^place=1;waited_ms=\d+$")
        self.assertRegex(two.headers["x-sextant-queue"], r"^place=2;")
        self.assertIsNone(relay.ask({"model": "toy", "messages": []})[0].headers["x-sextant-queue"])
        self.assertEqual(relay.counts()["waiting"], 0)

    def test_one_that_comes_no_more_ends_the_wait_at_once(self):
        relay, _ = self.start(None)
        tell(relay, [], coming=["toy"])
        join = self.waiting(relay)
        tell(relay, [])
        reply, body = join()
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "no_replica"))
        self.assertTrue(int(reply.headers["Retry-After"]) > 0)

    def test_replicas_with_as_much_as_they_take_are_waited_for_in_order_of_priority(self):
        free = threading.Semaphore(0)
        seen = []
        def one_at_a_time(connection, head, body):
            seen.append(json.loads(body)["n"])
            free.acquire(timeout=20)
            return answer({})
        relay, (backend,) = self.start(one_at_a_time)
        tell(relay, [{**route(0, backend.port), "most": 1}])
        def ask(n, **headers):
            return {"model": "toy", "messages": [], "n": n}, {"headers": {name.replace("_", "-"): value for name, value in headers.items()}}
        running = threading.Thread(target=relay.ask, args=(ask(0)[0],))
        running.start()
        until(lambda: seen == [0])
        joins = []
        for n, priority in ((1, "0"), (2, "0"), (3, "9")):
            body, more = ask(n, x_sextant_priority=priority)
            joins.append(self.waiting(relay, body, **more))
        for expected in ([0, 3], [0, 3, 1], [0, 3, 1, 2]):
            free.release()
            until(lambda: seen == expected)
        free.release()
        self.assertEqual([join()[0].status for join in joins], [200] * 3)
        running.join(20)
        self.assertEqual(relay.counts()["waiting"], 0)

    def test_the_line_is_bounded_and_a_client_may_say_that_it_does_not_wait(self):
        relay, _ = self.start(None)
        tell(relay, [], coming=["toy"], queue=1)
        reply, body = relay.ask({"model": "toy", "messages": []}, headers={"x-sextant-wait": "0"})
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "no_replica"))
        join = self.waiting(relay)
        reply, body = relay.ask({"model": "toy", "messages": []})
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "queue_full"))
        tell(relay, [])
        self.assertEqual(join()[0].status, 503)

    def test_a_wait_has_an_end(self):
        relay, _ = self.start(None)
        tell(relay, [], coming=["toy"], queue_wait_s=1)
        reply, body = relay.ask({"model": "toy", "messages": []})
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "queue_timeout"))
        self.assertRegex(reply.headers["x-sextant-queue"], r"^place=1;waited_ms=\d+$")
        self.assertTrue(reply.headers["Retry-After"])

    def test_a_client_that_goes_leaves_the_line(self):
        relay, _ = self.start(None)
        tell(relay, [], coming=["toy"])
        body = json.dumps({"model": "toy", "messages": []}).encode()
        connection = socket.create_connection(("127.0.0.1", relay.port))
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        until(lambda: relay.counts()["waiting"] == 1)
        connection.close()
        until(lambda: relay.counts()["waiting"] == 0 and relay.counts()["connections"] == 0)

    def test_all_that_wait_end_with_the_time_of_a_drain(self):
        relay, _ = self.start(None)
        tell(relay, [], coming=["toy"])
        body = json.dumps({"model": "toy", "messages": []}).encode()
        asks = b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        with contextlib.ExitStack() as open_ones:
            for _ in range(300):
                open_ones.enter_context(socket.create_connection(("127.0.0.1", relay.port))).sendall(asks)
            until(lambda: relay.counts()["waiting"] == 300)
            relay.process.send_signal(signal.SIGTERM)
            until(lambda: not (relay.folder / "gateway.sock").exists())
            relay.process.send_signal(signal.SIGTERM)
            relay.process.wait(8)  # one after the other takes them twice as long

    def test_states_are_on_the_page_while_somebody_tells_them(self):
        relay, _ = self.start(None)
        def states():
            page = parse(relay.ask(None, "/metrics", "GET")[1].decode())
            return {dict(labels)["state"]: value for (name, labels), value in page.items() if name == "sextant_replica_state"}
        self.assertEqual(states(), {})
        with relay.control() as control:
            line = {"do": "states", "replicas": [{"replica": 3, "engine": "vllm", "state": "wedged", "wedges": 2}]}
            control.sendall(json.dumps(line).encode() + b"\n")
            until(lambda: states().get("wedged") == 1)
            self.assertEqual((len(states()), sum(states().values())), (9, 1))
            line["replicas"] = []
            control.sendall(json.dumps(line).encode() + b"\n")
            until(lambda: states() == {})
            line["replicas"] = [{"replica": 3, "engine": "vllm", "state": "ready", "wedges": 2}]
            control.sendall(json.dumps(line).encode() + b"\n")
            until(lambda: states().get("ready") == 1)
        until(lambda: states() == {})

    def test_a_body_that_drips_has_an_end(self):
        relay, (backend,) = self.start(None)
        tell(relay, [route(0, backend.port)], body_s=1)
        clients = []
        for framing in (b"Content-Length: 4000", b"Transfer-Encoding: chunked"):
            clients.append(socket.create_connection(("127.0.0.1", relay.port), timeout=10))
            clients[-1].sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n" + framing + b"\r\n\r\n")
        said = [b"", b""]
        end = time.monotonic() + 10
        while not all(said) and time.monotonic() < end:
            time.sleep(0.1)
            for i, (client, drop) in enumerate(zip(clients, (b"x", b"1\r\nx\r\n"))):
                client.settimeout(0.01)
                try:
                    said[i] += client.recv(4096)
                except TimeoutError:
                    client.sendall(drop)
        for client, got in zip(clients, said):
            self.assertIn(b" 408 ", got.split(b"\r\n")[0])
            self.assertIn(b'"code":"request_timeout"', got)
            client.close()
        self.assertEqual(backend.requests, [])
        self.assertEqual(relay.ask({"model": "toy", "messages": []})[0].status, 200)

    # --- the only replica dies ---

    def dies(self, times=1):
        """A replica that ends within its first `times` requests, with its relay; `again` starts it anew."""
        port = free_ports(1)[0]
        made = []
        def again():
            life, born = len(made) + 1, threading.Event()
            def behave(connection, head, body):
                born.wait(10)  # it may be asked as soon as it listens
                if life <= times:
                    made[life - 1].kill()
                    return None
                return answer({"life": life})
            made.append(Backend(behave, port))
            born.set()
            self.addCleanup(made[-1].kill)
        again()
        relay = Relay([])
        self.addCleanup(relay.end)
        tell(relay, [route(0, port)], restarts=True)
        return relay, made, again, port

    def test_a_request_waits_for_the_only_replica_that_ended_under_it(self):
        relay, made, again, port = self.dies()
        first = self.waiting(relay, {"model": "toy", "messages": [], "n": 1})
        tell(relay, [], coming=["toy"], restarts=True)
        second = self.waiting(relay, {"model": "toy", "messages": [], "n": 2})
        again()
        tell(relay, [route(0, port)], restarts=True)
        (one, body), (two, _) = first(), second()
        self.assertEqual((one.status, json.loads(body)), (200, {"life": 2}))
        self.assertRegex(one.headers["x-sextant-queue"], r"^place=1;(estimate_ms=\d+;)?waited_ms=\d+$")
        self.assertRegex(two.headers["x-sextant-queue"], r"^place=2;")
        self.assertEqual(two.status, 200)
        self.assertEqual(relay.counts()["waiting"], 0)

    def test_it_is_asked_again_where_it_was_when_nobody_has_seen_that_it_ended(self):
        relay, made, again, _ = self.dies()
        join = self.waiting(relay)
        again()
        self.assertEqual(join()[0].status, 200)

    def test_a_request_that_ends_it_twice_is_not_sent_a_third_time(self):
        relay, made, again, _ = self.dies(times=5)
        join = self.waiting(relay)
        again()
        reply, body = join()
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (502, "replica_failed"))
        self.assertEqual(sum(len(one.requests) for one in made), 2)

    def test_the_wait_for_it_has_an_end(self):
        relay, made, again, port = self.dies()
        tell(relay, [route(0, port)], restarts=True, queue_wait_s=1)
        reply, body = relay.ask({"model": "toy", "messages": []})
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "queue_timeout"))
        self.assertTrue(int(reply.headers["Retry-After"]) > 0)

    def test_what_may_have_been_stored_is_not_sent_again(self):
        relay, made, again, _ = self.dies()
        reply, body = relay.ask({"model": "toy", "input": "a"}, "/v1/responses")
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (502, "replica_failed"))

    def test_a_model_that_failed_for_good_is_named_with_its_cause(self):
        relay, made, again, port = self.dies()
        join = self.waiting(relay)
        tell(relay, [route(1, port, model="other")], down={"toy": "oom-weights-too-big", "drained": ""}, restarts=True)
        for reply, body in (join(), relay.ask({"model": "toy", "messages": []})):
            error = json.loads(body)["error"]
            self.assertEqual((reply.status, error["code"], reply.headers["Retry-After"]), (503, "model_failed", "60"))
            self.assertIn("oom-weights-too-big", error["message"])
            self.assertIn("oom-weights-too-big", error["message_zh"])
        reply, body = relay.ask({"model": "drained", "messages": []})
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "no_replica"))
        self.assertEqual(relay.ask({"model": "unheard", "messages": []})[0].status, 404)
        states = {one["id"]: one["sextant"]["state"] for one in json.loads(relay.ask(None, "/v1/models", "GET")[1])["data"]}
        self.assertEqual((states["toy"], states["drained"]), ("unavailable", "unavailable"))

    def stream_that_waits(self, relay):
        connection = socket.create_connection(("127.0.0.1", relay.port), timeout=30)
        self.addCleanup(connection.close)
        body = json.dumps({"model": "toy", "stream": True, "messages": []}).encode()
        connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        got = b""
        while b": waiting" not in got:
            more = connection.recv(4096)
            self.assertTrue(more, got)
            got += more
        head, comment = got.split(b"\r\n\r\n", 1)
        self.assertIn(b"200 OK", head)
        self.assertIn(b"text/event-stream", head)
        self.assertIn(b"x-sextant-queue: place=1", head)
        self.assertIn(b": waiting for a replica, place 1\n\n", comment)
        return connection

    def rest_of(self, connection):
        got = b""
        while not got.endswith(b"0\r\n\r\n"):
            more = connection.recv(4096)
            self.assertTrue(more, got)
            got += more
        return got

    def test_a_stream_that_waits_long_begins_with_comments_and_goes_on(self):
        def streams(connection, head, body):
            return SSE_HEAD + chunk(event("one")) + chunk(DONE) + b"0\r\n\r\n"
        relay, (backend,) = self.start(streams)
        tell(relay, [], coming=["toy"], comment_s=1)
        connection = self.stream_that_waits(relay)
        tell(relay, [route(0, backend.port)])
        got = self.rest_of(connection)
        self.assertIn(b": x-sextant-route replica=0;why=only\n", got)
        self.assertIn(b": x-sextant-queue place=1;", got)
        self.assertIn(event("one"), got)
        self.assertIn(DONE, got)

    def test_a_stream_that_has_begun_ends_with_the_refusal_as_an_event(self):
        relay, _ = self.start(None)
        tell(relay, [], coming=["toy"], comment_s=1)
        connection = self.stream_that_waits(relay)
        tell(relay, [])
        got = self.rest_of(connection)
        self.assertIn(b'"code":"no_replica"', got)
        self.assertIn(DONE, got)

    def test_what_is_no_stream_becomes_an_event_of_one_that_has_begun(self):
        relay, (backend,) = self.start(lambda *_: answer(b'{"error":\n {"message":"no"}}', "400 Bad Request"))
        tell(relay, [], coming=["toy"], comment_s=1)
        connection = self.stream_that_waits(relay)
        tell(relay, [route(0, backend.port)])
        got = self.rest_of(connection)
        self.assertIn(b'data: {"error":  {"message":"no"}}'.replace(b"  ", b"  "), got.replace(b"\r\n", b""))
        self.assertIn(b"data: [DONE]\n\n", got)
        self.assertNotIn(b"HTTP/1.1 400", got)

    # --- full ---

    def test_one_that_says_it_is_full_gets_nothing_for_so_long_and_another_answers(self):
        full = lambda *_: answer({"error": {}}, "429 Too Many Requests", b"Retry-After: 30\r\n")
        relay, backends = self.start(full, None)
        for i in range(12):
            reply, _ = relay.ask({"model": "toy", "messages": turns(f"q {i}")})
            self.assertEqual((reply.status, way(reply)["replica"]), (200, "1"))
        self.assertLessEqual(len(backends[0].requests), 1)
        self.assertEqual(relay.counts()["lost"], 0)

    def test_all_full_is_told_once_and_then_waited_for(self):
        full = threading.Event()
        full.set()
        def behave(connection, head, body):
            return answer({"error": {}}, "503 Service Unavailable", b"Retry-After: 4\r\n") if full.is_set() else answer({})
        relay, _ = self.start(behave)
        reply, _ = relay.ask({"model": "toy", "messages": []})
        self.assertEqual((reply.status, reply.headers["Retry-After"]), (503, "4"))  # seconds within which the next one comes
        full.clear()
        reply, _ = relay.ask({"model": "toy", "messages": []})
        self.assertEqual(reply.status, 200)
        self.assertRegex(reply.headers["x-sextant-queue"] or "it did not wait", r"^place=1;waited_ms=\d+$")

    def test_a_stream_whose_engine_says_nothing_is_kept_open_by_comments(self):
        def pauses(connection, head, body):
            connection.sendall(SSE_HEAD + chunk(event("one")))
            time.sleep(1.5)
            return chunk(event("two")) + chunk(DONE) + b"0\r\n\r\n"
        relay, (backend,) = self.start(pauses)
        tell(relay, [route(0, backend.port)], comment_s=1)
        # On a connection that was looked at while it was idle: it is looked at again before that would have ended.
        connection = http.client.HTTPConnection(HOST, relay.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request("GET", "/health")
        connection.getresponse().read()
        time.sleep(0.2)
        begin = time.monotonic()
        connection.request("POST", CHAT, json.dumps({"model": "toy", "stream": True, "messages": []}))
        got = connection.getresponse().read()
        comments = got.count(b": keep-alive\n\n")
        self.assertEqual(got, event("one") + b": keep-alive\n\n" * comments + event("two") + DONE)
        self.assertTrue(1 <= comments <= time.monotonic() - begin, comments)  # one a second

    def test_a_request_may_have_a_limit_as_a_whole(self):
        def drips(connection, head, body):
            connection.sendall(SSE_HEAD)
            for i in range(60):
                connection.sendall(chunk(event(str(i))))
                time.sleep(0.1)
            return chunk(DONE) + b"0\r\n\r\n"
        relay, (backend,) = self.start(drips)
        tell(relay, [route(0, backend.port)], total_s=1)
        _, body = relay.ask({"model": "toy", "stream": True, "messages": []})
        self.assertIn(b"took longer than a request may take", body)
        self.assertNotIn(event("59"), body)

    def test_counts_say_how_long_a_replica_with_requests_has_been_silent(self):
        free = threading.Event()
        self.addCleanup(free.set)
        def silent(connection, head, body):
            free.wait(20)
            return answer({})
        relay, _ = self.start(silent)
        self.assertEqual(relay.counts()["replicas"][0]["silent_ms"], 0)
        thread = threading.Thread(target=relay.ask, args=({"model": "toy", "messages": []},))
        thread.start()
        until(lambda: relay.counts()["replicas"][0]["silent_ms"] >= 300)
        free.set()
        thread.join(20)
        until(lambda: relay.counts()["replicas"][0]["silent_ms"] == 0)


SCHEMA = jsonschema.Draft202012Validator(json.loads((pathlib.Path(__file__).parent / "schemas/sextant.route-1.json").read_text()))


def explained(body, *arguments, environment=None, code=0):
    """The answer for programs, which the schema takes."""
    got, said, trouble = explain(body, *arguments, "--format", "json", environment=environment)
    assert got == code, (got, said, trouble)
    said = json.loads(said)
    problems = [f"{error.json_path}: {error.message[:200]}" for error in SCHEMA.iter_errors(said)]
    assert not problems, problems
    return said


def explain(body, *arguments, environment=None):
    """(exit code, answer, trouble)"""
    ran = subprocess.run([SEXTANT, "route", "--explain", "-", *arguments], input=body if isinstance(body, str) else json.dumps(body),
                         capture_output=True, text=True, timeout=30, env={**os.environ, **(environment or {})})
    return ran.returncode, ran.stdout, ran.stderr


class Explained(unittest.TestCase):
    """`sextant route --explain`, and `sextant gateway` with the same flags."""

    def backends(self, *served):
        def serves(names):
            def behave(connection, head, body):
                if head.startswith(b"GET /v1/models"):
                    return answer({"object": "list", "data": [{"id": name} for name in names]})
                return answer({"asked": json.loads(body)})
            return behave
        all = [Backend(serves(names)) for names in served]
        for one in all:
            self.addCleanup(one.kill)
        return all, [f"--backend=http://127.0.0.1:{one.port}" for one in all]

    def test_what_it_says_is_where_a_gateway_then_sends_it(self):
        backends, flags = self.backends(*[["toy"]] * 4)
        process = subprocess.Popen([SEXTANT, "gateway", "--listen", "127.0.0.1:0", *flags], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.kill)
        port = int(process.stdout.readline().split("/v1")[0].rsplit(":", 1)[1])
        for i in range(6):
            body = {"model": "toy", "messages": turns(f"question {i}")}
            said = explained(body, *flags)
            self.assertEqual((said["key"], said["why"]), ("prefix", "prefix"))
            self.assertEqual(sorted(one["order"] for one in said["replicas"]), [1, 2, 3, 4])
            connection = http.client.HTTPConnection(HOST, port, timeout=10)
            connection.request("POST", CHAT, json.dumps(body))
            reply = connection.getresponse()
            reply.read()
            connection.close()
            self.assertEqual(way(reply)["replica"], str(said["replica"]))

    def test_each_kind_of_answer_is_as_the_schema_says_and_it_refuses_others(self):
        _, flags = self.backends(["toy"], ["toy"])
        good = explained({"model": "toy", "messages": []}, flags[0] + ",weight=3,concurrency=64", flags[1])
        self.assertEqual([(one["weight"], one["concurrency_limit"]) for one in good["replicas"]], [(3, 64), (1, 0)])
        self.assertEqual(explained({"model": "toy", "messages": []}, *flags, "--session", "s")["key"], "session")
        self.assertEqual(explained({"model": "none", "messages": []}, *flags, code=1)["known"], ["toy"])
        one = good["replicas"][0]
        for wrong in ({"schema": "sextant.route/2"}, {"why": "mood"}, {"replica": -1}, {"replica": None}, {"unheard": 1}, {"model": ""},
                      {"replicas": [{**one, "weight": 0}]}, {"replicas": [{**one, "state": "sick"}]}):
            self.assertFalse(SCHEMA.is_valid({**good, **wrong}), wrong)
        relay = Relay([])
        self.addCleanup(relay.end)
        folder = relay.folder / "sextant" / "test"
        folder.mkdir(parents=True)
        (folder / "gateway.sock").symlink_to(relay.folder / "gateway.sock")
        there = {"environment": {"SEXTANT_STATE": str(folder.parent)}, "code": 1}
        tell(relay, [], coming=["toy"], down={"b": "oom-weights-too-big", "c": ""})
        self.assertTrue(explained({"model": "toy"}, "--name", "test", **there)["waits"])
        self.assertEqual(explained({"model": "b"}, "--name", "test", **there)["cause"], "oom-weights-too-big")
        self.assertEqual(explained({"model": "c"}, "--name", "test", **there)["cause"], "")
        self.assertIn("oom-weights-too-big", explain({"model": "b"}, "--name", "test", environment=there["environment"])[1])

    def test_it_speaks_both_languages_and_of_models_that_are_not_served(self):
        _, flags = self.backends(["toy"], ["other"])
        code, said, _ = explain({"model": "gpt-4o", "messages": turns("a")}, *flags, "--alias", "gpt-4o=toy")
        self.assertEqual(code, 0)
        self.assertIn("gpt-4o means toy", said)
        self.assertIn("toy → replica 0", said)
        self.assertIn("other model", said)
        code, said, _ = explain({"model": "gpt-4o", "messages": turns("a")}, *flags, "--alias", "gpt-4o=toy", "--lang", "zh")
        self.assertIn("toy → 副本 0", said)
        self.assertIn("其他模型", said)
        code, said, _ = explain({"model": "none", "messages": []}, *flags)
        self.assertEqual(code, 1)
        self.assertIn("the model none is not served; served: other, toy", said)
        code, said, _ = explain({"messages": []}, *flags, "--default-model", "other", "--format", "json")
        self.assertEqual((code, json.loads(said)["replica"]), (0, 1))

    def test_what_cannot_be_asked_is_said(self):
        _, flags = self.backends(["toy"])
        for body, arguments, words in (("[]", flags, "not a JSON object"), ("{}", [*flags, "--path", "/metrics"], "/metrics is not relayed"),
                                       ("{}", ["--backend", "http://127.0.0.1:1,weight=0"], "weight=1"),
                                       ("{}", ["--backend", f"http://{'a' * 64}.invalid:1"], "cannot find aaa"),  # too long for a name
                                       ("{}", [*flags, "--alias", "x"], "not NAME=MODEL")):
            code, said, trouble = explain(body, *arguments)
            self.assertEqual((code, said), (2, ""), arguments)
            self.assertIn(words, trouble)
        code, _, trouble = explain("{}", "--name", "nobody", environment={"SEXTANT_STATE": "/nonexistent"})
        self.assertEqual(code, 4)
        self.assertIn("there is no deployment nobody; --backend URL asks", trouble)

    def test_prompts_do_not_reach_the_gateway(self):
        relay = Relay([route(0, 1), route(1, 2)])
        self.addCleanup(relay.end)
        folder = relay.folder / "sextant" / "test"
        folder.mkdir(parents=True)
        (folder / "gateway.sock").symlink_to(relay.folder / "gateway.sock")
        code, said, trouble = explain({"model": "toy", "messages": turns("secret words")}, "--name", "test", "--format", "json",
                                      environment={"SEXTANT_STATE": str(folder.parent)})
        self.assertEqual(code, 0, trouble)
        self.assertEqual(len(json.loads(said)["replicas"]), 2)


class Named(unittest.TestCase):
    """Other names of models in a deployment file: said before anything starts."""

    def up(self, text, *words):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "sextant.toml").write_text(text + f'listen = "127.0.0.1:{free_ports(1)[0]}"\n[model]\ncommand = ["vllm", "serve", "tiny"]\n')
        return subprocess.run([SEXTANT, "up", "sextant.toml", "--no-ladder", "--detach", *words], capture_output=True, text=True, timeout=60,
                              cwd=folder, env={**os.environ, "SEXTANT_STATE": str(folder)})

    def test_names_that_lead_nowhere_are_underlined_in_both_languages(self):
        text = 'aliases = { gpt-4o = "tony", a = "b", b = "a" }\n'
        ran = self.up(text)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""), ran.stderr)
        self.assertIn("no model here is called tony\n", ran.stderr)
        self.assertIn("did you mean tiny?", ran.stderr)
        self.assertIn("a means itself in the end: a -> b -> a", ran.stderr)
        self.assertIn("^" * len('"tony"') + " did you mean", ran.stderr)
        chinese = self.up(text, "--lang", "zh").stderr
        self.assertIn("这里没有名为 tony 的模型", chinese)
        self.assertIn("绕一圈又指回自己", chinese)


class Deployed(unittest.TestCase):
    """The same through `sextant daemon`, with engines that start, fail and come back."""

    def ask(self, deployment, body, **headers):
        connection = http.client.HTTPConnection(HOST, deployment.port, timeout=60)
        try:
            connection.request("POST", CHAT, json.dumps(body), {"Content-Type": "application/json", **headers})
            reply = connection.getresponse()
            return reply, reply.read()
        finally:
            connection.close()

    def begun(self, launches, gateway, **more):
        deployment = Deployment(launches, **more)
        deployment.document["gateway"] = gateway
        deployment.write()
        self.addCleanup(deployment.clear)
        deployment.begin()
        def listens():
            with socket.socket() as probe:
                return probe.connect_ex((HOST, deployment.port)) == 0
        self.assertTrue(wait_for(listens), deployment.said())
        return deployment

    def test_requests_wait_while_engines_start_and_other_names_are_known(self):
        deployment = self.begun([fake_launch("vllm", port, stage_ms=600) for port in free_ports(2)],  # some four seconds to ask in
                                {"aliases": {"gpt-4o": "tiny"}, "default_model": "tiny", "concurrency": 8})
        reply, body = self.ask(deployment, {"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}]})
        self.assertEqual(reply.status, 200, body)
        self.assertIn("waited_ms=", reply.headers["x-sextant-queue"] or "it did not wait")
        reply, body = self.ask(deployment, {"messages": [{"role": "user", "content": "a"}]})
        self.assertEqual(reply.status, 200, body)
        said = explained({"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}]}, "--name", "test",
                         environment={"SEXTANT_STATE": str(deployment.state.parent)})
        self.assertEqual(said["model"], "tiny")
        self.assertTrue([one for one in said["replicas"] if one["had_it"]])

    def test_requests_are_refused_once_nothing_will_come(self):
        deployment = self.begun([fake_launch("vllm", free_ports(1)[0], plan="crash@load code=1", stage_ms=300)], {}, tries=2)
        reply, body = self.ask(deployment, {"model": "tiny", "messages": []})
        error = json.loads(body)["error"]
        self.assertEqual((reply.status, error["code"]), (503, "model_failed"))
        self.assertIn(deployment.replica(0)["cause"]["name"], error["message"])
        self.assertTrue(reply.headers["Retry-After"])

    def test_a_request_that_its_only_engine_died_of_is_answered_by_the_next_one(self):
        deployment = self.begun([fake_launch("vllm", free_ports(1)[0], plan="crash@request=2 tokens=0 times=1", stage_ms=100)], {})
        self.assertTrue(deployment.wait_state("serving"), deployment.said())
        reply, body = self.ask(deployment, {"model": "tiny", "messages": [{"role": "user", "content": "a"}]})
        self.assertEqual(reply.status, 200, body)
        self.assertIn("waited_ms=", reply.headers["x-sextant-queue"] or "it did not wait")
        self.assertEqual(deployment.replica(0)["start"], 2)
        def page():
            connection = http.client.HTTPConnection(HOST, deployment.port, timeout=10)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            connection.close()
            parse(text)
            return text.splitlines()
        state = 'sextant_replica_state{replica="0",engine="vllm",state="%s"} %d'
        # The daemon tells states after routes: a request may be answered in between.
        self.assertTrue(wait_for(lambda: state % ("ready", 1) in page()))
        lines = page()
        self.assertIn(state % ("failed", 0), lines)
        self.assertIn('sextant_replica_wedges_total{replica="0",engine="vllm"} 0', lines)
        self.assertEqual(deployment.ask("/v1/replicas/0/drain", "POST")[0], 202)
        self.assertTrue(wait_for(lambda: state % ("stopped", 1) in page()))
        reply, body = self.ask(deployment, {"model": "tiny", "messages": []})
        self.assertEqual((reply.status, json.loads(body)["error"]["code"]), (503, "no_replica"))

    def test_requests_wait_while_the_only_engine_is_replaced(self):
        # The pause before the next start is long enough to be seen and asked in.
        deployment = self.begun([fake_launch("vllm", free_ports(1)[0], stage_ms=100)], {}, backoff=(4,))
        self.assertTrue(deployment.wait_state("serving"), deployment.said())
        os.kill(deployment.engine(0), 9)
        self.assertTrue(wait_for(lambda: deployment.replica(0).get("state", "ready") != "ready"))
        reply, body = self.ask(deployment, {"model": "tiny", "messages": []})
        self.assertEqual(reply.status, 200, body)
        self.assertIn("waited_ms=", reply.headers["x-sextant-queue"] or "it did not wait")


if __name__ == "__main__":
    unittest.main()
