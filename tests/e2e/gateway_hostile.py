#!/usr/bin/env python3
"""Clients and replicas that break the rules of HTTP, on purpose or not: nothing is smuggled, nothing hangs, nothing is left behind.
SEXTANT_CONNECTIONS=100000 for the long form of the flood."""
import json
import os
import re
import resource
import select
import socket
import subprocess
import threading
import time
import unittest

from gateway_parts import CHAT, DONE, PATIENCE, SANITIZED, SEXTANT, SSE_HEAD, Backend, Relay, answer, chunk, event, read_all, reset, route, until

CONNECTIONS = int(os.environ.get("SEXTANT_CONNECTIONS", "5000"))
BODY = b'{"model":"toy"}'
LINE = b"POST " + CHAT.encode() + b" HTTP/1.1\r\n"
HOST = b"Host: x\r\n"
SIZE = b"Content-Length: 15\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = chunk(BODY) + b"0\r\n\r\n"
NEXT = b"POST /v1/completions HTTP/1.1\r\nHost: smuggled\r\nContent-Length: 15\r\nConnection: close\r\n\r\n" + BODY


def post(body, extra=b"", path=CHAT):
    return b"POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n" % (path.encode(), extra, len(body)) + body


class Hostile(unittest.TestCase):
    def start(self, *behaviours):
        backends = [Backend(behave) for behave in behaviours]
        for backend in backends:
            self.addCleanup(backend.kill)
        relay = Relay([route(i, backend.port) for i, backend in enumerate(backends)])
        self.addCleanup(relay.end)
        return relay, backends

    def nothing_is_left(self, relay):
        def still():
            counts = relay.counts()
            return counts["in_flight"] == counts["body_bytes"] == counts["connections"] == 0
        until(still, 15)


def framed(field):
    return LINE + HOST + SIZE + field + b"\r\n\r\n" + BODY


