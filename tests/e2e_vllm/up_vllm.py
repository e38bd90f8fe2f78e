#!/usr/bin/env python3
"""The bars of `up` with a real vLLM on the CPU and a tiny model: up, a worker killed (it exits 0 then), an engine core that stands
still while its health path stays good, and down. Slow, and 6 GB: only ./dev e2e-vllm runs it."""
import http.client
import json
import os
import pathlib
import signal
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from deployments import HOST, Deployment, free_ports, listens, wait_for  # noqa: E402

HERE = pathlib.Path(os.environ.get("SEXTANT_VLLM", ROOT / "build/engines/vllm")).absolute()
VLLM = HERE / "venv/bin/vllm"
MODEL = HERE / "models/tiny"
# Imports three times over, on processors that others use too.
READY, WEDGED = 600, 400


def launch(port):
    words = [str(VLLM), "serve", str(MODEL), "--served-model-name", "tiny", "--host", HOST, "--port", str(port), "--enforce-eager",
             "--max-model-len", "1024", "--kv-cache-memory-bytes", "64M"]
    environment = {"PATH": f"{HERE / 'venv/bin'}:{os.environ['PATH']}", "HOME": str(HERE / "home"), "LC_ALL": "C.UTF-8",
                   "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    return {"engine": "vllm", "words": words, "environment": environment, "folder": "", "host": HOST, "port": port,
            "model": "tiny", "gpus": [], "cpus": "", "key": ""}


def chat(port, tokens=16, stream=False, seconds=180):
    """(status, body)."""
    connection = http.client.HTTPConnection(HOST, port, timeout=seconds)
    body = {"model": "tiny", "max_tokens": tokens, "stream": stream, "ignore_eos": True,
            "messages": [{"role": "user", "content": "hello"}]}
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def named(deployment, words):
    """Its process whose title or command holds these."""
    for pid in deployment.processes():
        try:
            title = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words in title and b"keeper" not in title.encode():
            return pid
    return None


def say(words):
    print(f"  {words}", flush=True)


class RealVllm(unittest.TestCase):
    def test_up_a_killed_worker_a_wedge_and_down(self):
        with Deployment([launch(free_ports(1)[0])], backoff=(1,), tries=5, grace=30) as deployment:
            began = time.monotonic()
            deployment.begin()
            stages = set()

            def serving():
                replica = deployment.replica()
                stages.add(replica.get("stage"))
                return deployment.status().get("state") == "serving"
            self.assertTrue(wait_for(serving, READY), (deployment.status(), deployment.said()))
            say(f"ready after {time.monotonic() - began:.0f} s, stages seen: {sorted(filter(None, stages))}")
            self.assertEqual(chat(deployment.port)[0], 200)
            self.assertIn(b"data: [DONE]", chat(deployment.port, stream=True)[1])
            self.assertIn("load", stages)

            before = set(deployment.processes_of_engines())
            self.assertGreaterEqual(len(before), 2, "its processes carry no mark")
            self.kill_of_a_worker(deployment)
            self.assertTrue(deployment.wait_replica(0, "ready", seconds=READY, start=2), deployment.status())
            self.assertEqual(before & set(deployment.processes_of_engines()), set())
            self.assertEqual(chat(deployment.port)[0], 200)

            self.wedge(deployment)
            self.assertTrue(deployment.wait_replica(0, "ready", seconds=READY, start=3), deployment.status())
            self.assertEqual(chat(deployment.port)[0], 200)

            began = time.monotonic()
            self.assertEqual(deployment.down(120), 0, deployment.said())
            say(f"down after {time.monotonic() - began:.1f} s")
            self.assertTrue(wait_for(lambda: deployment.processes() == [], 10), deployment.processes())
            self.assertEqual([port for port in deployment.ports if listens(port)], [])

    def kill_of_a_worker(self, deployment):
        worker = named(deployment, "VLLM::Worker") or named(deployment, "VLLM::EngineCore")
        self.assertIsNotNone(worker, deployment.processes())
        began = time.monotonic()
        os.kill(worker, signal.SIGKILL)
        cause = wait_for(lambda: deployment.replica().get("cause"), 120)
        record = json.loads((deployment.state / "replicas/0/exit.json").read_text())
        say(f"worker killed: exit {record.get('code')}, cause {cause['name']} after {time.monotonic() - began:.1f} s: "
            f"{cause['title']}")
        self.assertFalse(record["asked"])
        if record.get("oom_kills") == 0:   # its log guesses at the kernel, which counted none
            self.assertEqual(cause["name"], "process-died")

    def wedge(self, deployment):
        core = named(deployment, "VLLM::EngineCore")
        self.assertIsNotNone(core, deployment.processes())
        asking = threading.Thread(target=self.unanswered, args=(deployment.ports[1],))
        asking.start()
        time.sleep(2)
        began = time.monotonic()
        os.kill(core, signal.SIGSTOP)
        self.assertTrue(wait_for(lambda: {"wedged"} & {to for _, to, _ in deployment.events(0)}, WEDGED), deployment.events(0))
        connection = http.client.HTTPConnection(HOST, deployment.ports[1], timeout=10)
        try:
            connection.request("GET", "/health")
            health = connection.getresponse().status
        except OSError as error:
            health = repr(error)
        finally:
            connection.close()
        say(f"wedged: found after {time.monotonic() - began:.0f} s, its health then: {health}")
        asking.join(120)

    @staticmethod
    def unanswered(port):
        try:
            chat(port, 900, stream=True, seconds=300)
        except (OSError, http.client.HTTPException):
            pass


if __name__ == "__main__":
    if not VLLM.exists() or not MODEL.exists():
        print(f"there is no {VLLM}: tools/engines/setup_vllm.sh puts it there\n0 passed, 1 failed")
        sys.exit(1)
    unittest.main(verbosity=2)
