#!/usr/bin/env python3
"""`sextant daemon` where the machine is against it: ports that others hold, disks that are full or may not be written, processes that
hide, engines that end or break off at every stage. Stalls take the daemon's whole patience of five minutes: SEXTANT_SLOW=1."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import unittest

from deployments import HOST, SEXTANT, Deployment, alive, fake_launch, free_ports, listens, wait_for

ENGINES = ("vllm", "sglang", "llamacpp")
STAGES = pathlib.Path(__file__).resolve().parents[1] / "fake_engine/stages"


def stages_of(engine):
    """Names of the stages of its start, in order."""
    lines = (STAGES / f"{engine}.log").read_text().splitlines()
    return [line[3:].strip() for line in lines if line.startswith("== ") and line[3:].strip() != "shutdown"]


def listener(port):
    thief = socket.socket()
    thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    thief.bind((HOST, port))
    thief.listen()
    return thief


def together(jobs, workers=6):
    """What each job has to complain of."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return [words for words in pool.map(lambda job: job(), jobs) if words]


def environment_of(pid):
    """None: it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes() if alive(pid) else None
    except OSError:
        return None


def chat(port, stream, seconds=20):
    """(status, body); what it can be when the answer breaks off: (0, what came)."""
    connection = http.client.HTTPConnection(HOST, port, timeout=seconds)
    body = {"model": "tiny", "max_tokens": 8, "stream": stream, "messages": [{"role": "user", "content": "hi"}]}
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        answer = connection.getresponse()
        return answer.status, answer.read()
    except http.client.IncompleteRead as cut:
        return 0, cut.partial
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


class Ports(unittest.TestCase):
    def test_who_holds_the_port_is_said_before_anything_is_started(self):
        port = free_ports(1)[0]
        with listener(port) as thief, Deployment([fake_launch("vllm", port, gpus=[0])], backoff=(1,), tries=10) as deployment:
            deployment.begin()
            cause = wait_for(lambda: deployment.replica().get("cause"))
            self.assertEqual(cause["name"], "port-in-use")
            self.assertRegex(cause["title"], rf"^port {port} is held by process {os.getpid()} \(.+\)$")
            self.assertIn(f"端口 {port} 被进程 {os.getpid()}", cause["title_zh"])
            self.assertEqual(deployment.processes_of_engines(), [])
            self.assertEqual(deployment.record().get("engine"), None)  # there was none
            self.assertTrue(wait_for(lambda: deployment.replica().get("next_try_ms") or deployment.replica().get("start", 1) > 1))
            # Nor has it held a GPU whose memory must come back.
            self.assertEqual([note["name"] for note in deployment.status()["notes"]], [])
            thief.close()
            self.assertTrue(deployment.wait_state("serving"), deployment.status())

    def test_one_that_is_stolen_between_the_look_and_the_start_is_named_too(self):
        port = free_ports(1)[0]
        with Deployment([fake_launch("vllm", port, plan="gate@bind")], backoff=(1,), tries=10) as deployment:
            deployment.begin()
            self.assertTrue(wait_for(deployment.processes_of_engines))
            with listener(port):
                deployment.open_gate("bind")
                cause = wait_for(lambda: deployment.replica().get("cause"))
                self.assertEqual(cause and cause["name"], "port-in-use", deployment.status())
                self.assertIn(f"process {os.getpid()} ", cause["title"])
            self.assertTrue(deployment.wait_state("serving"), deployment.status())
            self.assertGreaterEqual(deployment.replica()["start"], 2)


class Hidden(unittest.TestCase):
    """What an engine let go without mark, session or parent goes with the engine, whoever was killed."""

    def one(self, end):
        with Deployment([fake_launch("vllm", free_ports(1)[0], plan="orphan=bare times=1")]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            keeper, engine = deployment.keeper(), deployment.engine()
            # A moment after it serves; and between the engine and what stays there are others for an instant.
            ours = {keeper, engine, *deployment.relays()}
            hidden = wait_for(lambda: [pid for pid in deployment.processes() if pid not in ours and environment_of(pid) == b""])
            self.assertEqual(len(hidden), 1, deployment.processes())
            if not deployment.record().get("group"):
                # The keeper looks every two seconds.
                self.assertTrue(wait_for(lambda: set(hidden) <= {one["pid"] for one in deployment.record().get("family", [])}))
            end(deployment)
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.status())
            self.assertTrue(wait_for(lambda: not any(alive(pid) for pid in hidden), 10), hidden)
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.assertEqual(deployment.left(), [])

    def test_when_the_engine_is_killed(self):
        self.one(lambda deployment: os.kill(deployment.engine(), signal.SIGKILL))

    def test_when_the_keeper_is_killed(self):
        self.one(lambda deployment: os.kill(deployment.keeper(), signal.SIGKILL))

    def test_when_daemon_and_keeper_are_killed(self):
        def both(deployment):
            keeper = deployment.keeper()
            deployment.kill_daemon()
            os.kill(keeper, signal.SIGKILL)
            self.assertTrue(wait_for(lambda: not alive(keeper), 10))
            deployment.begin()
        self.one(both)


class Stages(unittest.TestCase):
    """Whatever stage it ends in, it comes back; and where the log says why, that is the cause."""

    def once(self, engine, stage):
        plan = f"signal@{stage}=9 times=1"
        with Deployment([fake_launch(engine, free_ports(1)[0], plan=plan)]) as deployment:
            deployment.begin()
            if not wait_for(lambda: deployment.replica().get("start") == 2 and deployment.status().get("state") == "serving"):
                return f"{engine} {plan}: {deployment.status()} {deployment.events()}"
            failed = [one for one in deployment.events(0) if one[1] == "failed"]
            if len(failed) != 1 or deployment.down() != 0 or deployment.left():
                return f"{engine} {plan}: {failed} {deployment.processes()}"
        return None

    def test_each_end_in_each_stage_is_got_over(self):
        jobs = [lambda engine=engine, stage=stage: self.once(engine, stage) for engine in ENGINES for stage in stages_of(engine)]
        self.assertGreater(len(jobs), 12)
        self.assertEqual(together(jobs), [])

    def stalled(self, engine, stage):
        plan = f"stall@{stage} times=1"
        with Deployment([fake_launch(engine, free_ports(1)[0], plan=plan)]) as deployment:
            deployment.begin()
            if not wait_for(lambda: deployment.replica().get("start") == 2 and deployment.status().get("state") == "serving", 420):
                return f"{engine} {plan}: {deployment.status()} {deployment.events()}"
            if "stalled" not in {reason for _, _, reason in deployment.events(0)}:
                return f"{engine} {plan}: {deployment.events()}"
        return None

    @unittest.skipUnless(os.environ.get("SEXTANT_SLOW"), "takes the daemon's whole patience: SEXTANT_SLOW=1")
    def test_each_stall_in_each_stage_is_got_over(self):
        # An engine that listens before its last stage is over is ready by its own truth: not that one.
        jobs = [lambda engine=engine, stage=stage: self.stalled(engine, stage)
                for engine in ENGINES for stage in stages_of(engine) if stage != "ready"]
        self.assertEqual(together(jobs, 32), [])

    def malformed(self, kind):
        port = free_ports(1)[0]
        with Deployment([fake_launch("vllm", port, plan=f"bad-sse={kind}")]) as deployment:
            deployment.begin()
            if not deployment.wait_state("serving"):
                return f"{kind}: {deployment.status()}"
            for _ in range(3):
                status, body = chat(deployment.port, stream=True)
                if status not in (0, 200, 502) or (status == 200 and not body):
                    return f"{kind}: {status} {body[:200]}"
            if chat(deployment.port, stream=False)[0] != 200:
                return f"{kind}: the next request is not answered"
            replica = deployment.replica()
            return None if (replica["state"], replica["start"]) == ("ready", 1) else f"{kind}: {replica}"

    def test_a_stream_that_is_malformed_is_the_requests_matter_not_the_replicas(self):
        kinds = ("no-blank-line", "split-utf8", "huge", "no-done", "error", "reset")
        self.assertEqual(together([lambda kind=kind: self.malformed(kind) for kind in kinds]), [])


class Disk:
    """A small file system at the deployment's state folder, where root may make one."""

    def __init__(self, deployment, mib):
        self.at, self.mib = deployment.state, mib
        self.document = (self.at / "deployment.json").read_text()

    def __enter__(self):
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.mib}m,mode=0700", "tmpfs", str(self.at)],
                              capture_output=True, text=True)
        if made.returncode != 0:
            raise unittest.SkipTest("no file system can be mounted here: " + made.stderr.strip())
        (self.at / "deployment.json").write_text(self.document)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", str(self.at)], check=False)

    def again(self, how):
        def mounted():
            return subprocess.run(["mount", "-o", f"remount,{how}", str(self.at)], capture_output=True, check=False).returncode == 0
        # Busy until the kernel has closed what a killed process had open for writing.
        if not wait_for(mounted, 10):
            raise AssertionError(f"{self.at} cannot be mounted {how}")

    def fill(self):
        with open(self.at / "filling", "ab", buffering=0) as filling:
            try:
                while True:
                    filling.write(b"\0" * 4096)
            except OSError:
                pass