# What must be refused, whole connection and all: the request that follows is never looked at.
REFUSED = {
    "another encoding beside a length": framed(b"Transfer-Encoding: xchunked"),
    "half a word of encoding": framed(b"Transfer-Encoding: chunk"),
    "an encoding in quotes": LINE + HOST + b'Transfer-Encoding: "chunked"\r\n\r\n' + CHUNKS,
    "an encoding with a weight": LINE + HOST + b"Transfer-Encoding: chunked;q=1\r\n\r\n" + CHUNKS,
    "identity after chunks": LINE + HOST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKS,
    "chunks of chunks": LINE + HOST + b"Transfer-Encoding: chunked, chunked\r\n\r\n" + CHUNKS,
    "identity": LINE + HOST + b"Transfer-Encoding: identity\r\n\r\n" + CHUNKS,
    "no encoding at all": LINE + HOST + b"Transfer-Encoding:\r\n\r\n" + CHUNKS,
    "an empty encoding beside a length": framed(b"Transfer-Encoding:"),
    "a comma in the encoding": LINE + HOST + b"Transfer-Encoding: chunked,\r\n\r\n" + CHUNKS,
    "an encoding and then another": LINE + HOST + CHUNKED + b"Transfer-Encoding: x\r\n\r\n" + CHUNKS,
    "a blank before the encoding's colon": framed(b"Transfer-Encoding : chunked"),
    "a tab before the encoding's colon": framed(b"Transfer-Encoding\t: chunked"),
    "a folded encoding": LINE + HOST + SIZE + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + CHUNKS,
    "a colon in the next line": LINE + HOST + SIZE + b"Transfer-Encoding\r\n : chunked\r\n\r\n" + CHUNKS,
    "a field before which a blank stands": LINE + b" Host: x\r\n" + SIZE + b"\r\n" + BODY,
    "an encoding behind a bare line feed": LINE + HOST + SIZE + b"X: y\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "an encoding behind a bare carriage return": LINE + HOST + SIZE + b"X: y\rTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
    "an encoding with a null byte": LINE + HOST + b"Transfer-Encoding: chunked\0\r\n\r\n" + CHUNKS,
    "an encoding with a vertical tab": LINE + HOST + b"Transfer-Encoding: chunked\x0b\r\n\r\n" + CHUNKS,
    "chunks, then a length": LINE + HOST + CHUNKED + SIZE + b"\r\n" + CHUNKS,
    "chunks and a length of nothing": LINE + HOST + b"Content-Length: 0\r\n" + CHUNKED + b"\r\n" + CHUNKS,
    "a length in C": LINE + HOST + b"Content-Length: 0x0f\r\n\r\n" + BODY,
    "a length with a blank": LINE + HOST + b"Content-Length: 1 5\r\n\r\n" + BODY,
    "a length with a comma": LINE + HOST + b"Content-Length: 15,\r\n\r\n" + BODY,
    "a length with a point": LINE + HOST + b"Content-Length: 15.0\r\n\r\n" + BODY,
    "no length at all": LINE + HOST + b"Content-Length:\r\n\r\n" + BODY,
    "a length behind a vertical tab": LINE + HOST + b"Content-Length: \x0b15\r\n\r\n" + BODY,
    "a length in other digits": LINE + HOST + "Content-Length: \u0661\u0665\r\n\r\n".encode() + BODY,
    "a length of 2^64 and 15": LINE + HOST + b"Content-Length: 18446744073709551631\r\n\r\n" + BODY,
    "three lengths": LINE + HOST + SIZE * 3 + b"\r\n" + BODY,
    "a field without a name": LINE + HOST + SIZE + b": y\r\n\r\n" + BODY,
    "a field without a colon": LINE + HOST + SIZE + b"word\r\n\r\n" + BODY,
    "a name with a blank": LINE + HOST + SIZE + b"Transfer Encoding: chunked\r\n\r\n" + CHUNKS,
    "a name with a null byte": LINE + HOST + SIZE + b"X\0Y: 1\r\n\r\n" + BODY,
    "a name with a byte above 127": LINE + HOST + SIZE + b"X\xff: 1\r\n\r\n" + BODY,
    "a name with a control byte": LINE + HOST + SIZE + b"X\x7f: 1\r\n\r\n" + BODY,
    "a value with a control byte": LINE + HOST + SIZE + b"X: a\x01b\r\n\r\n" + BODY,
    "two blanks in the first line": LINE.replace(b" H", b"  H") + HOST + SIZE + b"\r\n" + BODY,
    "a tab in the first line": LINE.replace(b" H", b"\tH") + HOST + SIZE + b"\r\n" + BODY,
    "a blank at the end of the first line": LINE.replace(b"1.1", b"1.1 ") + HOST + SIZE + b"\r\n" + BODY,
    "a blank at the front": b" " + LINE + HOST + SIZE + b"\r\n" + BODY,
    "a null byte in the path": LINE.replace(b"/chat", b"/ch\0at") + HOST + SIZE + b"\r\n" + BODY,
    "a carriage return in the path": LINE.replace(b"/chat", b"/ch\rat") + HOST + SIZE + b"\r\n" + BODY,
    "a method with a null byte": b"P\0" + LINE + HOST + SIZE + b"\r\n" + BODY,
    "HTTP/0.9": b"GET /v1/models\r\n\r\n",
    "HTTP/1.10": LINE.replace(b"1.1", b"1.10") + HOST + SIZE + b"\r\n" + BODY,
    "HTTP/01.1": LINE.replace(b"1.1", b"01.1") + HOST + SIZE + b"\r\n" + BODY,
    "HTTP/1.2": LINE.replace(b"1.1", b"1.2") + HOST + SIZE + b"\r\n" + BODY,
    "HTTP in small letters": LINE.replace(b"HTTP", b"http") + HOST + SIZE + b"\r\n" + BODY,
    "HTTP/1": LINE.replace(b"1.1", b"1") + HOST + SIZE + b"\r\n" + BODY,
    "chunks in HTTP/1.0 that stay": LINE.replace(b"1.1", b"1.0") + HOST + CHUNKED + b"Connection: keep-alive\r\n\r\n" + CHUNKS,
    "a chunk without a size": LINE + HOST + CHUNKED + b"\r\n\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk of less than nothing": LINE + HOST + CHUNKED + b"\r\n-f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk's size with a blank before it": LINE + HOST + CHUNKED + b"\r\n f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk's size with an underscore": LINE + HOST + CHUNKED + b"\r\n0_f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk's size of 2^64 and 15": LINE + HOST + CHUNKED + b"\r\n1000000000000000f\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk's size with a null byte": LINE + HOST + CHUNKED + b"\r\nf\0\r\n" + BODY + b"\r\n0\r\n\r\n",
    "an extension with a line feed": LINE + HOST + CHUNKED + b"\r\nf;x\n" + BODY + b"\r\n0\r\n\r\n",
    "an extension with a null byte": LINE + HOST + CHUNKED + b"\r\nf;\0\r\n" + BODY + b"\r\n0\r\n\r\n",
    "an extension without end": LINE + HOST + CHUNKED + b"\r\nf;" + b"x" * 5000 + b"\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a chunk that ends with a line feed": LINE + HOST + CHUNKED + b"\r\nf\r\n" + BODY + b"\n0\r\n\r\n",
    "a chunk that does not end": LINE + HOST + CHUNKED + b"\r\nf\r\n" + BODY + b"0\r\n\r\n",
    "a last chunk with a bare line feed": LINE + HOST + CHUNKED + b"\r\n" + chunk(BODY) + b"0\n\n",
    "a trailer with a bare line feed": LINE + HOST + CHUNKED + b"\r\n" + chunk(BODY) + b"0\r\nX: 1\nY: 2\r\n\r\n",
    "trailers without end": LINE + HOST + CHUNKED + b"\r\n" + chunk(BODY) + b"0\r\n" + b"X: y\r\n" * 3000 + b"\r\n",
    "a target in full": LINE.replace(b"/v1", b"http://x/v1") + HOST + SIZE + b"\r\n" + BODY,
    "a target of another scheme": LINE.replace(b"/v1", b"file:///v1") + HOST + SIZE + b"\r\n" + BODY,
    "a tunnel": b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + HOST + b"\r\n",
}

