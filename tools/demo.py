#!/usr/bin/env python3
"""The whole story on a machine without GPUs: a launch that cannot work is checked and planned, then three
real replicas of a tiny model run behind one address, one is killed while a chat streams, and all is well
again. Ends with an error when a step does not end as it should. ./dev demo sets up, builds and runs it."""
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEXTANT = os.environ.get("SEXTANT", str(ROOT / "build" / "sextant"))
ENGINES = ROOT / "build" / "engines"
LAUNCH = ["vllm", "serve", "Qwen/Qwen2.5-72B-Instruct", "--tensor-parallel-size", "6"]
MACHINE = "6xA100-PCIE-40GB"
PATIENCE = 60  # seconds; the steps take a second or two each


def fail(words):
    sys.exit(f"demo: {words}")


def shown(arguments):
    return "sextant " + " ".join(f"'{word}'" if " " in word else word for word in arguments)


def say(arguments, wanted, lines=None, env=None):
    """Runs sextant as a person would, shows what it says, and holds that it ends with that code."""
    print(f"\n$ {shown(arguments)}", flush=True)
    ran = subprocess.run([SEXTANT, *arguments], capture_output=True, text=True, env=env, timeout=PATIENCE)
    text = (ran.stdout + ran.stderr).rstrip("\n").split("\n")
    print("\n".join(text[:lines] + (["…"] if lines and len(text) > lines else [])), flush=True)
    if ran.returncode != wanted:
        fail(f"{shown(arguments)} ended with {ran.returncode}, not with {wanted}")
    return ran.stdout


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Deployment:
    def __init__(self):
        self.state = tempfile.mkdtemp(prefix="sextant-demo-")
        self.env = {**os.environ, "SEXTANT_STATE": self.state,
                    "PATH": f"{ENGINES / 'bin'}:{os.environ.get('PATH', '')}"}
        self.port = free_port()

    def status(self):
        ran = subprocess.run([SEXTANT, "status", "--format", "json"], capture_output=True, text=True,
                             env=self.env, timeout=PATIENCE)
        return json.loads(ran.stdout) if ran.stdout else {"state": "down", "replicas": []}

    def wait(self, wanted, what):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            status = self.status()
            if wanted(status):
                return status
            time.sleep(0.1)
        fail(f"{what} did not come in {PATIENCE} s")

    def engine(self, replica):
        record = pathlib.Path(self.state, "default", "replicas", str(replica), "keeper.json")
        return json.loads(record.read_text())["engine"]["pid"]

    def chat(self, model):
        """A chat that streams: its connection, its answer, and the replica that gives it."""
        body = {"model": model, "stream": True, "max_tokens": 400,
                "messages": [{"role": "user", "content": "Tell me a long story."}]}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("POST", "/v1/chat/completions", json.dumps(body),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        route = answer.getheader("x-sextant-route", "")
        if answer.status != 200:
            fail(f"a chat through the address was answered with {answer.status}")
        return connection, answer, int(route.split("replica=")[1].split(";")[0])


def run(deployment):
    model = str(ENGINES / "models" / "slow.gguf")
    say(["up", "--replicas", "3", "--port", str(deployment.port), "--detach", "--wait", "--", "llama-server", "-m",
         model, "-c", "2048", "-np", "2", "-t", "1", "-tb", "1", "--poll", "0"], 0, env=deployment.env)
    say(["smoke"], 0, env=deployment.env)

    connection, answer, serving = deployment.chat(model)
    answer.read(200)
    victim = (serving + 1) % 3
    print(f"\n(a chat streams from replica {serving}; replica {victim} is killed: kill -9)", flush=True)
    os.kill(deployment.engine(victim), signal.SIGKILL)
    deployment.wait(lambda s: s["replicas"][victim]["state"] == "failed" and "cause" in s["replicas"][victim],
                    "the cause of the killed replica")
    say(["status"], 0, env=deployment.env)
    rest = answer.read()
    connection.close()
    if not rest.rstrip().endswith(b"data: [DONE]"):
        fail("the chat beside the killed replica was cut")
    print(f"\n(the chat went on to its end: {rest.count(b'data: ')} events)", flush=True)
    deployment.wait(lambda s: s["state"] == "serving", "the replica's return")
    say(["status"], 0, env=deployment.env)
    say(["down"], 0, env=deployment.env)


def main():
    for language in ("en", "zh"):
        say(["check", "--lang", language, "--on", MACHINE, "--", *LAUNCH], 1)
    say(["plan", LAUNCH[2], "--on", MACHINE, "--users", "32"], 0, lines=16)
    if not (ENGINES / "bin" / "llama-server").exists():
        fail("there is no engine under build/engines (./dev setup --engines); the rest was not shown")
    deployment = Deployment()
    try:
        run(deployment)
    finally:
        subprocess.run([SEXTANT, "down"], capture_output=True, env=deployment.env, timeout=200)
        shutil.rmtree(deployment.state, ignore_errors=True)
    print("\nThat was all of it: nothing is left running.")


if __name__ == "__main__":
    main()
