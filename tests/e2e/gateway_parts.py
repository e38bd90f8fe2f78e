"""Fake backends and the relay as a process: what the scripts about the gateway share."""
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

SEXTANT = os.environ["SEXTANT"]
SANITIZED = "/build/dev/" in SEXTANT or "/build/tsan/" in SEXTANT  # its memory is no measure
CHAT = "/v1/chat/completions"
DONE = b"data: [DONE]\n\n"
# Of a test's own sockets, where no time is what is tested: clients, backends and the gateway share two processors with compilers, and
# a SYN that the kernel dropped comes again after 1, 3 and 7 seconds.
PATIENCE = 20


def event(text):
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


def chunk(data):
    return b"%x\r\n" % len(data) + data + b"\r\n"


SSE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"


def answer(body, status="200 OK", extra=b""):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n" % (status.encode(), extra, len(body)) + body


class Backend:
    """A server whose every request is handed to `behave(connection, head, body)`; what that returns is sent. None closes."""

    def __init__(self, behave=None, port=0):
        self.behave = behave or (lambda connection, head, body: answer({"from": self.port}))
        self.listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.requests, self.open, self.connections, self.dead = [], set(), 0, False
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                if self.dead:  # taken just before it was killed
                    reset(connection)
                    connection.close()
                    return
                self.open.add(connection)
                self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        data = b""
        try:
            while True:
                while b"\r\n\r\n" not in data:
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                length = 0
                for line in head.split(b"\r\n")[1:]:
                    name, value = line.split(b":", 1)
                    if name.lower() == b"content-length":
                        length = int(value)
                while len(data) < length:
                    more = connection.recv(65536)
                    if not more:
                        return
                    data += more
                body, data = data[:length], data[length:]
                with self.lock:
                    self.requests.append((head, body))
                reply = self.behave(connection, head, body)
                if reply is None:
                    return
                connection.sendall(reply)
        except OSError:
            pass
        finally:
            connection.close()
            with self.lock:
                self.open.discard(connection)

    def kill(self):
        """As when the process is killed: nobody listens, every connection is reset."""
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
        with self.lock:
            self.dead = True
            for connection in self.open:
                reset(connection)


def reset(connection):
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def route(index, port, model="toy", takes=True, key=""):
    return {"replica": index, "host": "127.0.0.1", "port": port, "model": model, "engine": "vllm", "key": key, "takes": takes}


class Relay:
    """`sextant relay` on a listening socket of ours, with a state folder of its own."""

    def __init__(self, routes=None, model="toy"):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.version = 0
        self.process = None
        if routes is not None:
            (self.folder / "routes.json").write_text(self.line(routes, model))
        self.start()

    def line(self, routes, model="toy"):
        self.version += 1
        return json.dumps({"do": "routes", "version": self.version, "model": model, "replicas": routes}) + "\n"

    def start(self):
        fd = self.listener.fileno()

        def third():
            os.dup2(fd, 3)
            os.set_inheritable(3, True)

        self.process = subprocess.Popen([SEXTANT, "relay", str(self.folder)], preexec_fn=third, pass_fds=[3] if fd == 3 else [3, fd])
        until(lambda: (self.folder / "gateway.sock").exists() and self.try_control(), 60)  # a sanitized program begins slowly

    def try_control(self):
        try:
            self.control().close()
            return True
        except OSError:
            return False

    def control(self):
        control = socket.socket(socket.AF_UNIX)
        control.settimeout(PATIENCE)
        try:
            control.connect(str(self.folder / "gateway.sock"))
        except OSError:
            control.close()
            raise
        return control

    def tell(self, routes, model="toy"):
        """The new table, and back once the gateway acts on it."""
        with self.control() as control:
            control.sendall(self.line(routes, model).encode())
            for counts in lines(control):
                if counts["version"] >= self.version:
                    return counts
        raise AssertionError("no counts came")

    def counts(self):
        with self.control() as control:
            control.sendall(b'{"do":"nothing"}\n')
            return next(lines(control))

    def ask(self, body=None, path=CHAT, method="POST", headers=None, timeout=PATIENCE):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            sent = json.dumps(body) if isinstance(body, dict) else body
            connection.request(method, path, sent, {"Content-Type": "application/json", **(headers or {})})
            reply = connection.getresponse()
            return reply, reply.read()
        finally:
            connection.close()

    def raw(self, data, timeout=PATIENCE):
        """The bytes that come back until the connection ends or nothing more comes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            return read_all(connection)

    def begun(self, index=0):
        """Back once the gateway has the beginning of an answer of that replica: a backend notes a request before it answers it."""
        until(lambda: self.counts()["replicas"][index]["bytes"] > 0)

    def rss(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):  # pages of the program itself come in with its first requests
                return int(line.split()[1]) * 1024
        return 0

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def read_all(connection):
    got = b""
    try:
        while True:
            more = connection.recv(65536)
            if not more:
                return got
            got += more
    except (TimeoutError, ConnectionResetError):
        return got


def lines(control):
    data = b""
    while True:
        while b"\n" in data:
            line, data = data.split(b"\n", 1)
            yield json.loads(line)
        more = control.recv(65536)
        if not more:
            return
        data += more


def until(holds, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("did not happen in time")