# What is taken, and how it must arrive: one request, this body, a frame of the gateway's own.
TAKEN = {
    "chunks": LINE + HOST + CHUNKED + b"\r\n" + CHUNKS,
    "chunks in capitals": LINE + HOST + b"TRANSFER-ENCODING: Chunked\r\n\r\n" + CHUNKS,
    "chunks behind a tab": LINE + HOST + b"Transfer-Encoding:\tchunked \t\r\n\r\n" + CHUNKS,
    "extensions": LINE + HOST + CHUNKED + b'\r\n00F;a="b";c\r\n' + BODY + b"\r\n0000;z\r\n\r\n",
    "trailers that speak of frames": LINE + HOST + CHUNKED + b"\r\n" + chunk(BODY) + b"0\r\nContent-Length: 3\r\nTransfer-Encoding: gzip\r\n\r\n",
    "a length that the client calls its connection's": LINE + HOST + SIZE + b"Connection: content-length, host, x-a\r\nX-A: 1\r\n\r\n" + BODY,
    "an encoding with an underscore": LINE + HOST + SIZE + b"Transfer_Encoding: chunked\r\n\r\n" + BODY,
    "bytes above 127 in a value": LINE + HOST + SIZE + b"X-Name: \xff\xfe\xc3\r\n\r\n" + BODY,
    "names of other hops": LINE + HOST + SIZE + b"Keep-Alive: timeout=9\r\nTE: trailers\r\nProxy-Connection: keep-alive\r\nTrailer: x\r\n\r\n" + BODY,
}


