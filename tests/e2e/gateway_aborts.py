#!/usr/bin/env python3
"""Clients that break off at any point, by a seed, in front of replicas that do too: afterwards every gauge is zero, no descriptor is
left, memory is what it was, and there are two threads: the loop, and the writer of the access log. More of them: SEXTANT_ABORTS=100000."""
import asyncio
import os
import random
import re
import time
import unittest

from gateway_load import body_of
from gateway_mock import Replica
from gateway_parts import SANITIZED, Relay, route, until

ABORTS = int(os.environ.get("SEXTANT_ABORTS", "3000"))
SEED = int(os.environ.get("SEXTANT_SEED", "7"))
AT_ONCE = 48


def files_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads_of(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


class Breaking:
    """One client after the other, `AT_ONCE` beside each other; each sends a part of something and goes."""

    def __init__(self, port, count, seed):
        self.port, self.left, self.chance, self.kinds = port, count, random.Random(seed), {}

    def wish(self):
        kind = self.chance.choices(("sized", "stream", "reset", "close", "garbage"), (10, 10, 1, 1, 1))[0]
        tear = self.chance.randrange(5) if self.chance.random() < 0.1 else -1
        return f"kind={kind};delay={self.chance.randrange(6)};events={self.chance.randrange(1, 20)};gap={self.chance.randrange(3)};tear={tear}"

    def request(self):
        path = self.chance.choice(("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/v1/models", "/nowhere"))
        words = b"x" * self.chance.choice((1, 100, 5000, 200_000)) if self.chance.random() < 0.3 else b"hi"
        body = body_of(b"%d %s" % (self.chance.randrange(1000), words))
        head = b"POST %s HTTP/1.1\r\nHost: x\r\nX-Mock: %s\r\n" % (path.encode(), self.wish().encode())
        if self.chance.random() < 0.1:
            head += b"Expect: 100-continue\r\n"
        if self.chance.random() < 0.3:
            cut = self.chance.randrange(len(body))
            return head + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:cut], body[cut:]) if part) + b"0\r\n\r\n"
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body

    async def one(self):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=4096)
        how = self.chance.choice(("part", "part", "sent", "some", "all", "more", "half"))
        self.kinds[how] = self.kinds.get(how, 0) + 1
        data = self.request() * (self.chance.randrange(2, 4) if how == "more" else 1)
        writer.write(data[:self.chance.randrange(len(data))] if how == "part" else data)
        try:
            if how == "half":
                writer.write_eof()
            if how in ("some", "more", "half"):
                await asyncio.wait_for(reader.read(self.chance.randrange(1, 2000)), 2)
            elif how == "all":
                await asyncio.wait_for(reader.read(), self.chance.random() / 10)
            else:
                await asyncio.sleep(self.chance.random() / 200)
        except (OSError, asyncio.TimeoutError):
            pass
        if self.chance.random() < 0.5:
            writer.transport.abort()
        writer.close()

    async def client(self):
        while self.left > 0:
            self.left -= 1
            try:
                await self.one()
            except OSError:
                pass

    def run(self):
        async def all_of_them():
            await asyncio.gather(*(self.client() for _ in range(AT_ONCE)))
        asyncio.run(all_of_them())


class Aborts(unittest.TestCase):
    def gauges(self, relay):
        """Everything that goes up and down with requests."""
        _, page = relay.ask(None, "/metrics", "GET")
        found = {}
        for line in page.decode().splitlines():
            if re.match(r"sextant_(connections_open|requests_in_flight|requests_waiting|body_bytes_held|replica_requests_in_flight|replica_load_tokens)\b", line):
                name, value = line.rsplit(" ", 1)
                found[name] = float(value)
        self.assertEqual(len(found), 4 + 2 * 3, page)
        return found

    def test_random_ends_leave_nothing_behind(self):
        replicas = [Replica(notes=False) for _ in range(3)]
        free = [route(i, one.port) for i, one in enumerate(replicas)]
        few = [{**one, "most": 4} for one in free]  # of 48 at once, so most wait in line
        relay = Relay(free)
        for end in (relay.end, *(one.end for one in replicas)):
            self.addCleanup(end)
        for _ in range(20):
            self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
        time.sleep(4.5)  # idle connections to replicas are given up
        pid, usual, begin = relay.process.pid, files_of(relay.process.pid), time.monotonic()
        rounds, threads, sizes = 10, set(), []
        for number in range(rounds):
            relay.tell(few if number % 2 else free)
            breaking = Breaking(relay.port, ABORTS // rounds, SEED + number)
            breaking.run()
            threads.add(threads_of(pid))
            sizes.append(relay.rss())
            self.assertIsNone(relay.process.poll())
        self.assertGreater(min(breaking.kinds.values()), ABORTS / rounds / 40)
        seconds = time.monotonic() - begin

        def zero():
            counts = relay.counts()
            return counts["connections"] == counts["in_flight"] == counts["body_bytes"] == 0 and all(one["in_flight"] == 0 for one in counts["replicas"])
        until(zero, 15)
        until(lambda: files_of(pid) <= usual, 10)
        gauges = self.gauges(relay)
        self.assertEqual({name: value for name, value in gauges.items() if value}, {"sextant_connections_open": 1})  # who asks
        counts = relay.counts()
        print(f"\n{ABORTS} broken off in {seconds:.0f} s; {counts['requests']} heads read, {counts['answered']} answered, {counts['client_gone']} clients gone, "
              f"{counts['cut']} cut, {counts['retries']} retried; {sizes[0] // 1024} KiB after a tenth, {sizes[-1] // 1024} KiB at the end", flush=True)
        self.assertGreater(counts["client_gone"], ABORTS / 10)
        if not SANITIZED:  # which has threads of its own
            self.assertEqual(threads - {1, 2}, set())
        if not SANITIZED:
            self.assertLess(sizes[-1] - sizes[0], 8_000_000)
        for _ in range(20):
            self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)


if __name__ == "__main__":
    unittest.main()
