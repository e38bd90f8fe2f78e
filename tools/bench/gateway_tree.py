#!/usr/bin/env python3
"""Whether the tree that our routing is compared with (tests/unit/gateway/affinity_trees.h) chooses as SGLang's router itself does.

    ./dev setup --bench --peers
    ./dev bench gateway_tree [STEPS] [REQUESTS_AT_A_TIME] [SEED]      900, 260 and 5 by default: more than the 64 apart that it takes

Starts the router before eight engines that hold each request until they are told to answer, begins and ends requests of several
conversations, and compares where each arrives with what the same tree in a few lines of Python says. Not part of CI.
"""
import http.server
import json
import pathlib
import random
import string
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gateway"))
import other_gateways  # noqa: E402

ENGINES = 8
MATCH, ABSOLUTE, RELATIVE = 0.3, 64, 1.5  # the router's defaults
WAIT_S = 60
ANSWER = {"id": "x", "object": "chat.completion", "created": 1, "model": "mock-model", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]}


class Held:
    """A request: where it arrived, and whether it may be answered."""

    def __init__(self):
        self.at, self.arrived, self.free, self.sender = None, threading.Event(), threading.Event(), None


class Engine(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    held = {}  # by the last turn

    def log_message(self, *_):
        pass

    def answer(self, said):
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # noqa: N802
        self.answer({"object": "list", "data": [{"id": "mock-model", "object": "model"}]})

    def do_POST(self):  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        one = self.held.get(body["messages"][-1]["content"])
        if one:  # else the question whether the router is up
            one.at = self.server.number
            one.arrived.set()
            one.free.wait(WAIT_S)
        self.answer(ANSWER)


class Tree:
    """A node is [its text, who made it, the nodes behind it]."""

    def __init__(self):
        self.root = ["", None, {}]

    @staticmethod
    def shared(a, b):
        return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))

    def longest(self, text):
        node, matched = self.root, 0
        while text and text[0] in node[2]:
            node = node[2][text[0]]
            same = self.shared(text, node[0])
            matched, text = matched + same, text[same:]
            if same < len(node[0]):
                break
        return node[1], matched

    def put(self, text, owner):
        node = self.root
        while text:
            after = node[2].get(text[0])
            if after is None:
                node[2][text[0]] = [text, owner, {}]
                return
            same = self.shared(text, after[0])
            if same < len(after[0]):
                front = [after[0][:same], after[1], {after[0][same]: after}]
                after[0] = after[0][same:]
                after = node[2][front[0][0]] = front
            node, text = after, text[same:]


def ask(port, turns):
    body = json.dumps({"model": "mock-model", "messages": turns}).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", body, {"Content-Type": "application/json"})
    urllib.request.urlopen(asked, timeout=WAIT_S + 10).read()


class Play:
    def __init__(self, port, seed):
        self.port, self.chance = port, random.Random(seed)
        self.instructions = [self.words(300, 2000) for _ in range(6)]
        self.talks, self.tree, self.load, self.open = [], Tree(), [0] * ENGINES, []
        self.same, self.other, self.apart = 0, 0, 0

    def words(self, least, most):
        return "".join(self.chance.choices(string.ascii_lowercase, k=self.chance.randint(least, most)))

    def end_one(self):
        one = self.open.pop(self.chance.randrange(len(self.open)))
        one.free.set()
        one.sender.join(WAIT_S)
        self.load[one.at] -= 1
        time.sleep(0.005)  # the router counts it a moment later

    def begin_one(self):
        again = self.talks and self.chance.random() < 0.5
        talk = self.chance.choice(self.talks) if again else [{"role": "system", "content": self.chance.choice(self.instructions)}]
        if not again:
            self.talks.append(talk)
        talk.append({"role": "user", "content": self.words(20, 900)})
        one = Engine.held[talk[-1]["content"]] = Held()
        one.sender = threading.Thread(target=ask, args=(self.port, list(talk)), daemon=True)
        one.sender.start()
        if not one.arrived.wait(WAIT_S):
            raise RuntimeError("a request did not arrive")
        self.judge(" ".join(turn["content"] for turn in talk), one.at)
        self.load[one.at] += 1
        self.open.append(one)
        talk.append({"role": "assistant", "content": self.words(20, 300)})

    def judge(self, text, at):
        least, most = min(self.load), max(self.load)
        apart = most - least > ABSOLUTE and most > RELATIVE * least
        owner, matched = self.tree.longest(text)
        good = at == owner if not apart and matched > MATCH * len(text) else self.load[at] == least
        self.same, self.other, self.apart = self.same + good, self.other + (not good), self.apart + apart
        self.tree.put(text, at)


def main():
    steps, most, seed = [int(word) for word in sys.argv[1:4]] + [900, 260, 5][len(sys.argv) - 1:]
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Engine) for _ in range(ENGINES)]
    for number, server in enumerate(servers):
        server.number, server.daemon_threads = number, True
        threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        router, port = other_gateways.sglang_router(None, pathlib.Path(folder), [one.server_port for one in servers])
        play = Play(port, seed)
        play.tree.put("hi", None)  # what until_it_answers asks
        try:
            for _ in range(steps):
                if play.open and (len(play.open) >= most or play.chance.random() < 0.2):
                    play.end_one()
                else:
                    play.begin_one()
        finally:
            for one in play.open:
                one.free.set()
            router.stop()
    print(f"{play.same} of {play.same + play.other} choices are the same, {play.apart} of them while the counts were apart")
    return 1 if play.other else 0


if __name__ == "__main__":
    sys.exit(main())
