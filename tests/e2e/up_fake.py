#!/usr/bin/env python3
"""What `sextant daemon` does with engines that fail in every way that a fake one knows: states, causes, and what is left."""
import concurrent.futures
import glob
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import unittest

from deployments import HOST, SANITIZED, SEXTANT, Deployment, alive, fake_launch, free_ports, listens, resident_mib, wait_for
from traffic import Traffic

ENGINES = ("vllm", "sglang", "llamacpp")
DAEMON_MIB = 40


def three(**more):
    return [fake_launch(engine, port, **more) for engine, port in zip(ENGINES, free_ports(3))]


class Life(unittest.TestCase):
    """Three replicas, one of each engine."""

    def nothing_is_left(self, deployment):
        self.assertEqual(deployment.left(), [])
        self.assertEqual([port for port in deployment.ports if listens(port)], [])
        left = [path.name for path in deployment.state.rglob("*.sock")]
        self.assertEqual(left, [])

    def test_all_become_ready_stage_by_stage_and_go_down(self):
        # Each is held in three of its stages until that is shown: a stage that passes may be seen by nobody.
        plan = "gate@load; gate@kv; gate@capture; gate@sampler"   # the last one has another name where no graphs are
        with Deployment(three(plan=plan)) as deployment:
            deployment.begin()
            for shown, held in (("load", ["load"]), ("kv", ["kv"]), ("sampler", ["capture", "sampler"])):
                for index in range(3):
                    self.assertTrue(wait_for(lambda: deployment.replica(index).get("stage") == shown), (shown, deployment.status()))
                    for moment in held:
                        deployment.open_gate(moment, index)
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            for index in range(3):
                self.assertEqual([to for _, to, _ in deployment.events(index)], ["starting", "warming", "ready"])
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.nothing_is_left(deployment)

    def test_an_engine_that_is_killed_comes_back_and_its_end_has_a_name(self):
        with Deployment(three(plan="gate@load")) as deployment:
            deployment.begin()
            for index in range(3):
                deployment.open_gate("load", index)
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            others = [deployment.engine(1), deployment.engine(2)]
            deployment.gate("load").unlink()   # its next start waits there: it is looked at meanwhile
            os.kill(deployment.engine(0), signal.SIGKILL)
            self.assertTrue(deployment.wait_replica(0, "starting", start=2), deployment.events(0))
            self.assertIn(("ready", "failed", "ended"), deployment.events(0))
            status = deployment.status()
            cause = status["replicas"][0]["cause"]
            self.assertEqual(cause["name"], "process-died")
            self.assertIn("9", cause["title"])
            self.assertEqual(status["state"], "degraded")
            deployment.open_gate("load")
            self.assertTrue(deployment.wait_replica(0, "ready", start=2))
            self.assertNotIn("cause", deployment.replica(0))
            self.assertEqual([deployment.engine(1), deployment.engine(2)], others)

    def test_a_keeper_that_is_killed_takes_its_engine_along_and_both_are_replaced(self):
        with Deployment(three(plan="ignore-term")) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            engines = [deployment.engine(index) for index in range(3)]
            os.kill(deployment.keeper(1), signal.SIGKILL)
            self.assertTrue(wait_for(lambda: not alive(engines[1]), 10))
            self.assertTrue(deployment.wait_replica(1, "ready", start=2))
            self.assertIn(("ready", "failed", "keeper-lost"), deployment.events(1))
            self.assertEqual(deployment.engine(0), engines[0])
            self.assertEqual(deployment.engine(2), engines[2])

    def test_a_daemon_that_is_killed_is_followed_by_one_that_takes_over(self):
        with Deployment(three(plan="slow=20ms")) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            before = [deployment.who(index) for index in range(3)]
            events = len(deployment.events())
            tokens = []
            stream = threading.Thread(target=read_stream, args=(deployment.ports[1], 200, tokens))
            stream.start()
            self.assertTrue(wait_for(lambda: len(tokens) > 5))
            deployment.kill_daemon()
            time.sleep(0.5)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            self.assertEqual([deployment.who(index) for index in range(3)], before)
            self.assertEqual([r["start"] for r in deployment.status()["replicas"]], [1, 1, 1])
            self.assertGreater(len(deployment.events()), events)
            stream.join(30)
            self.assertEqual(len(tokens), 200)
            # What it took over it also ends.
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.nothing_is_left(deployment)

    def test_an_engine_that_ends_while_there_is_no_daemon_is_noticed_by_the_next_one(self):
        with Deployment(three()) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            deployment.kill_daemon()
            os.kill(deployment.engine(2), signal.SIGKILL)
            keeper = deployment.keeper(0)
            os.kill(keeper, signal.SIGKILL)
            self.assertTrue(wait_for(lambda: not alive(keeper), 10))
            deployment.begin()
            self.assertTrue(deployment.wait_replica(2, "ready", start=2), deployment.status())
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.status())
            self.assertEqual(deployment.replica(1)["start"], 1)

    def test_restart_and_drain_are_of_one_replica(self):
        with Deployment(three(gpus=[0])) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            # What takes cards stops before it starts again.
            code, answer = deployment.ask("/v1/replicas/0/restart", "POST")
            self.assertEqual((code, answer["restart"]["beside"]), (202, False))
            self.assertIn("stops before it starts again: the new one needs its GPUs", answer["restart"]["message"])
            self.assertTrue(deployment.wait_replica(0, "ready", start=2))
            self.assertIn(("draining", "stopped", "asked"), deployment.events(0))
            self.assertEqual(deployment.ask("/v1/replicas/1/drain", "POST")[0], 202)
            self.assertTrue(deployment.wait_replica(1, "stopped"))
            self.assertFalse(listens(deployment.ports[2]))
            self.assertEqual(deployment.replica(2)["start"], 1)
            self.assertEqual(deployment.ask("/v1/replicas/7/drain", "POST")[0], 404)
            self.assertEqual(deployment.ask("/v1/nothing")[0], 404)

    @unittest.skipIf(glob.glob("/dev/kfd") or glob.glob("/proc/driver/nvidia/version"), "here engines may take GPUs that nobody named")
    def test_a_restart_has_no_gap_where_nothing_is_shared(self):
        with Deployment([fake_launch("vllm", free_ports(1)[0], stage_ms=300)]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            port, engine = deployment.replica(0)["port"], deployment.engine(0)
            with Traffic(deployment.port) as traffic:
                answer = deployment.ask("/v1/replicas/0/restart", "POST")[1]
                self.assertTrue(answer["restart"]["beside"], answer)
                self.assertTrue(deployment.wait_reloaded()["good"])
                self.assertEqual(deployment.numbers(), [1])
            # No file has been read. A machine that is slow may say what it waits for.
            self.assertEqual({note["name"] for note in deployment.status()["notes"]} - {"awaited"}, set())
            self.assertEqual(traffic.wrong, [])
            self.assertGreater(traffic.done, 0)
            self.assertFalse(alive(engine))
            self.assertNotEqual(deployment.replica(1)["port"], port)
            # A daemon that comes back knows it by the launch that it has now.
            engine = deployment.engine(1)
            deployment.kill_daemon()
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            self.assertEqual((deployment.numbers(), deployment.engine(1)), ([1], engine))
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.nothing_is_left(deployment)


def read_stream(port, count, tokens):
    """Every token of one chat, as it comes."""
    connection = http.client.HTTPConnection(HOST, port, timeout=180)
    body = {"model": "tiny", "stream": True, "max_tokens": count, "messages": [{"role": "user", "content": "hi"}]}
    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    for line in connection.getresponse():
        if line.startswith(b"data: {"):
            content = json.loads(line[6:])["choices"][0]["delta"].get("content")
            if content:
                tokens.append(content)
    connection.close()


# engine, plan, tries; then the state in which all ends, the cause (None: not looked at), and how many starts there were.
def kernel_counts():
    """Whether it tells how many processes it ended for lack of memory."""
    try:
        return "\noom_kill " in pathlib.Path("/proc/vmstat").read_text()
    except OSError:
        return False


FAILURES = (
    ("vllm", "crash@load code=1 log=oom-weights", 3, "given-up", "oom-weights-too-big", 1),
    ("vllm", "crash@capture code=1 log=oom-graph", 3, "given-up", "oom-cudagraph", 1),
    ("sglang", "signal@load=9 log=oom-weights", 3, "given-up", "oom-weights-too-big", 1),
    ("sglang", "signal@capture=9 log=oom-graph", 3, "given-up", "oom-cudagraph", 1),
    ("llamacpp", "crash@load code=1 log=oom-weights", 3, "given-up", "oom-weights-too-big", 1),
    ("llamacpp", "crash@load code=1 log=truncated", 3, "given-up", "weights-truncated", 1),
    # May go away by itself: tried again until the tries are used up.
    ("vllm", "signal@capture=9", 2, "given-up", "process-died", 2),
    # Words that blame the kernel, which knows that it was not.
    ("vllm", "exit0@ready+500ms log=worker-killed", 1, "given-up", "process-died" if kernel_counts() else "host-oom-killed", 1),
    ("vllm", "signal@ready+500ms=6 log=nccl-watchdog", 2, "given-up", "collective-deadlock", 2),
    ("vllm", "exit0@ready+1s log=engine-dead", 2, "given-up", "cuda-illegal-access", 2),
    ("sglang", "signal@serve+1s=9 log=engine-dead", 2, "given-up", "cuda-illegal-access", 2),
    ("sglang", "signal@serve+1s=9 log=watchdog", 2, "given-up", "collective-deadlock", 2),
    ("llamacpp", "signal@ready+1s=6 log=engine-dead", 2, "given-up", "cuda-illegal-access", 2),
    ("llamacpp", "signal@load=11", 2, "given-up", None, 2),
    # A first request is what tells that it works.
    ("vllm", "crash@request=1 code=1", 2, "given-up", None, 2),
    ("vllm", "busy=429", 2, "given-up", None, 2),
    # Once only.
    ("vllm", "crash@load code=1 log=engine-dead times=1", 3, "serving", None, 2),
    ("sglang", "signal@capture=9 times=2", 3, "serving", None, 3),
    ("llamacpp", "exit0@ready+1s times=1", 3, "serving", None, 2),
    # Late, but well.
    ("vllm", "port-late=3s", 1, "serving", None, 1),
    ("sglang", "port-late=3s", 1, "serving", None, 1),
    # It leaves something behind: the next start finds the port and the memory free.
    ("vllm", "orphan=port; crash@ready+1s code=1 times=1", 3, "serving", None, 2),
    ("llamacpp", "orphan; signal@ready+1s=9 times=1", 3, "serving", None, 2),
)


class Failures(unittest.TestCase):
    def one(self, engine, plan, tries, state, cause, starts):
        port = free_ports(1)[0]
        with Deployment([fake_launch(engine, port, plan=plan)], tries=tries) as deployment:
            deployment.begin()
            told = lambda: f"{engine} {plan!r}: {deployment.status()} {deployment.events()} {deployment.said()}"

            def settled():
                replica = deployment.replica()
                return replica.get("start") == starts and deployment.status().get("state") == state
            if not wait_for(settled, 90):
                return "no such end: " + told()
            if state == "serving":
                time.sleep(1.5)  # and it stays so
                if not settled():
                    return "did not last: " + told()
            if cause and deployment.replica().get("cause", {}).get("name") != cause:
                return "another cause: " + told()
            if state == "given-up" and (deployment.processes_of_engines() or listens(port)):
                return f"left {deployment.processes_of_engines()}: " + told()
            if deployment.down() != 0:
                return "does not go down: " + told()
            if left := deployment.left():
                return f"left {left}: {engine} {plan!r}"
        return None

    def test_each_ends_in_its_state_with_its_cause(self):
        with concurrent.futures.ThreadPoolExecutor(len(FAILURES) // 2) as pool:
            wrong = [words for words in pool.map(lambda row: self.one(*row), FAILURES) if words]
        self.assertFalse(wrong, "\n".join(wrong))

    def test_a_program_that_is_not_there_is_named_and_not_tried_again(self):
        launches = [fake_launch("vllm", port, gpus=[gpu]) for gpu, port in enumerate(free_ports(2))]
        for launch in launches:
            launch["words"][0] = "/nonexistent/bin/vllm"
        with Deployment(launches) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("given-up"), deployment.status())
            # Either may be the first of which nothing is left: that one has failed. The other one is stopped with the
            # layout, whether it has found out too or not.
            status = deployment.status()
            self.assertEqual([replica["start"] for replica in status["replicas"]], [1, 1])
            self.assertEqual(sorted(replica["state"] for replica in status["replicas"]), ["failed", "stopped"], status)
            self.assertTrue(all("cause" in replica for replica in status["replicas"] if replica["state"] == "failed"), status)
            causes = [replica["cause"] for replica in status["replicas"] if "cause" in replica]
            for cause in causes:
                self.assertEqual(cause["name"], "program-absent")
                self.assertIn("/nonexistent/bin/vllm", cause["title"])
            notes = status["notes"]   # nothing of it ran: nothing is said of GPUs
            self.assertEqual([note["name"] for note in notes], ["program-absent"])
            self.assertIn("/nonexistent/bin/vllm is not found here: `uv pip install vllm", notes[0]["message"])
            self.assertEqual(deployment.down(), 0)

    def test_a_cause_that_the_first_log_lost_is_named_from_the_second(self):
        """A logger with a thread of its own may lose the last lines when the engine ends."""
        launch = fake_launch("llamacpp", free_ports(1)[0])
        launch["words"][0] = "/there/is/none/yet"
        launch["environment"].update(KEPT_LINES="0.00.013.352 I srv    load_model: loading model 'tiny'", LOST_LINES=(
            "0.00.013.832 E llama_model_load: error loading model: tensor 'blk.1.attn_q.weight' data is not within the file bounds, "
            "model is corrupted or incomplete\n0.00.013.851 E srv          init: exiting due to model loading error"))
        with Deployment([launch]) as deployment:
            engine = deployment.above / "llama-server"
            # Its second start goes on once the end of the first has been looked at.
            engine.write_text('#!/bin/sh\necho "$KEPT_LINES"\n[ -e "$0.ran" ] && { while ! [ -e "$0.seen" ]; do sleep 0.05; done; '
                              'echo "$LOST_LINES"; }\n: > "$0.ran"\nexit 1\n')
            engine.chmod(0o700)
            launch["words"][0] = str(engine)
            deployment.write()
            deployment.begin()

            def page(*more):
                return subprocess.run([SEXTANT, "status", "--name", "test", *more], text=True, capture_output=True,
                                      env={"PATH": os.environ["PATH"], "SEXTANT_STATE": str(deployment.state.parent)}).stdout
            self.assertTrue(deployment.wait_replica(0, "starting", start=2), deployment.status())
            first = deployment.replica()
            self.assertEqual((first["cause"]["name"], first["cause"]["title"]), ("process-died", "ended with exit code 1"))
            self.assertIn("process-died [SX7509]: ended with exit code 1\n", page())
            self.assertIn("process-died [SX7509]：以状态码 1 退出\n", page("--lang", "zh"))
            pathlib.Path(f"{engine}.seen").touch()
            self.assertTrue(deployment.wait_state("given-up"), deployment.status())
            cause = deployment.replica()["cause"]
            self.assertEqual((deployment.replica()["start"], cause["name"]), (2, "weights-truncated"))
            self.assertEqual(json.loads(pathlib.Path(cause["report"]).read_text())["causes"][0]["name"], "weights-truncated")
            self.assertNotIn("process-died", page())
            self.assertIn("weights-truncated", page())

    def test_an_engine_that_does_not_end_when_asked_is_killed(self):
        with Deployment(three(plan="ignore-term; orphan"), grace=1) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            # What an engine leaves it lets go once it serves.
            self.assertTrue(wait_for(lambda: len(deployment.processes_of_engines()) >= 6), deployment.processes_of_engines())
            self.assertEqual(deployment.down(30), 0)
            self.assertEqual(deployment.left(), [])

    def test_down_while_it_starts(self):
        with Deployment(three(stage_ms=5000)) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_replica(0, "starting"))
            self.assertTrue(wait_for(lambda: len(deployment.processes_of_engines()) >= 3))
            self.assertEqual(deployment.down(30), 0)
            self.assertEqual(deployment.left(), [])

    def test_a_port_that_somebody_took_is_named_and_taken_back_when_it_is_free(self):
        port = free_ports(1)[0]
        with socket.socket() as thief:
            thief.bind((HOST, port))
            thief.listen()
            # How often it is tried until the thief has gone is a matter of time.
            with Deployment([fake_launch("llamacpp", port)], tries=60) as deployment:
                deployment.begin()
                cause = wait_for(lambda: deployment.replica().get("cause"))
                self.assertEqual(cause and cause["name"], "port-in-use", deployment.status())
                thief.close()
                self.assertTrue(deployment.wait_state("serving"), deployment.status())
                self.assertGreaterEqual(deployment.replica()["start"], 2)

    def test_silence_makes_it_suspect_and_an_answer_ready_again(self):
        with Deployment([fake_launch("llamacpp", free_ports(1)[0])]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            engine = deployment.engine()
            os.kill(engine, signal.SIGSTOP)
            self.assertTrue(deployment.wait_replica(0, "suspect", seconds=60), deployment.events())
            self.assertEqual(deployment.status()["state"], "starting")  # nobody serves
            os.kill(engine, signal.SIGCONT)
            self.assertTrue(deployment.wait_replica(0, "ready", start=1))
            self.assertEqual(deployment.engine(), engine)


class Layouts(unittest.TestCase):
    def test_one_that_never_works_is_left_for_the_next_and_never_for_more_tries_than_allowed(self):
        big = [fake_launch("vllm", port, plan="signal@capture=6 log=nccl-watchdog") for port in free_ports(1)]
        small = [fake_launch("vllm", port) for port in free_ports(2)]
        with Deployment(layouts=[("TP4", big), ("2 x TP2", small)], tries=3) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.status()["layout"], "2 x TP2")
            self.assertEqual([to for _, to, _ in deployment.events(0)].count("failed"), 3)
            # The next daemon begins where this one ended.
            deployment.kill_daemon()
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"))
            self.assertEqual(deployment.status()["layout"], "2 x TP2")
            self.assertEqual(deployment.down(), 0)

    def test_what_the_layout_cannot_hold_is_left_at_once(self):
        big = [fake_launch("vllm", port, plan="crash@load code=1 log=oom-weights") for port in free_ports(1)]
        small = [fake_launch("sglang", port) for port in free_ports(1)]
        with Deployment(layouts=[("TP2", big), ("TP4", small)], tries=3) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.status()["layout"], "TP4")
            self.assertEqual([to for _, to, _ in deployment.events(0)].count("failed"), 1)