def written(deployment):
    """(from, to, reason) as the journal's file has them."""
    with contextlib.closing(sqlite3.connect(f"file:{deployment.state}/journal.db?mode=ro", uri=True)) as journal:
        return journal.execute("SELECT came_from, went_to, reason FROM transition_log ORDER BY id").fetchall()


class Disks(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root mounts file systems")

    def test_logs_that_fill_the_disk_lose_lines_and_nothing_else(self):
        port = free_ports(1)[0]
        deployment = Deployment([fake_launch("llamacpp", port, plan="flood@ready=50MB/s all=40MB times=1")], file_bytes=64 << 20)
        self.addCleanup(deployment.clear)
        with Disk(deployment, 8) as disk:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            log = deployment.state / "replicas/0/engine.log"
            self.assertTrue(wait_for(lambda: log.stat().st_size > 5 << 20))
            space = os.statvfs(disk.at)
            self.assertGreater(space.f_bavail * space.f_frsize, 1 << 20)
            self.assertEqual(chat(port, stream=True)[0], 200)
            # What it takes to start anew was left.
            os.kill(deployment.engine(), signal.SIGKILL)
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.status())
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.assertEqual(deployment.left(), [])

    def test_a_disk_that_others_filled_stops_no_replica(self):
        deployment = Deployment([fake_launch("vllm", free_ports(1)[0])], backoff=(1,), tries=60)
        self.addCleanup(deployment.clear)
        with Disk(deployment, 8) as disk:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            disk.fill()
            # The records of a start take the place of those of the one before.
            os.kill(deployment.engine(), signal.SIGKILL)
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.status())
            # What happened meanwhile is known, and is written once there is room.
            # How it ended finds no room either, unless a record that was replaced meanwhile has left some.
            failed = next(one for one in deployment.events() if one[:2] == ("ready", "failed"))
            self.assertIn(failed[2], ("keeper-lost", "ended"))
            (disk.at / "filling").unlink()
            self.assertEqual(deployment.ask("/v1/replicas/0/restart", "POST")[0], 202)
            self.assertTrue(wait_for(lambda: failed in written(deployment)), written(deployment))
            self.assertTrue(deployment.wait_reloaded(), deployment.status())   # another one has taken its place
            disk.fill()
            # A change that cannot be written down is none, now and for the next daemon.
            written_down = (deployment.state / "deployment.json").read_text()
            status, said = deployment.reload([fake_launch("vllm", free_ports(1)[0])])
            self.assertEqual((status, said.get("error", {}).get("name")), (409, "no-reload"), said)
            self.assertNotIn("reload", deployment.status())
            self.assertEqual((deployment.state / "deployment.json").read_text(), written_down)
            self.assertFalse((deployment.state / "before.json").exists())
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.assertEqual(deployment.left(), [])

    def test_a_disk_that_is_full_from_the_beginning_is_named(self):
        deployment = Deployment([fake_launch("vllm", free_ports(1)[0])])
        self.addCleanup(deployment.clear)
        with Disk(deployment, 8) as disk:
            disk.fill()
            deployment.begin()
            self.assertNotEqual(deployment.process.wait(60), 0)
            self.assertIn(str(deployment.state), deployment.said())
            self.assertIn("full", deployment.said())
            self.assertEqual(len(deployment.said().splitlines()), 1)
            (disk.at / "filling").unlink()
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.status())
            self.assertEqual(deployment.down(), 0, deployment.said())

    def test_a_folder_that_may_not_be_written_any_more_is_named_and_got_over(self):
        deployment = Deployment([fake_launch("vllm", free_ports(1)[0])], backoff=(1,), tries=60)
        self.addCleanup(deployment.clear)
        with Disk(deployment, 8) as disk:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            deployment.kill_daemon()
            keeper = deployment.keeper()
            os.kill(keeper, signal.SIGKILL)  # its log is open for writing: nothing may be
            self.assertTrue(wait_for(lambda: not alive(keeper), 10))
            for pid in deployment.processes():
                with contextlib.suppress(ProcessLookupError):   # what the keeper held ends with it
                    os.kill(pid, signal.SIGKILL)
            self.assertEqual(deployment.left(), [])
            disk.again("ro")
            deployment.begin()
            self.assertNotEqual(deployment.process.wait(60), 0)
            self.assertIn("Read-only file system", deployment.said())
            self.assertIn(str(deployment.state), deployment.said())
            disk.again("rw")
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.status())
            self.assertEqual(deployment.down(), 0, deployment.said())  # while its folder is there