class Smuggling(Hostile):
    def test_what_two_servers_could_read_differently_ends_the_connection(self):
        relay, (backend,) = self.start(None)
        for name, data in REFUSED.items():
            got = relay.raw(data + NEXT)
            self.assertRegex(got[:13], rb"HTTP/1\.1 (400|404|405|431|505) ", name)
            later = re.findall(rb"HTTP/1\.1 (\d{3}) ", got)
            if len(later) == 2:  # no such path or method, but its frame was clear: the next request is one
                self.assertIn(later[0], (b"400" if name == "a tunnel" else b"404", b"405"), name)
                self.assertEqual(backend.requests.pop()[0][:20], b"POST /v1/completions", name)
            self.assertEqual((backend.requests, len(later) in (1, 2)), ([], True), (name, got))
        self.nothing_is_left(relay)

    def test_what_is_taken_arrives_as_one_request_in_one_frame(self):
        relay, (backend,) = self.start(None)
        for name, data in TAKEN.items():
            got = relay.raw(data + NEXT)
            self.assertEqual(re.findall(rb"HTTP/1\.1 (\d{3}) ", got), [b"200", b"200"], (name, got))
            (head, body), (after, _) = backend.requests
            backend.requests.clear()
            lines = [line.lower() for line in head.split(b"\r\n")[1:]]
            self.assertEqual(body, BODY, name)
            self.assertEqual(lines.count(b"content-length: 15"), 1, name)
            self.assertEqual([line for line in lines if re.match(rb"(transfer-encoding|te|keep-alive|trailer|proxy-connection|x-a|connection):", line)], [], name)
            self.assertEqual(len([line for line in lines if line.startswith(b"host:")]), 1, name)
            self.assertTrue(after.startswith(b"POST /v1/completions HTTP/1.1\r\n"), name)

    def test_a_body_where_none_is_wanted_is_no_request(self):
        relay, (backend,) = self.start(None)
        inner = b"POST /sleep HTTP/1.1\r\nHost: x\r\n\r\n"
        for line in (b"GET /v1/models", b"GET /health", b"DELETE /v1/models", b"GET /nowhere"):
            got = relay.raw(line + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(inner) + inner)
            self.assertEqual(len(re.findall(rb"HTTP/1\.1 \d{3} ", got)), 1, (line, got))
        self.assertEqual(backend.requests, [])

    def test_bytes_that_are_no_text_pass_and_names_that_are_none_are_told_as_text(self):
        relay, (backend,) = self.start(None)
        body = b'{"model":"toy","prompt":"\xff\xc3\x28\xed\xa0\x80\\ud800"}'
        self.assertIn(b"200 OK", relay.raw(post(body, b"Connection: close\r\n")))
        self.assertEqual(backend.requests[0][1], body)
        for model in (b"\xff\xfe", b"\\ud800", b"a\\u0000b", b"\xed\xa0\x80", b"x" * 100_000):
            got = relay.raw(post(b'{"model":"%s"}' % model, b"Connection: close\r\n"))
            told = got.split(b"\r\n\r\n", 1)[1]
            self.assertIn(json.loads(told.decode())["error"]["code"], ("model_not_found", "bad_request_body", "model_not_text"), model[:20])
            self.assertLess(len(told), 4000)
        self.assertEqual(len(backend.requests), 1)


class Size(Hostile):
    def test_a_head_of_32_kib_is_taken_and_one_byte_more_is_not(self):
        relay, (backend,) = self.start(None)
        for more, status in ((0, b" 200 "), (1, b" 431 ")):
            front = LINE + HOST + SIZE + b"Connection: close\r\nX: "
            head = front + b"a" * (32768 + more - len(front) - 4) + b"\r\n\r\n"
            self.assertIn(status, relay.raw(head + BODY)[:13])
        self.assertEqual(len(backend.requests), 1)

    def test_a_body_that_grows_past_its_limit_is_refused_while_it_comes(self):
        relay, (backend,) = self.start(None)
        piece = chunk(b"x" * 1_000_000)
        with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as client:
            client.sendall(LINE + HOST + CHUNKED + b"\r\n")
            sent, got = 0, b""
            try:
                while sent < 100 and not select.select([client], [], [], 0)[0]:
                    client.sendall(piece)
                    sent += 1
                got = read_all(client)
            except (ConnectionResetError, BrokenPipeError):
                got = read_all(client)
        self.assertIn(b" 413 ", got[:13])
        self.assertTrue(64 < sent < 90, sent)
        self.assertEqual(backend.requests, [])
        self.nothing_is_left(relay)

    def test_requests_sent_far_ahead_wait_in_the_client(self):
        go = threading.Event()

        def behave(connection, head, body):
            go.wait(3 * PATIENCE)
            return answer(b"x")
        relay, (backend,) = self.start(behave)
        client = socket.create_connection(("127.0.0.1", relay.port), timeout=1)
        before, sent = relay.rss(), 0
        one = post(b'{"model":"toy","x":"' + b"y" * 4000 + b'"}')
        try:
            while sent < 50_000_000:
                sent += client.send(one * 16)
        except TimeoutError:
            pass
        self.assertLess(sent, 20_000_000)  # the two kernels' buffers
        until(lambda: backend.requests)
        self.assertLess(relay.rss() - before, 4_000_000)
        self.assertEqual(len(backend.requests), 1)
        reset(client)
        go.set()
        self.nothing_is_left(relay)