class Folder(unittest.TestCase):
    def test_a_second_daemon_says_who_works_there(self):
        with Deployment([fake_launch("llamacpp", free_ports(1)[0])]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            engine = deployment.engine()
            second = subprocess.run([SEXTANT, "daemon", "test"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
                                    env={"PATH": os.environ["PATH"], "SEXTANT_STATE": str(deployment.state.parent)})
            self.assertNotEqual(second.returncode, 0)
            self.assertIn("another daemon works in", second.stderr)
            self.assertIn(str(deployment.state), second.stderr)
            self.assertEqual(deployment.status()["state"], "serving")
            self.assertEqual(deployment.engine(), engine)

    def test_a_state_folder_that_cannot_be_written_is_named(self):
        with Deployment([fake_launch("llamacpp", free_ports(1)[0])], state="/sys/sextant") as deployment:
            deployment.begin()
            self.assertNotEqual(deployment.process.wait(60), 0)
            self.assertIn("/sys/sextant", deployment.said())
            self.assertEqual(len(deployment.said().splitlines()), 1)

    def test_a_damaged_journal_is_set_aside_and_its_engines_are_not_lost(self):
        for damage in (b"no database at all\n" * 500, b""):
            with self.subTest(bytes=len(damage)), Deployment([fake_launch("llamacpp", free_ports(1)[0])]) as deployment:
                deployment.begin()
                self.assertTrue(deployment.wait_state("serving"), deployment.said())
                deployment.kill_daemon()
                journal = deployment.state / "journal.db"
                for beside in ("-wal", "-shm"):
                    pathlib.Path(str(journal) + beside).unlink(missing_ok=True)
                journal.write_bytes(damage)
                deployment.begin()
                self.assertTrue(deployment.wait_state("serving"), deployment.said())
                self.assertEqual((deployment.state / "journal.db.damaged").exists(), bool(damage))
                self.assertTrue(wait_for(lambda: len(deployment.processes_of_engines()) == 1), deployment.processes_of_engines())
                self.assertEqual(deployment.down(), 0)
                self.assertEqual(deployment.left(), [])

    def test_a_deployment_that_cannot_be_read_is_named(self):
        with Deployment([fake_launch("llamacpp", free_ports(1)[0])]) as deployment:
            (deployment.state / "deployment.json").write_text('{"schema": "sextant.deployment/1", "name": ')
            deployment.begin()
            self.assertNotEqual(deployment.process.wait(60), 0)
            self.assertIn("deployment", deployment.said())


def size_of(log):
    """None has no size: the flood goes on, and a log that is full is renamed."""
    try:
        return log.stat().st_size
    except FileNotFoundError:
        return 0


class Flood(unittest.TestCase):
    def flooded(self, when):
        plan = f"flood@{when}=100MB/s all=400MB"
        with Deployment(three(plan=plan, stage_ms=300), file_bytes=4 << 20, files=3) as deployment:
            deployment.begin()
            most = 0
            until = time.monotonic() + 8
            while time.monotonic() < until:
                most = max(most, resident_mib(deployment.process.pid))
                time.sleep(0.05)
            self.assertTrue(deployment.wait_state("serving"), deployment.status())
            for index in range(3):
                logs = [*(deployment.state / f"replicas/{index}").glob("engine.log*")]
                self.assertLessEqual(len(logs), 3)
                for log in logs:
                    self.assertLessEqual(size_of(log), (4 << 20) + 65536)
                self.assertEqual(deployment.replica(index)["start"], 1)
            if not SANITIZED:
                self.assertLess(most, DAEMON_MIB)
                for index in range(3):
                    self.assertLess(resident_mib(deployment.keeper(index)), DAEMON_MIB)
            self.assertEqual(deployment.down(), 0)
            self.assertEqual(deployment.left(), [])

    def test_while_it_serves(self):
        self.flooded("ready")

    def test_while_it_starts(self):
        self.flooded("load")


if __name__ == "__main__":
    unittest.main()
