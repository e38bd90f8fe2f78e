#!/usr/bin/env python3
"""The bars of `up` with a real llama.cpp server and tiny models: ready in seconds, every process killed in turn, requests that
go on, nothing left. ./dev setup --engines puts the engine and the models under build/engines."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import sys
import time
import unittest

from deployments import HOST, Deployment, alive, free_ports, listens, wait_for
from traffic import Traffic, chat

ENGINES = pathlib.Path(os.environ.get("SEXTANT_ENGINES", "build/engines")).absolute()
SERVER = ENGINES / "bin/llama-server"
BINARY = ENGINES / "binary/llama-server"   # the engine's own program: ./dev setup --engines --binary


def launch(port, model="tiny", home="/nonexistent", server=SERVER):
    words = [str(server), "-m", str(ENGINES / f"models/{model}.gguf"), "--alias", "tiny", "--host", HOST, "--port", str(port),
             "-c", "2048", "-np", "2", "-t", "1", "-tb", "1", "--poll", "0", "--metrics", "--sse-ping-interval", "1"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CONFIG_HOME": str(home), "LC_ALL": "C.UTF-8"}
    return {"engine": "llamacpp", "words": words, "environment": environment, "folder": "", "host": HOST, "port": port,
            "model": "tiny", "gpus": [], "cpus": "", "key": ""}


class RealEngine(unittest.TestCase):
    server = SERVER

    def three(self, model="tiny", **more):
        deployment = Deployment([launch(port, model, server=self.server) for port in free_ports(3)], **more)
        self.addCleanup(deployment.clear)
        deployment.begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        return deployment

    def gateway(self, deployment):
        return next(iter(deployment.relays()), None)

    def test_three_become_ready_serve_and_leave_nothing(self):
        deployment = self.three()
        self.assertEqual(chat(deployment.port, 8), "")
        self.assertEqual(chat(deployment.port, 8, stream=True), "")
        self.assertEqual(deployment.down(), 0, deployment.said())
        self.assertEqual(deployment.left(), [])
        self.assertEqual([port for port in deployment.ports if listens(port)], [])
        self.assertEqual([*deployment.state.rglob("*.sock")], [])
        # Nothing was written beside the state folder.
        self.assertEqual({path.name for path in deployment.above.iterdir()}, {"test", "daemon.out"})

    def test_one_that_is_killed_comes_back_while_the_others_serve(self):
        deployment = self.three(backoff=(8,))   # its cause is told until it serves again: so long it can be looked at
        others = [deployment.engine(0), deployment.engine(2)]
        os.kill(deployment.engine(1), signal.SIGKILL)
        cause = wait_for(lambda: deployment.replica(1).get("cause"))
        self.assertEqual(cause["name"], "process-died", cause)
        self.assertEqual(chat(deployment.port, 8), "")
        self.assertTrue(deployment.wait_replica(1, "ready", start=2))
        self.assertEqual([deployment.engine(0), deployment.engine(2)], others)

    def test_a_keeper_that_is_killed_is_replaced_with_its_engine(self):
        deployment = self.three()
        engine = deployment.engine(2)
        os.kill(deployment.keeper(2), signal.SIGKILL)
        self.assertTrue(wait_for(lambda: not alive(engine), 10))
        self.assertTrue(deployment.wait_replica(2, "ready", start=2))
        self.assertEqual(len(deployment.processes_of_engines()), 3)

    def test_a_daemon_that_is_killed_under_traffic_costs_no_request(self):
        deployment = self.three(model="slow")
        before = [deployment.who(index) for index in range(3)]
        gateway = self.gateway(deployment)
        with Traffic(deployment.port, tokens=40) as traffic:
            self.assertTrue(wait_for(lambda: traffic.done >= 5))
            deployment.kill_daemon()
            time.sleep(1)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            done = traffic.done
            self.assertTrue(wait_for(lambda: traffic.done >= done + 5))
        self.assertEqual(traffic.wrong, [])
        self.assertEqual([deployment.who(index) for index in range(3)], before)
        self.assertEqual(self.gateway(deployment), gateway)

    def test_a_gateway_that_is_killed_is_replaced_on_the_same_port(self):
        deployment = self.three()
        self.assertEqual(chat(deployment.port, 4), "")
        engines = [deployment.engine(index) for index in range(3)]
        os.kill(self.gateway(deployment), signal.SIGKILL)
        self.assertEqual(chat(deployment.port, 4), "")
        self.assertEqual([deployment.engine(index) for index in range(3)], engines)

    def test_one_that_stands_still_is_found_and_replaced_or_comes_back(self):
        deployment = self.three()
        engine = deployment.engine(0)
        os.kill(engine, signal.SIGSTOP)
        self.assertTrue(deployment.wait_replica(0, "suspect"), deployment.events(0))
        self.assertEqual(chat(deployment.port, 8), "")
        os.kill(engine, signal.SIGCONT)
        self.assertTrue(deployment.wait_replica(0, "ready", start=1), deployment.events(0))

    def test_a_model_that_cannot_be_loaded_is_named_and_not_tried_again(self):
        for model, cause in (("cut", "weights-truncated"), ("unknown-architecture", "model-arch-unknown"),
                             ("no-model", "model-file-is-not-model")):
            with self.subTest(model), Deployment([launch(free_ports(1)[0], model, server=self.server)]) as deployment:
                deployment.begin()
                self.assertTrue(deployment.wait_state("given-up"), (deployment.status(), deployment.said()))
                self.assertEqual(deployment.replica()["cause"]["name"], cause, deployment.status())
                self.assertEqual(deployment.replica()["start"], 1, deployment.events(0))
                self.assertTrue(pathlib.Path(deployment.replica()["cause"]["report"]).is_file())


@unittest.skipUnless(BINARY.exists(), "there is no " + str(BINARY))
class OwnProgram(RealEngine):
    """The same with the engine's own program, and what only that one shows: its exit codes, its way with signals."""
    server = BINARY

    @contextlib.contextmanager
    def stream(self, port):
        """A long answer of which something has come: the engine is at work."""
        connection = http.client.HTTPConnection(HOST, port, timeout=60)
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps({"max_tokens": 2000, "stream": True, "messages": [
                {"role": "user", "content": "hello"}]}), {"Content-Type": "application/json"})
            self.assertTrue(connection.getresponse().readline())
            yield
        finally:
            connection.close()

    def ended(self, number, also=()):
        """How one that serves ended after these signals, as its keeper wrote it down; the title of the cause."""
        with Deployment([launch(free_ports(1)[0], "slow", server=self.server)], backoff=(2,)) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
            time.sleep(0.1)  # a signal at the very moment of "listening" is lost by the engine itself
            engine = deployment.engine()
            with self.stream(deployment.ports[1]) if also else contextlib.nullcontext():
                for one in (number, *also):
                    os.kill(engine, one)
                    time.sleep(0.02)  # two at once would be one; it may end by the first a moment later
            self.assertTrue(wait_for(lambda: deployment.replica().get("cause")), deployment.status())
            record = json.loads((deployment.state / "replicas/0/exit.json").read_text())
            cause = deployment.replica()["cause"]
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.status())
            return record, cause

    def test_one_that_somebody_else_asked_to_end_ends_with_0_and_comes_back(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            record, cause = self.ended(number)
            self.assertEqual((record.get("code"), record["asked"]), (0, False), record)
            self.assertIn(cause["name"], ("process-died", "stopped-on-request"), cause)

    def test_a_second_request_ends_it_with_1(self):
        record, _ = self.ended(signal.SIGTERM, also=(signal.SIGTERM,))
        self.assertEqual(record.get("code"), 1, record)

    def test_signals_that_kill_are_told_as_signals(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL):
            record, cause = self.ended(number)
            self.assertEqual(record.get("signal"), number, record)
            self.assertNotIn("code", record)

    def test_one_that_loads_ends_at_once_when_asked(self):
        with Deployment([launch(free_ports(1)[0], "slow", server=self.server)]) as deployment:
            deployment.begin()
            self.assertTrue(wait_for(deployment.processes_of_engines))
            self.assertEqual(deployment.down(20), 0, deployment.said())
            self.assertEqual(deployment.left(), [])


if __name__ == "__main__":
    if not SERVER.exists():
        print(f"there is no {SERVER}: run ./dev setup --engines\n0 passed, 1 failed")
        sys.exit(1)
    unittest.main()