class Slow(Hostile):
    def test_slow_heads_and_bodies_keep_nobody_else_waiting(self):
        relay, _ = self.start(None)
        slow = [socket.create_connection(("127.0.0.1", relay.port), timeout=20) for _ in range(400)]
        for number, client in enumerate(slow):
            client.sendall(LINE if number % 2 else b"P")
        begin = time.monotonic()
        while relay.counts()["connections"] > 0 and time.monotonic() - begin < 40:  # 10 s for a head, 2 s for the rest of a refused one
            for number, client in enumerate(slow):
                try:
                    client.send(b"X: y\r\n" if number % 2 else b"O")
                except OSError:
                    pass
            self.assertEqual(relay.ask({"model": "toy"}, timeout=5)[0].status, 200)
            time.sleep(0.5)
        self.assertEqual(relay.counts()["connections"], 0)
        self.assertEqual({read_all(client)[:13] for client in slow} - {b"HTTP/1.1 408 ", b"HTTP/1.1 400 ", b""}, set())
        for client in slow:
            client.close()

    def test_a_flood_of_connections_is_over_when_it_is_over(self):
        relay, _ = self.start(None)
        process = relay.process.pid
        self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
        usual = len(os.listdir(f"/proc/{process}/fd"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        before, done, begin = relay.rss(), 0, time.monotonic()
        while done < CONNECTIONS:
            wave = []
            for number in range(250):
                client = socket.socket()
                client.setblocking(False)
                client.connect_ex(("127.0.0.1", relay.port))
                wave.append(client)
            if done % 1000 == 0:
                self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
            for number, client in enumerate(wave):
                if number % 3 == 0:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                elif number % 3 == 1 and select.select([], [client], [], 1)[1]:
                    client.send(b"GET /heal")
                client.close()
            done += len(wave)
        print(f"\n{done} connections in {time.monotonic() - begin:.1f} s", flush=True)
        self.nothing_is_left(relay)
        until(lambda: len(os.listdir(f"/proc/{process}/fd")) <= usual)
        if not SANITIZED:
            self.assertLess(relay.rss() - before, 8_000_000)


    def test_clients_that_do_nothing_leave_descriptors_for_those_that_ask(self):
        """More of them than the process has descriptors: whoever is let in reaches a replica."""
        backend = Backend()
        self.addCleanup(backend.kill)
        words = [SEXTANT, "gateway", "--listen", "127.0.0.1:0", "--backend", f"http://127.0.0.1:{backend.port}"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
        for end in (process.stdout.close, lambda: process.wait(10), process.kill):
            self.addCleanup(end)
        port = int(process.stdout.readline().split("/v1")[0].rsplit(":", 1)[1])
        clients = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(60)]
        for client in clients:
            self.addCleanup(client.close)
        until(lambda: len(os.listdir(f"/proc/{process.pid}/fd")) >= 20)
        for client in clients[:10]:
            client.sendall(post(b'{"model": "toy"}'))
        for client in clients[:10]:
            self.assertIn(b" 200 OK", client.recv(65536))
        for client in clients[:59]:
            client.close()
        clients[59].sendall(post(b'{"model": "toy"}'))  # from the kernel's queue
        self.assertIn(b" 200 OK", clients[59].recv(65536))

    def test_few_descriptors_are_no_reason_to_refuse(self):
        """Hardly more than the gateway itself takes: fewer at a time, and each is answered."""
        backend = Backend()
        self.addCleanup(backend.kill)
        for most in (20, 32):
            words = [SEXTANT, "gateway", "--listen", "127.0.0.1:0", "--backend", f"http://127.0.0.1:{backend.port}"]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            for end in (process.stdout.close, lambda: process.wait(10), process.kill):
                self.addCleanup(end)
            port = int(process.stdout.readline().split("/v1")[0].rsplit(":", 1)[1])
            clients = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(40)]
            for client in clients:
                self.addCleanup(client.close)
                client.sendall(post(b'{"model": "toy"}', b"Connection: close\r\n"))
            firsts = [client.recv(65536).split(b"\r\n", 1)[0] for client in clients]
            self.assertEqual(firsts, [b"HTTP/1.1 200 OK"] * 40)


class Lies(Hostile):
    """Replicas that do not keep to the rules."""

    def told(self, words, tries=1, keep=True):
        """The answers to two requests, one after the other, of a replica that says `words` to the first."""
        first = []

        def behave(connection, head, body):
            if first:
                return answer(b"the second")
            first.append(1)
            connection.sendall(words)
            return b"" if keep else None
        relay, (backend,) = self.start(behave)
        got = relay.ask({"model": "toy"})
        return got, relay.ask({"model": "toy"}), backend

    def test_more_than_was_announced_is_not_the_next_answer(self):
        for words, body in ((answer(b"one") + answer(b"evil"), b"one"), (answer(b"") + b"evil", b""),
                            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"one") + b"0\r\n\r\n" + answer(b"evil"), b"one"),
                            (b"HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil", b""),
                            (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n" + answer(b"evil"), b""),
                            (b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n", b"")):
            (reply, got), (_, later), backend = self.told(words)
            self.assertEqual((got, later), (body, b"the second"), words)
            self.assertEqual(backend.connections, 2, words)

    def test_late_bytes_on_an_idle_connection_are_nobody_s_answer(self):
        answered, said = threading.Semaphore(0), threading.Semaphore(0)

        def behave(connection, head, body):
            connection.sendall(answer(b"one"))
            answered.acquire(timeout=PATIENCE)
            connection.sendall(answer(b"evil"))
            said.release()
            return b""
        relay, (backend,) = self.start(behave)
        for _ in range(3):
            self.assertEqual(relay.ask({"model": "toy"})[1], b"one")
            answered.release()
            self.assertTrue(said.acquire(timeout=PATIENCE))  # before the next request: what comes after it would be its answer
            time.sleep(0.1)
        self.assertEqual(backend.connections, 3)

    def test_less_than_was_announced_is_seen(self):
        for words in (answer(b"one").replace(b"Length: 3", b"Length: 9"), b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\none",
                      b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n"):
            relay, _ = self.start(lambda c, h, b, words=words: c.sendall(words))
            got = relay.raw(post(BODY))
            self.assertTrue(got.endswith((b"one", b"one\r\n")), got)  # no last chunk, and too short for its length
            self.nothing_is_left(relay)

    def test_words_that_are_no_answer(self):
        for words in (b"HTTP/1.1 99 Low\r\n\r\n", b"HTTP/1.1 1000 High\r\n\r\n", b"HTTP/1.1 20 OK\r\n\r\n", b"HTTP/2 200 OK\r\n\r\n", b"http/1.1 200 OK\r\n\r\n",
                      b"ICY 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", b"HTTP/1.1 200 OK\r\n X: y\r\n\r\n",
                      b"HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                      b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
                      b"HTTP/1.1 200 OK\r\nX: " + b"y" * 20_000 + b"\r\n\r\n", b"\0" * 100 + b"\r\n\r\n", b"HTTP/1.1 200 OK\nContent-Length: 0\n\n",
                      b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, b"\r\n\r\n", b""):
            def behave(connection, head, body, words=words):
                connection.sendall(words)
                return b"" if words else None  # it stays open: what was said is enough
            relay, _ = self.start(behave)
            with self.subTest(words=words[:60]):
                reply, got = relay.ask({"model": "toy", "prompt": "the secret"})
                self.assertEqual((reply.status, json.loads(got)["error"]["code"]), (502, "replica_failed"))
                self.assertNotIn(b"secret", got)
                self.nothing_is_left(relay)

    def test_answers_in_front_of_the_answer_are_left_out(self):
        for interim in (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3, b"HTTP/1.1 102 Processing\r\nContent-Length: 5\r\n\r\n"):
            whole = interim + answer(b"one")
            for at in range(0, len(whole), 7):
                def behave(connection, head, body, at=at, whole=whole):
                    connection.sendall(whole[:at])
                    time.sleep(0.001)
                    return whole[at:]
                if at == 0:
                    relay, (backend,) = self.start(behave)
                backend.behave = behave
                got = relay.raw(post(BODY, b"Connection: close\r\n"))
                self.assertTrue(got.startswith(b"HTTP/1.1 200 OK\r\n") and got.endswith(b"\r\n\r\none"), (at, got))

    def test_an_answer_that_comes_before_the_request_is_read(self):
        for close in (True, False):
            early = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge"
            listener = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(listener.close)

            def serve(listener=listener, close=close):
                connection, _ = listener.accept()
                connection.recv(1000)
                connection.sendall(early)
                if close:
                    connection.shutdown(socket.SHUT_WR)
                read_all(connection)
                connection.close()
            threading.Thread(target=serve, daemon=True).start()
            relay = Relay([route(0, listener.getsockname()[1])])
            self.addCleanup(relay.end)
            reply, got = relay.ask(b'{"model":"toy","x":"' + b"y" * 6_000_000 + b'"}', timeout=10)
            self.assertEqual((reply.status, got), (413, b"large"))

    def test_a_connection_that_ends_at_any_byte_of_an_answer(self):
        whole = answer(b"the answer")
        for end in (reset, lambda connection: None):
            relay, (bad, good) = self.start(None, None)
            head_end = whole.index(b"\r\n\r\n") + 4
            for at in range(len(whole)):
                bad.behave = lambda c, h, b, at=at: (c.sendall(whole[:at]), end(c)) and None
                relay.tell([route(0, bad.port), route(1, good.port, takes=False)])
                relay.tell([route(0, bad.port), route(1, good.port)] if at < head_end else [route(0, bad.port)])
                got = relay.raw(post(BODY, b"Connection: close\r\n"))
                if at >= head_end:  # it has begun: what came is passed on and seen to be short
                    self.assertTrue(whole.endswith(got.split(b"\r\n\r\n", 1)[1]) or at < len(whole), at)
                    self.assertNotIn(b"the answer", got)
                else:
                    self.assertIn(b"200 OK", got[:15], (at, got))
            self.nothing_is_left(relay)

    def test_a_stream_lost_at_any_byte_ends_in_whole_events(self):
        for gap in (b"\n\n", b"\r\n\r\n", b"\r\r"):
            parts = [b"data: one" + gap, b": note" + gap, b"event: x" + gap[:len(gap) // 2] + "data: 二".encode() + gap]
            stream = b"".join(parts)
            relay, (backend,) = self.start(None)
            for at in range(len(stream) + 1):
                def behave(connection, head, body, at=at):
                    connection.sendall(SSE_HEAD + (chunk(stream[:at]) if at else b""))
                    connection.shutdown(socket.SHUT_RDWR)
                backend.behave = behave
                reply, got = relay.ask({"model": "toy"})
                whole = b"".join(part for number, part in enumerate(parts) if sum(map(len, parts[:number + 1])) <= at)
                self.assertTrue(got.startswith(whole), (at, got))
                rest = got[len(whole):]
                self.assertTrue(rest.startswith(b'data: {"error"'), (gap, at, rest))
                self.assertTrue(rest.endswith(DONE), (gap, at, rest))
            self.nothing_is_left(relay)

    def test_a_stream_without_blank_lines_and_one_of_nothing(self):
        relay, (backend,) = self.start(None)
        big = b"data: " + b"x" * 100_000 + b"\n\n"
        for stream in (big, event("a") + big + DONE, b"data: no end", b"\n\n\n\n", b"", b"\xef\xbb\xbfdata: a\n\n", b"\xff\xfe\n\n"):
            backend.behave = lambda c, h, b, stream=stream: SSE_HEAD + (chunk(stream) if stream else b"") + b"0\r\n\r\n"
            self.assertEqual(relay.ask({"model": "toy"})[1], stream)
            backend.behave = lambda c, h, b, stream=stream: SSE_HEAD + b"".join(chunk(bytes([one])) for one in stream[:2000]) + b"0\r\n\r\n"
            self.assertEqual(relay.ask({"model": "toy"})[1], stream[:2000])


if __name__ == "__main__":
    unittest.main()
