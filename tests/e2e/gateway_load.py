"""Many clients at once on a few connections that stay open: what each request was sent, and how it ended."""
import asyncio
import dataclasses
import random
import threading
import time


def body_of(words):
    """Each a conversation of its own, so that all replicas get some."""
    return b'{"model":"toy","messages":[{"role":"user","content":"%s"}]}' % words


@dataclasses.dataclass
class Told:
    number: str
    sent: int  # nanoseconds
    ended: int = 0
    status: int = 0
    way: str = ""  # x-sextant-route
    body: bytes = b""
    whole: bool = False
    stream: bool = False

    @property
    def failed_over(self):
        return "why=failover" in self.way

    @property
    def good(self):
        return self.whole and self.status == 200 and (not self.stream or (self.body.endswith(b"data: [DONE]\n\n") and b'"error"' not in self.body))

    @property
    def cut_in_order(self):
        """Lost after its first byte, and told so."""
        events = self.body.split(b"\n\n")
        return (self.stream and self.whole and self.status == 200 and len(events) >= 3 and b'"replica_lost"' in events[-3] and
                events[-2:] == [b"data: [DONE]", b""])


async def read_answer(reader, told):
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    told.status = int(lines[0].split(" ")[1])
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    told.way = fields.get("x-sextant-route", "")
    if fields.get("transfer-encoding") == "chunked":
        while True:
            size = int(await reader.readline(), 16)
            told.body += (await reader.readexactly(size + 2))[:-2]
            if size == 0:
                break
    else:
        told.body = await reader.readexactly(int(fields.get("content-length", 0)))
    told.whole = True
    return fields.get("connection") != "close"


class Load:
    """Runs in a thread of its own until it is left; `told` then has every request."""

    def __init__(self, port, clients=16, streams=0.3, seed=1, pause=0.002, gap=2):
        self.port, self.clients, self.streams, self.pause, self.gap = port, clients, streams, pause, gap
        self.chance = random.Random(seed)
        self.told, self.over, self.count = [], False, 0
        self.open = {}  # number: when it was sent

    async def client(self):
        reader = writer = None
        while not self.over:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.count += 1
            stream = self.chance.random() < self.streams
            wish = f"id={self.count};kind={'stream' if stream else 'sized'};delay={self.chance.randrange(4)};events={self.chance.randrange(1, 12)};gap={self.gap}"
            told = Told(str(self.count), time.monotonic_ns(), stream=stream)
            self.open[told.number] = told.sent
            keep = False
            try:
                body = body_of(b"hello %d" % self.count)
                writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Mock: %s\r\nContent-Length: %d\r\n\r\n%s" % (wish.encode(), len(body), body))
                keep = await asyncio.wait_for(read_answer(reader, told), 20)
            except (OSError, EOFError, asyncio.TimeoutError, ValueError):
                pass
            told.ended = time.monotonic_ns()
            self.told.append(told)
            del self.open[told.number]
            if not keep:
                writer.close()
                writer = None
            await asyncio.sleep(self.pause)
        if writer is not None:
            writer.close()

    def all_ended_since(self, moment):
        """Of those that had been sent by then."""
        return all(sent > moment for sent in list(self.open.values()))

    async def all(self):
        await asyncio.gather(*(self.client() for _ in range(self.clients)))

    def __enter__(self):
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join(60)
