"""`sextant diagnose` on what lives: a process of our own, a log that grows, is rotated and cut
short, a report to attach; and what stands beside a log: NCCL, kernel, stacks."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SEXTANT = os.environ["SEXTANT"]
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
PORT = "OSError: [Errno 98] Address already in use\n"
PROCESS = """
import os, sys, time
print("INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1", flush=True)
print("OSError: [Errno 98] Address already in use", flush=True)
child = os.fork()
time.sleep(120)
"""
SECRET = "hf_" + "abcdefghijklmnopqrstuvwx"


def run(*words, text=None):
    done = subprocess.run([SEXTANT, "diagnose", *map(str, words)], capture_output=True, text=True,
                          input=text, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name) / "serve.log"
        environment = dict(os.environ, NCCL_DEBUG="INFO", HF_TOKEN=SECRET, NCCL_API_KEY=SECRET)
        with open(self.log, "w") as out:
            self.process = subprocess.Popen([sys.executable, "-c", PROCESS], stdout=out, stderr=out,
                                            env=environment, start_new_session=True)
        until = time.time() + 20
        while "Address" not in self.log.read_text() and time.time() < until:
            time.sleep(0.05)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        while not children.read_text() and time.time() < until:
            time.sleep(0.05)

    def tearDown(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # a session of its own: it and its child
        self.process.wait()
        self.folder.cleanup()

    def test_a_process_is_read_with_its_log_and_its_children(self):
        code, out, err = run("--format", "json", "--pid", self.process.pid)
        self.assertEqual(code, 1, err)
        said = json.loads(out)
        self.assertEqual(said["causes"][0]["name"], "port-in-use")
        self.assertEqual(said["causes"][0]["line"]["file"], str(self.log))
        notes = [note["text"] for note in said["beside"] if note["topic"] == "process"]
        self.assertTrue(any(f"process {self.process.pid} " in note for note in notes), notes)
        self.assertTrue(any(f"child of {self.process.pid}" in note for note in notes), notes)
        self.assertTrue(any("NCCL_DEBUG=INFO" in note for note in notes), notes)
        self.assertNotIn(SECRET, out)
        self.assertIsNone(self.process.poll())  # it lives on

    def test_the_report_is_whole_and_keeps_secrets(self):
        report = pathlib.Path(self.folder.name) / "report.txt"
        code, _, err = run("--pid", self.process.pid, "--bundle", report)
        self.assertEqual(code, 1, err)
        text = report.read_text()
        self.assertIn("Address already in use", text)
        self.assertIn("serve.log", text)
        self.assertNotIn(SECRET, text)

    def test_numbers_that_are_no_process(self):
        for word in ("0", "-3", "x", "99999999999"):
            self.assertEqual(run("--pid=" + word)[0], 2, word)
        code, _, err = run("--pid", "4194000")
        self.assertEqual(code, 2)
        self.assertIn("no process", err)


class Follow(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name) / "serve.log"
        self.log.write_text("Starting to load model x...\n")
        self.out = pathlib.Path(self.folder.name) / "out"
        with open(self.out, "w") as out:
            self.follower = subprocess.Popen([SEXTANT, "diagnose", "--color", "never", "--follow",
                                              str(self.log)], stdout=out)
        until = time.time() + 30
        while not self.reads() and time.time() < until:
            time.sleep(0.05)

    def reads(self):
        """The log is open: only from now on may it be moved away."""
        try:
            opened = [os.readlink(entry) for entry in pathlib.Path(f"/proc/{self.follower.pid}/fd").iterdir()]
        except OSError:
            return False
        return str(self.log) in opened

    def tearDown(self):
        if self.follower.poll() is None:
            self.follower.kill()
        self.follower.wait()
        self.folder.cleanup()

    def says(self, words, within=60):
        until = time.time() + within
        while time.time() < until:
            if words in self.out.read_text():
                return True
            time.sleep(0.05)
        return False

    def test_it_speaks_when_a_cause_comes_and_ends_with_an_interrupt(self):
        time.sleep(0.5)
        self.assertEqual(self.out.read_text(), "")
        with open(self.log, "a") as log:
            log.write(OOM)
        self.assertTrue(self.says("cause[SX3101]"))
        self.follower.send_signal(signal.SIGINT)
        self.assertEqual(self.follower.wait(timeout=60), 130)
        self.assertEqual(self.out.read_text().count("cause["), 1)

    def test_a_rotated_and_a_cut_file_are_followed(self):
        time.sleep(0.5)
        self.log.rename(self.log.with_suffix(".1"))
        time.sleep(0.5)
        self.log.write_text("words\n" + PORT)
        self.assertTrue(self.says("Address already in use"))
        time.sleep(0.5)
        self.log.write_text("")  # cut short in its place
        time.sleep(0.5)
        self.assertIsNone(self.follower.poll())

    def test_what_cannot_be_followed_is_refused(self):
        self.assertEqual(run("--follow", "/no/such/file")[0], 2)
        self.assertEqual(run("--follow", self.folder.name)[0], 2)
        self.assertEqual(run("--follow", self.log, self.log)[0], 2)


class Beside(unittest.TestCase):
    def test_the_report_hides_hosts_where_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.txt"
            text = ("blade-17:52:99 [0] NCCL INFO Bootstrap: Using eth0:10.20.30.40<0>\n"
                    "blade-17:52:99 [0] NCCL INFO comm 0xa0 rank 0 nranks 2 cudaDev 0 busId 4000 - "
                    "Init START\nvllm serve m --api-key " + SECRET + "\n" + PORT)
            run("-", "--bundle", report, "--hide-hosts", text=text)
            said = report.read_text()
            for hidden in ("blade-17", "10.20.30.40", SECRET):
                self.assertNotIn(hidden, said)
            self.assertIn("host-1", said)
            self.assertIn("address-1", said)

    def test_a_report_that_cannot_be_written_is_said(self):
        self.assertEqual(run("-", "--bundle", "/no/such/folder/x", text=PORT)[0], 2)

    def test_a_container_that_is_not_there(self):
        self.assertEqual(run("--container", "no-such-container-of-anybody")[0], 2)
        self.assertEqual(run("--container=-x")[0], 2)


if __name__ == "__main__":
    unittest.main()
