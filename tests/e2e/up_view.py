#!/usr/bin/env python3
"""`sextant up` beside a person: a live table on a terminal of any size, lines in a pipe, Ctrl-C once and twice."""
import codecs
import fcntl
import http.client
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unicodedata
import unittest

from deployments import FAKE_ENGINE, HOST, PATIENCE, SEXTANT, alive, free_ports, listens, wait_for

CSI = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


def cells(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Screen:
    """What a terminal shows of the bytes it got: the few sequences that the program uses, and no others."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [""]
        self.row = 0
        self.widest = 0
        self.strange = set()
        self.coloured = False

    def feed(self, text):
        while text:
            found = CSI.match(text)
            if found:
                self.obey(found.group(1), found.group(2))
                text = text[found.end():]
                continue
            if text.startswith("\x1b[") or text == "\x1b":
                return text   # the rest of it comes
            letter, text = text[0], text[1:]
            if letter == "\n":
                self.row += 1
                if self.row == len(self.rows):
                    self.rows.append("")
            elif letter == "\r":
                self.column = 0
                self.fresh = True
            else:
                if getattr(self, "fresh", False):
                    self.rows[self.row] = ""
                    self.fresh = False
                self.rows[self.row] += letter
                self.widest = max(self.widest, cells(self.rows[self.row]))
        return ""

    def obey(self, numbers, verb):
        if verb == "A":
            self.row -= int(numbers or 1)
            if self.row < 0:
                self.strange.add("above the screen")
                self.row = 0
        elif verb == "J":
            del self.rows[self.row + 1:]
            self.rows[self.row] = ""
        elif verb == "m":
            self.coloured = True
        elif verb != "K":
            self.strange.add(numbers + verb)

    def text(self):
        return "\n".join(self.rows)


class Up:
    """`sextant up` of fake engines on a pseudo-terminal."""

    def __init__(self, columns=100, rows=30, replicas=2, plan="", stage_ms=50, words=(), run=True, **variables):
        self.above = pathlib.Path(tempfile.mkdtemp(prefix="sx"))
        bin_ = self.above / "bin"
        bin_.mkdir()
        (bin_ / "llama-server").symlink_to(os.path.abspath(FAKE_ENGINE))
        model = self.above / "tiny"
        model.write_bytes(b"")
        self.port = free_ports(1)[0]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.above), "TERM": "xterm", "LC_ALL": "C.UTF-8",
                       "SEXTANT_STATE": str(self.above / "state"), **variables}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        self.environment = environment
        self.words = [SEXTANT, "up", "--port", str(self.port), "--replicas", str(replicas), "--anyway", "test", *words, "--",
                      "env", f"FAKE_ENGINE_PLAN={plan}", f"FAKE_ENGINE_STAGE_MS={stage_ms}",
                      str(bin_ / "llama-server"), "-m", "tiny", "--metrics"]
        self.child, self.done = None, None
        if run:
            self.run(columns, rows)

    def run(self, columns, rows):
        self.child, self.master = pty.fork()
        if self.child == 0:
            self.resize(columns, rows, 0)
            os.chdir(self.above)
            os.execve(SEXTANT, self.words, self.environment)
        self.resize(columns, rows)
        self.screen = Screen(columns)
        self.bytes = b""
        self.rest = ""
        self.letters = codecs.getincrementaldecoder("utf-8")("replace")   # a piece may end within one
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def resize(self, columns, rows, fd=None):
        fcntl.ioctl(self.master if fd is None else fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        while True:
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                return
            if not piece:
                return
            self.bytes += piece
            self.rest = self.screen.feed(self.rest + self.letters.decode(piece))

    def press(self, key=b"\x03"):
        os.write(self.master, key)

    def status(self):
        done = subprocess.run([SEXTANT, "status", "--format", "json"], env=self.environment, capture_output=True, timeout=60)
        return json.loads(done.stdout) if done.stdout else {}

    def shows(self, words, seconds=PATIENCE):
        return wait_for(lambda: words in self.screen.text(), seconds)

    def wait(self, seconds=PATIENCE):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pid, status = os.waitpid(self.child, os.WNOHANG)
            if pid:
                self.done = os.waitstatus_to_exitcode(status)
                self.reader.join(5)
                return self.done
            time.sleep(0.05)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([SEXTANT, "down"], env=self.environment, capture_output=True, timeout=240)
        if self.child and self.done is None and self.wait(10) is None:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        if self.child:
            os.close(self.master)
        shutil.rmtree(self.above, ignore_errors=True)


class Terminal(unittest.TestCase):
    def test_a_table_is_drawn_over_itself_until_it_is_taken_down(self):
        with Up(stage_ms=400) as up:
            self.assertTrue(up.shows("starting"), up.screen.text())
            wanted = (f"http://127.0.0.1:{up.port}  serving\n", "\n  0  ready ", "\n  1  ready ", "replica 1: warming -> ready", "Ctrl-C takes it down")
            self.assertTrue(wait_for(lambda: all(words in up.screen.text() for words in wanted)), up.screen.text())
            self.assertTrue(up.screen.coloured)
            up.press()
            self.assertEqual(up.wait(), 130)
            self.assertEqual(up.screen.strange, set())
            self.assertLessEqual(up.screen.widest, 100)
            self.assertFalse(listens(up.port))

    def test_forty_columns_without_colour(self):
        with Up(columns=40, rows=12, stage_ms=300, NO_COLOR="1", LC_ALL="C") as up:
            self.assertTrue(up.shows("serving"), up.screen.text())
            up.press()
            self.assertEqual(up.wait(), 130)
            self.assertLessEqual(up.screen.widest, 40)
            self.assertFalse(up.screen.coloured)
            self.assertEqual(up.screen.strange, set())
            self.assertTrue(up.bytes.isascii(), up.bytes)  # a terminal without UTF-8 shows it too

    def test_in_chinese(self):
        with Up(columns=60, LC_ALL="zh_CN.UTF-8") as up:
            self.assertTrue(up.shows("正在服务"), up.screen.text())
            self.assertTrue(up.shows("按 Ctrl-C 停止部署"), up.screen.text())
            up.press()
            self.assertEqual(up.wait(), 130)
            self.assertLessEqual(up.screen.widest, 60)

    def test_a_terminal_that_changes_its_size(self):
        with Up(columns=120, stage_ms=50) as up:
            self.assertTrue(up.shows("serving"), up.screen.text())
            mark = len(up.bytes)
            up.resize(44, 16)
            self.assertTrue(wait_for(lambda: len(up.bytes) > mark + 200))
            self.assertTrue(wait_for(lambda: max(map(cells, up.screen.rows)) <= 44, 10), up.screen.text())
            up.screen.widest = 0
            up.resize(110, 30)
            self.assertTrue(wait_for(lambda: up.screen.widest > 44))
            up.press()
            self.assertEqual(up.wait(), 130)

    def test_requests_in_flight_are_counted_and_the_first_ctrl_c_lets_them_end(self):
        with Up(plan="gate@request=2", replicas=1) as up:   # the first one proves the replica
            self.assertTrue(up.shows("serving"), up.screen.text())
            tokens = []
            stream = threading.Thread(target=chat, args=(up.port, 80, tokens))
            stream.start()
            self.assertTrue(up.shows("1 in flight", 20), up.screen.text())
            up.press()
            # It is shown as long as the request lasts; that ends before a drain is over, after thirty seconds.
            self.assertTrue(up.shows("Ctrl-C again ends it at once", 20), up.screen.text())
            self.assertTrue(wait_for(lambda: len(tokens) == 40), tokens)
            (up.above / "open.request").touch()
            self.assertEqual(up.wait(), 130)
            stream.join(20)
            self.assertEqual(len(tokens), 80)

    def test_the_second_ctrl_c_does_not_wait(self):
        with Up(plan="slow=1s; ignore-term", replicas=1) as up:
            self.assertTrue(up.shows("serving"), up.screen.text())
            tokens = []
            stream = threading.Thread(target=chat, args=(up.port, 600, tokens))
            stream.start()
            self.assertTrue(up.shows("1 in flight", 20), up.screen.text())
            up.press()
            self.assertTrue(up.shows("Ctrl-C again ends it at once", 20), up.screen.text())
            up.press()
            self.assertEqual(up.wait(25), 130)   # less than the thirty seconds that a drain may take
            stream.join(20)
            self.assertLess(len(tokens), 600)

    def test_what_is_given_up_is_said_below_the_table(self):
        with Up(plan="crash@load code=1 log=truncated", replicas=1) as up:
            self.assertEqual(up.wait(), 1)
            self.assertIn("given up: ", up.screen.text())


def chat(port, count, tokens):
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    body = {"model": "tiny", "stream": True, "max_tokens": count, "messages": [{"role": "user", "content": "hi"}]}
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        for line in connection.getresponse():
            if line.startswith(b"data: {") and b'"content"' in line:
                content = json.loads(line[6:])["choices"][0]["delta"].get("content")
                if content:
                    tokens.append(content)
    except (OSError, http.client.HTTPException, ValueError, KeyError, IndexError):
        pass
    finally:
        connection.close()


class Pipe(unittest.TestCase):
    def test_lines_without_any_sequence(self):
        for asked, code in ((signal.SIGINT, 130), (signal.SIGTERM, 0)):
            with self.subTest(asked.name):
                self.lines_until(asked, code)

    def lines_until(self, asked, code):
        with Up(replicas=1, run=False) as other:   # its folders and words, not its terminal
            process = subprocess.Popen(other.words, env=other.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       stdin=subprocess.DEVNULL, cwd=other.above, text=True)
            out = []
            reader = threading.Thread(target=lambda: out.extend(process.stdout), daemon=True)
            reader.start()
            self.assertTrue(wait_for(lambda: any("ready" in line for line in out)), out)
            process.send_signal(asked)
            self.assertEqual(process.wait(PATIENCE), code)
            self.assertEqual(other.status(), {}, "it runs on")
            reader.join(5)
            told = process.stderr.read()
            process.stderr.close()
            process.stdout.close()
            self.assertIn("Ctrl-C again ends it at once", told)
            self.assertNotIn("\x1b", "".join(out) + told)
            self.assertTrue(all(line.startswith("replica 0") for line in out if "ready" in line), out)


if __name__ == "__main__":
    unittest.main()
