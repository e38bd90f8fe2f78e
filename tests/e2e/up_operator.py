#!/usr/bin/env python3
"""What an operator's commands say of a deployment whose replicas were replaced, that has given up, or that is not there; and that a
start is never told of an earlier one's failure."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

from deployments import PATIENCE, SEXTANT, Deployment, alive, fake_launch, free_ports, wait_for
import up_reload
from traffic import chat
from up_reload import changed


def sextant(*words, state):
    """(exit code, standard output, standard error)"""
    ran = subprocess.run([SEXTANT, *words], env={**os.environ, "SEXTANT_STATE": str(state), "LANG": "C"}, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=120)
    return ran.returncode, ran.stdout, ran.stderr


class Operator(unittest.TestCase):
    def started(self, launches, state="serving", **more):
        deployment = Deployment(launches, **more)
        self.addCleanup(deployment.clear)
        deployment.begin()
        self.assertTrue(deployment.wait_state(state), (deployment.status(), deployment.said()))
        return deployment

    def test_replicas_that_came_by_a_reload_are_restarted_and_drained_by_their_numbers(self):
        deployment = self.started([fake_launch("vllm", port) for port in free_ports(2)])
        launches = [changed(one, port, OTHER="1") for one, port in zip(deployment.document["layouts"][0]["replicas"], free_ports(2))]
        self.assertEqual(deployment.reload(launches)[0], 202)
        self.assertTrue(deployment.wait_reloaded()["good"])
        self.assertEqual(deployment.numbers(), [2, 3])
        above = deployment.state.parent
        code, _, said = sextant("restart", "0", "--name", "test", state=above)
        self.assertEqual((code, said), (2, "sextant: which replica? 2, 3\n"))
        start = deployment.replica(2)["start"]
        code, said, _ = sextant("restart", "2", "--name", "test", state=above)
        self.assertEqual(code, 0)
        beside = "replica 2 serves until another one, which starts beside it, is ready\n" in said   # where no GPUs are
        self.assertTrue(beside or "replica 2 stops before it starts again: which GPUs" in said, said)
        here = 0 if beside else 2
        self.assertTrue(wait_for(lambda: deployment.replica(here).get("start", 0) > start))
        self.assertTrue(deployment.wait_replica(here, "ready"), deployment.status())
        self.assertTrue(wait_for(lambda: deployment.numbers() == sorted([here, 3])))
        self.assertEqual(sextant("drain", "3", "--name", "test", state=above)[0], 0)
        self.assertTrue(deployment.wait_replica(3, "stopped"))
        # Without a number it is the first that is there, not one that is long gone.
        log = deployment.state / f"replicas/{here}/engine.log"
        self.assertEqual(sextant("logs", "--name", "test", state=above)[:2], (0, log.read_text()))
        self.assertEqual(sextant("logs", "9", "--name", "test", state=above)[0], 2)

    def test_a_start_is_not_told_of_an_earlier_ones_failure(self):
        deployment = self.started([fake_launch("vllm", free_ports(1)[0], plan="crash@load code=1 log=oom-weights")], "given-up")
        self.assertEqual(deployment.replica()["cause"]["name"], "oom-weights-too-big")
        self.assertEqual(deployment.down(), 0)
        # The same replica again, with an engine that says nothing before it ends.
        launch = deployment.document["layouts"][0]["replicas"][0]
        launch.update(words=["false"], engine="vllm")
        launch["environment"] = {"PATH": os.environ["PATH"]}
        deployment.document["restart"]["tries"] = 1
        deployment.write()
        deployment.begin()
        self.assertTrue(deployment.wait_state("given-up"), deployment.status())
        self.assertEqual(deployment.replica()["cause"]["name"], "process-died")
        self.assertIn("1", deployment.replica()["cause"]["title"])

    def test_a_program_that_is_not_there_is_said(self):
        launch = fake_launch("vllm", free_ports(1)[0], words=["env", "no-such-engine"], environment={"PATH": os.environ["PATH"]})
        cause = self.started([launch], "given-up", tries=1).replica()["cause"]
        self.assertEqual(cause["name"], "process-died")
        self.assertIn("not found", cause["title"])
        self.assertIn("找不到", cause["title_zh"])

    def test_where_it_has_given_up_nobody_waits(self):
        deployment = self.started([fake_launch("vllm", free_ports(1)[0], plan="crash@load code=1 log=oom-weights")], "given-up")
        # One that waited in a queue would do so for ten minutes, which is longer than a chat listens.
        self.assertTrue(chat(deployment.port).startswith("503"))
        self.assertEqual(sextant("smoke", "--name", "test", state=deployment.state.parent)[0], 1)

    def test_what_is_not_there_is_said_with_what_is(self):
        deployment = self.started([fake_launch("vllm", free_ports(1)[0])])
        for command in ("status", "down", "logs", "restart", "drain", "reload"):
            code, _, said = sextant(command, *(["0"] if command in ("restart", "drain") else []), state=deployment.state.parent)
            self.assertEqual((code, said), (4, "sextant: there is no deployment default; running: test (--name)\n"), command)
        with tempfile.TemporaryDirectory() as empty:
            code, _, said = sextant("logs", state=empty)
            self.assertEqual((code, said), (4, "sextant: there is no deployment default\n"))

    def test_a_daemon_that_is_gone_is_told_from_a_deployment_that_is_not_up(self):
        deployment = self.started([fake_launch("vllm", port) for port in free_ports(2)])
        engines = [deployment.engine(index) for index in (0, 1)]
        above = deployment.state.parent
        deployment.kill_daemon()
        os.kill(deployment.keeper(1), signal.SIGKILL)
        self.assertTrue(wait_for(lambda: not alive(engines[1]), 10))
        code, said, _ = sextant("status", "--name", "test", state=above)
        self.assertEqual(code, 3)
        self.assertIn("test: its daemon is gone; what it started still runs", said)
        self.assertIn(f"replica 0  engine {engines[0]} runs, port {deployment.ports[1]}", said)
        self.assertNotIn("replica 1", said)
        self.assertIn(f"takes requests at http://127.0.0.1:{deployment.port}", said)
        self.assertIn("`setsid -f sextant daemon test` takes it back", said)
        told = json.loads(sextant("status", "--name", "test", "--format", "json", state=above)[1])
        self.assertEqual((told["state"], [one["engine_pid"] for one in told["replicas"]]), ("daemon-gone", engines[:1]))
        self.assertIn("守护进程已不在", sextant("status", "--name", "test", "--lang", "zh", state=above)[1])
        for command in (("restart", "0"), ("drain", "0"), ("reload",), ("smoke",), ("bench", "serve")):
            code, _, trouble = sextant(*command, "--name", "test", state=above)
            self.assertEqual((code, trouble), (3, "sextant: the daemon of test is gone, and what it started still runs: "
                                                  "`sextant status --name test` says what\n"), command)
        self.assertEqual(chat(deployment.port), "")   # it is true
        deployment.begin()   # what it said helps
        self.assertTrue(deployment.wait_state("serving"), deployment.said())
        self.assertEqual(deployment.engine(0), engines[0])
        self.assertEqual(deployment.down(), 0)
        code, _, said = sextant("status", "--name", "test", state=above)
        self.assertEqual(code, 3)
        self.assertRegex(said, r"^sextant: test is not up: ended at \d{4}-\d\d-\d\d [\d:]{8} UTC: asked to by process "
                               rf"{os.getpid()} \(python3?[\d.]*\)\n$")
        # Its log and its journal say the same.
        self.assertIn(said.split(": ", 2)[2], deployment.said())

    def test_what_was_given_up_stays_so_when_a_daemon_that_crashed_comes_back(self):
        deployment = self.started([fake_launch("vllm", free_ports(1)[0], plan="crash@load code=1 log=oom-weights")], "given-up")
        before, events = deployment.replica(), len(deployment.events())
        deployment.process.send_signal(signal.SIGSEGV)
        # A sanitized program names each function of its stack first: debug information of the whole program is read.
        self.assertNotEqual(deployment.process.wait(PATIENCE), 0)
        self.assertRegex(deployment.said(), "ended by signal 11, a mistake of ours|AddressSanitizer")
        deployment.begin()
        self.assertTrue(deployment.wait_state("given-up"), deployment.status())
        after = deployment.replica()
        self.assertEqual((after["state"], after["cause"], after["start"]), ("failed", before["cause"], before["start"]))
        self.assertEqual(deployment.events()[events:], [("planned", "failed", "oom-weights-too-big")])
        note = next(one for one in deployment.status()["notes"] if one["name"] == "daemon-lost")
        self.assertIn("ended without a word", note["message"])
        # Whoever asks has it tried once more.
        self.assertEqual(deployment.ask("/v1/replicas/0/restart", "POST")[0], 202)
        self.assertTrue(wait_for(lambda: deployment.replica().get("start") == before["start"] + 1
                                 and deployment.status()["state"] == "given-up"), deployment.status())
        self.assertEqual(deployment.down(), 0)
        self.assertIn("after it had given up", deployment.said())

    def test_what_cannot_be_made_is_said_with_its_reason(self):
        with tempfile.TemporaryDirectory() as empty:
            for words, trouble in (
                    (("--",), "nothing to run was given: a model, a plan as JSON (-), or a command after --"),
                    (("box.toml", "--", "llama-server"), "what is to run: box.toml, or the command after --?"),
                    (("-",), "no plan came on standard input: sextant plan MODEL --format json | sextant up -"),
                    (("Qwen/Qwen2.5-72B-Instruct", "--on", "1xRTX-4090"),
                     "no layout of Qwen/Qwen2.5-72B-Instruct fits; `sextant plan Qwen/Qwen2.5-72B-Instruct` says why")):
                self.assertEqual(sextant("up", *words, state=empty), (2, "", "sextant: " + trouble + "\n"))
            for language, trouble in (("en", "sextant: there is no plan for a/b; `sextant plan` says: no local copy of a/b was found"),
                                      ("zh", "sextant：没有 a/b 的方案；`sextant plan` 的说明：没有找到 a/b 的本地副本")):
                said = sextant("up", "a/b", "--on", "1xRTX-4090", "--lang", language, state=empty)[2]
                self.assertTrue(said.startswith(trouble), said)
            # A machine without GPUs has nothing to plan for; a command can be started all the same.
            said = sextant("up", "./tiny.gguf", state=empty)[2]
            self.assertTrue(said.endswith("; a command starts without a plan: sextant up -- llama-server -m ./tiny.gguf\n"), said)
            self.assertEqual(sextant("daemon", "box", state=empty), (4, "", f"sextant: there is no deployment box at {empty}/box: `sextant up` makes one\n"))
            self.assertEqual(sextant("keys", "list", "--file", empty + "/none.json", state=empty)[2],
                             f"sextant: there is no {empty}/none.json; `sextant keys add NAME --file {empty}/none.json` makes it\n")
            self.assertEqual(os.listdir(empty), [])
            said = sextant("up", "--users", "4", "--", "no-engine", state=empty)[2]
            self.assertEqual(said.splitlines()[0], "warning: --users is for plans: it changes nothing of a command")

    def test_a_request_that_cannot_be_read_is_not_a_deployment_that_is_down(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(sextant("route", "--explain", empty + "/none.json", state=empty)[0], 2)
            body = pathlib.Path(empty, "chat.json")
            body.write_text(json.dumps({"model": "m", "messages": []}))
            self.assertEqual(sextant("route", "--explain", str(body), state=empty)[0], 4)


class OneOfTwoModels(unittest.TestCase):
    setUp, sextant, write = up_reload.File.setUp, up_reload.File.sextant, up_reload.File.write

    def test_who_waits_for_it_is_told_when_the_other_has_failed_for_good(self):
        self.write((1, ""), (1, ""), names=("good", "bad"))
        front, back = self.file.read_text().rsplit('FAKE_ENGINE_PLAN = ""', 1)
        self.file.write_text(front + 'FAKE_ENGINE_PLAN = "crash@load code=1 log=oom-weights"' + back)
        up = self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "no such model")
        self.assertEqual(up.returncode, 1, (up.stdout, up.stderr))
        self.assertIn("oom-weights-too-big", up.stdout)
        asked = self.sextant("status", "--name", "box", "--format", "json")
        self.assertTrue(asked.stdout, (asked.returncode, asked.stderr, (self.state / "box/daemon.log").read_text()[-2000:]))
        self.assertEqual([one["state"] for one in json.loads(asked.stdout)["replicas"]], ["ready", "failed"])
        again = self.sextant("up", "sextant.toml", "--detach")
        self.assertIn("`sextant status --name box`", again.stderr)


if __name__ == "__main__":
    unittest.main()
