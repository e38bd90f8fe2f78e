"""A replica as a process of its own, that can be killed as an engine is: each request says in X-Mock what it is to be answered
with, and is written down (time, number) before anything is answered, so that the note outlives a kill."""
import asyncio
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from ports import free_ports

HERE = pathlib.Path(__file__).parent
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n\r\n"
EVENT = b'data: {"choices":[{"delta":{"content":"%d"}}]}\n\n'
DONE = b"data: [DONE]\n\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Engine(asyncio.Protocol):
    def __init__(self, notes):
        self.notes, self.data, self.work = notes, b"", None

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, error):
        if self.work is not None:
            self.work.cancel()

    def data_received(self, data):
        self.data += data
        end = self.data.find(b"\r\n\r\n")
        if end < 0 or self.work is not None:
            return
        fields = {}
        for line in self.data[:end].split(b"\r\n")[1:]:
            name, value = line.split(b":", 1)
            fields[name.lower()] = value.strip()
        whole = end + 4 + int(fields.get(b"content-length", 0))
        if len(self.data) < whole:
            return
        self.data = self.data[whole:]
        wish = dict(one.split("=") for one in fields.get(b"x-mock", b"").decode().split(";") if one)
        if self.notes:
            os.write(self.notes, b"%d %s\n" % (time.monotonic_ns(), wish.get("id", "-").encode()))
        self.work = asyncio.ensure_future(self.answer(wish))

    async def answer(self, wish):
        kind = wish.get("kind", "sized")
        await asyncio.sleep(int(wish.get("delay", 0)) / 1000)
        if kind == "die":
            os._exit(1)
        if kind == "reset":
            return self.transport.abort()
        if kind == "close":
            return self.transport.close()
        if kind == "garbage":
            self.transport.write(b"no HTTP\r\n\r\n")
        elif kind == "stream":
            await self.stream(int(wish.get("events", 3)), int(wish.get("gap", 1)) / 1000, int(wish.get("tear", -1)))
        else:
            body = b'{"id":"%s"}' % wish.get("id", "-").encode()
            self.transport.write(HEAD % (b"application/json", b"Content-Length: %d" % len(body)) + body)
        self.work = None

    async def stream(self, events, gap, tear):
        self.transport.write(HEAD % (b"text/event-stream", b"Transfer-Encoding: chunked"))
        for number in range(events):
            if number == tear:
                self.transport.write(chunk(EVENT % number)[:20])
                return self.transport.abort()
            self.transport.write(chunk(EVENT % number))
            await asyncio.sleep(gap)
        self.transport.write(chunk(DONE) + b"0\r\n\r\n")


def main():
    """PORT NOTES: serves until it is killed; says its port once it listens."""
    notes = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT) if sys.argv[2] else 0

    async def serve():
        server = await asyncio.get_running_loop().create_server(lambda: Engine(notes), "127.0.0.1", int(sys.argv[1]), backlog=1024)
        asyncio.get_running_loop().add_reader(0, lambda: os._exit(0))  # whoever started it has gone
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()
    asyncio.run(serve())


class Replica:
    """Such a process. It comes back on the same port."""

    def __init__(self, notes=True):
        self.folder = tempfile.TemporaryDirectory()
        self.notes = os.path.join(self.folder.name, "notes") if notes else ""
        self.port, self.process = free_ports(1)[0], None
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-c", "import gateway_mock; gateway_mock.main()", str(self.port), self.notes],
                                        cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def kill(self):
        """The moment before it was killed, in nanoseconds of the clock that its notes have."""
        moment = time.monotonic_ns()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self.process.stdout.close()
        self.process.stdin.close()
        return moment

    def seen(self):
        """(time, number) of every request that reached it, over all its lives."""
        if not os.path.exists(self.notes):
            return []
        lines = pathlib.Path(self.notes).read_text().split("\n")[:-1]
        return [(int(at), number) for at, number in (line.split(" ") for line in lines)]

    def end(self):
        self.kill()
        self.folder.cleanup()
