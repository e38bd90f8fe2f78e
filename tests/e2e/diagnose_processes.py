"""`sextant diagnose --pid` and `--container` with the programs that they ask: stand-ins of py-spy, gdb, docker and podman on
PATH, and the real py-spy and gdb where they are installed. Everything ends in bounded time, and no secret is shown."""
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

SEXTANT = os.environ["SEXTANT"]
SECRET = "hf_" + "zyxwvutsrqponmlkjihgfedc"

# Three ranks: two stand in a collective, one waits for a lock that nobody gives back.
RANKS = """
import os, subprocess, sys, threading, time

def all_reduce():
    time.sleep(300)

def take_lock():
    lock = threading.Condition()
    with lock:
        lock.wait()

if len(sys.argv) > 1:
    print("ready", flush=True)
    take_lock() if sys.argv[1] == "--rank=1" else all_reduce()
children = [subprocess.Popen([sys.executable, sys.argv[0], f"--rank={rank}"]) for rank in range(3)]
for child in children:
    child.wait()
"""

DUMP = """Process {pid}: python3 ranks.py --rank={rank}
Python v3.12.3 (/usr/bin/python3)

Thread {pid} (idle): "MainThread"
    {frame}
    <module> (ranks.py:14)

"""


def program(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run(*words, path=None, lang="en", seconds=120):
    environment = dict(os.environ, NCCL_API_KEY=SECRET)
    if path is not None:
        environment["PATH"] = str(path)
    done = subprocess.run([SEXTANT, "diagnose", "--lang", lang, *map(str, words)], capture_output=True, text=True,
                          env=environment, timeout=seconds, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def waits(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S"


def answer(*words, **more):
    code, out, err = run("--format", "json", *words, **more)
    assert code in (0, 1), err
    return json.loads(out)


class Processes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = pathlib.Path(self.folder.name) / "bin"
        self.bin.mkdir()
        script = pathlib.Path(self.folder.name) / "ranks.py"
        script.write_text(RANKS)
        self.log = pathlib.Path(self.folder.name) / "serve.log"
        with open(self.log, "w") as out:
            self.process = subprocess.Popen([sys.executable, str(script)], stdout=out, stderr=out, start_new_session=True,
                                            env=dict(os.environ, HF_TOKEN=SECRET, NCCL_API_KEY=SECRET))
        until = time.time() + 30
        while self.log.read_text().count("ready") < 3 and time.time() < until:
            time.sleep(0.05)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        while not all(waits(pid) for pid in children) and time.time() < until:
            time.sleep(0.05)
        self.ranks = {pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"--rank=")[1].strip(b"\0").decode(): int(pid)
                      for pid in children}

    def tearDown(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # a session of its own: it and its children
        self.process.wait()
        self.folder.cleanup()

    def stand_in_py_spy(self):
        for rank, pid in self.ranks.items():
            frame = "wait (threading.py:355)" if rank == "1" else "all_reduce (distributed_c10d.py:2501)"
            (self.bin / f"{pid}.txt").write_text(DUMP.format(pid=pid, rank=rank, frame=frame))
        program(self.bin, "py-spy", f'/bin/cat "{self.bin}/$3.txt" 2>/dev/null\n')

    def is_told(self, said):
        self.assertEqual(said["causes"][0]["name"], "rank-behind")
        self.assertEqual(said["causes"][0]["ranks"], [1])
        behind = [one for one in said["stacks"] if one["behind"]]
        self.assertEqual([one["pid"] for one in behind], [self.ranks["1"]])
        self.assertNotIn(SECRET, json.dumps(said))
        self.assertIsNone(self.process.poll())  # it lives on

    def test_the_rank_that_waits_for_a_lock_is_told(self):
        self.stand_in_py_spy()
        self.is_told(answer("--pid", self.process.pid, path=self.bin))
        for lang, words in (("en", "the others wait for it"), ("zh", "其他 rank 都在等它")):
            _, out, _ = run("--pid", self.process.pid, path=self.bin, lang=lang)
            self.assertIn(words, out)
            self.assertNotIn(SECRET, out)

    @unittest.skipUnless(shutil.which("py-spy"), "py-spy is not installed")
    def test_the_real_py_spy(self):
        os.symlink(shutil.which("py-spy"), self.bin / "py-spy")
        said = answer("--pid", self.process.pid, path=self.bin)
        if "stacks" not in said:
            self.skipTest("this machine does not let py-spy look into processes")
        self.is_told(said)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_the_real_gdb(self):
        os.symlink(shutil.which("gdb"), self.bin / "gdb")
        said = answer("--pid", self.process.pid, path=self.bin)
        if "stacks" not in said:
            self.skipTest("this machine does not let gdb look into processes")
        self.assertIn(self.process.pid, [one["pid"] for one in said["stacks"]])
        self.assertIsNone(self.process.poll())

    def test_a_stand_in_of_gdb_where_py_spy_gives_nothing(self):
        program(self.bin, "py-spy", "echo 'Error: Permission Denied' >&2; exit 1\n")
        program(self.bin, "gdb", 'echo \'Thread 1 (Thread 0x7f12 (LWP \'$4\') "python3"):\'\n'
                                 "echo '#0  0x00007f12 in __lll_lock_wait () from /lib/libc.so.6'\n"
                                 "echo '#1  0x00007f12 in cublasGemmEx (handle=0x5, m=8192, n=16, k=4096) from /lib/libcublas.so.12'\n")
        said = answer("--pid", self.process.pid, path=self.bin)
        one = [one for one in said["stacks"] if one["pid"] == self.ranks["1"]][0]
        self.assertEqual(one["function"], "__lll_lock_wait")

    def test_programs_that_hang_are_ended(self):
        program(self.bin, "py-spy", "exec /bin/sleep 600\n")
        began = time.monotonic()
        said = answer("--pid", self.ranks["1"], path=self.bin)
        self.assertLess(time.monotonic() - began, 60)
        self.assertTrue(any("no stack of" in note["text"] for note in said["beside"]), said["beside"])

    def test_without_any_of_them_it_says_so(self):
        said = answer("--pid", self.process.pid, path=self.bin)
        self.assertTrue(any("neither py-spy nor gdb" in note["text"] for note in said["beside"]), said["beside"])


class Containers(unittest.TestCase):
    PORT = "OSError: [Errno 98] Address already in use"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def stand_in(self, name, state, log="", top="", known="serve"):
        program(self.bin, name, f'for last; do :; done\ncase "$1" in\n'
                                f'inspect) [ "$last" = {known} ] || exit 1; echo "{state}";;\n'
                                f'logs) [ "$last" = {known} ] || exit 1; echo "{log}" >&2;;\n'
                                f'top) echo "{top}";;\nesac\n')

    def notes(self, said):
        return [note["text"] for note in said.get("beside", [])]

    def test_its_log_is_read_and_its_end_is_said(self):
        for name in ("docker", "podman"):
            self.stand_in(name, "0 1 false", self.PORT)
            said = answer("--container", "serve", path=self.bin)
            self.assertEqual(said["causes"][0]["name"], "port-in-use")
            self.assertEqual(said["causes"][0]["line"]["file"], f"{name} logs serve")
            self.assertTrue(any("exit code 1" in note for note in self.notes(said)), said)
            (self.bin / name).unlink()

    def test_docker_that_does_not_know_it_leaves_it_to_podman(self):
        self.stand_in("docker", "0 0 false", "words", known="another")
        self.stand_in("podman", "0 0 false", self.PORT)
        said = answer("--container", "serve", path=self.bin)
        self.assertEqual(said["causes"][0]["line"]["file"], "podman logs serve")

    def test_a_container_that_was_killed_for_its_memory(self):
        self.stand_in("docker", "0 137 true", "Starting to load model x...")
        said = answer("--container", "serve", path=self.bin)
        self.assertEqual(said["causes"][0]["name"], "host-oom-killed")
        self.assertTrue(any("signal 9" in note for note in self.notes(said)), said)

    def test_the_process_in_it_is_looked_at(self):
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True,
                              env=dict(os.environ, HF_TOKEN=SECRET)) as process:
            try:
                self.stand_in("docker", f"{process.pid} 0 false", self.PORT)
                said = answer("--container", "serve", path=self.bin)
                self.assertTrue(any(f"process {process.pid} " in note for note in self.notes(said)), said)
                self.assertNotIn(SECRET, json.dumps(said))
            finally:
                process.kill()

    def test_of_another_machine_its_own_list_is_shown(self):
        self.stand_in("docker", "4194000 0 false", self.PORT, top=f"root 1 vllm serve m --api-key {SECRET}")
        said = answer("--container", "serve", path=self.bin)
        self.assertTrue(any("in the container: root 1 vllm serve" in note for note in self.notes(said)), said)
        self.assertNotIn(SECRET, json.dumps(said))

    def test_an_answer_that_is_none(self):
        for state in ("", "x", "-1 0 false", "99999999999 0 false"):
            self.stand_in("docker", state)
            code, _, err = run("--container", "serve", path=self.bin)
            self.assertEqual(code, 2, state)
            self.assertIn("no container", err)

    def test_a_daemon_that_may_not_be_asked_is_no_missing_container(self):
        program(self.bin, "docker", 'echo "permission denied while trying to connect to the Docker daemon" >&2; exit 1\n')
        for lang, front in (("en", "no container 'serve' is found (docker: "), ("zh", "没有找到容器 'serve'（docker：")):
            code, _, err = run("--container", "serve", path=self.bin, lang=lang)
            self.assertEqual(code, 2)
            self.assertIn(front + "permission denied while trying to connect to the Docker daemon", err)

    def test_warnings_before_the_answer_are_passed_over(self):
        self.stand_in("docker", "WARNING: Error loading config file\n0 1 false", self.PORT)
        said = answer("--container", "serve", path=self.bin)
        self.assertEqual(said["causes"][0]["name"], "port-in-use")

    def test_no_program_at_all(self):
        code, _, err = run("--container", "serve", path=self.bin)
        self.assertEqual(code, 2)
        self.assertIn("neither docker nor podman", err)
        self.assertIn("docker", run("--container", "serve", path=self.bin, lang="zh")[2])


if __name__ == "__main__":
    unittest.main()