class Daemons(unittest.TestCase):
    def test_of_two_that_begin_at_once_one_works(self):
        with Deployment([fake_launch("vllm", free_ports(1)[0])]) as deployment:
            environment = {"PATH": os.environ["PATH"], "SEXTANT_STATE": str(deployment.state.parent)}
            both = [subprocess.Popen([SEXTANT, "daemon", "test"], env=environment, stdin=subprocess.DEVNULL, text=True,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True) for _ in range(2)]
            lost = wait_for(lambda: next((one for one in both if one.poll() is not None), None))
            deployment.process = next(one for one in both if one is not lost)
            self.assertIn("another daemon works in", lost.stderr.read())
            lost.stderr.close()
            self.addCleanup(deployment.process.stderr.close)
            self.assertTrue(deployment.wait_state("serving"))
            self.assertEqual(len(deployment.processes_of_engines()), 1)
            words = json.loads((deployment.state / "last_words.json").read_text())
            self.assertIn("已有另一个守护进程", words["zh"])
            self.assertEqual(deployment.down(), 0)

    def test_a_link_in_the_state_folder_is_refused(self):
        with Deployment([fake_launch("vllm", free_ports(1)[0])]) as deployment:
            elsewhere = deployment.above / "elsewhere"
            elsewhere.mkdir()
            (deployment.state / "replicas").symlink_to(elsewhere)
            deployment.begin()
            self.assertNotEqual(deployment.process.wait(60), 0)
            self.assertIn("replicas is a link", deployment.said())
            self.assertEqual(list(elsewhere.iterdir()), [])

    def test_one_whose_replicas_are_all_drained_says_so(self):
        with Deployment([fake_launch("vllm", port) for port in free_ports(2)]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            for index in range(2):
                deployment.ask(f"/v1/replicas/{index}/drain", "POST")
            self.assertTrue(deployment.wait_state("drained"), deployment.status())
            self.assertFalse(any(listens(port) for port in deployment.ports[1:]))
            deployment.ask("/v1/replicas/0/restart", "POST")
            self.assertTrue(deployment.wait_state("degraded"), deployment.status())


if __name__ == "__main__":
    unittest.main()
