"""Deployments of engines that tests run: a daemon in a state folder of its own, what it says, and what is left of it."""
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid

from ports import HOST, free_ports

SEXTANT = os.path.abspath(os.environ.get("SEXTANT", "build/sextant"))
FAKE_ENGINE = os.environ.get("SEXTANT_FAKE_ENGINE", "build/dev/tests/fake_engine")
SANITIZED = "/build/dev/" in SEXTANT   # its memory and speed are no measure
PATIENCE = 60           # seconds: a sanitized program on a busy machine is slow
POLL = 0.05
MARK = "SEXTANT_TEST"   # in the environment of every engine: its descendants are found by it
KEPT = ("PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


def listens(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def wait_for(what, seconds=PATIENCE):
    """What `what` gives once it gives something; the last it gave after so long."""
    until = time.monotonic() + seconds
    while True:
        got = what()
        if got or time.monotonic() > until:
            return got
        time.sleep(POLL)


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def resident_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0


class _Local(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def fake_launch(engine, port, plan="", stage_ms=20, seed=1, **more):
    """A replica of the fake engine under the real one's name, as deployment.json holds it; begin() makes the name."""
    words = {"vllm": ["vllm", "serve", "tiny", "--served-model-name", "tiny"],
             "sglang": ["sglang", "serve", "--model-path", "tiny", "--enable-metrics"],
             "llamacpp": ["llama-server", "-m", "tiny", "--metrics"]}[engine]
    environment = {"PATH": os.environ["PATH"], "FAKE_ENGINE_PLAN": plan, "FAKE_ENGINE_STAGE_MS": str(stage_ms),
                   "FAKE_ENGINE_SEED": str(seed)}
    launch = {"engine": engine, "words": [*words, "--host", HOST, "--port", str(port)], "environment": environment, "folder": "",
              "host": HOST, "port": port, "model": "tiny", "gpus": [], "cpus": "", "key": ""}
    return {**launch, **more}


class Deployment:
    """One daemon and what it runs. `launches`: of the only layout; `layouts`: (label, launches) of several."""

    def __init__(self, launches=(), layouts=(), tries=3, backoff=(0,), grace=5, file_bytes=1 << 20, files=3, state=None):
        self.above = pathlib.Path(tempfile.mkdtemp(prefix="sx"))
        self.state = pathlib.Path(state or self.above) / "test"
        self.mark = uuid.uuid4().hex
        layouts = [*layouts] or [("only", [*launches])]
        for _, replicas in layouts:
            for launch in replicas:
                launch["environment"][MARK] = self.mark
                if "FAKE_ENGINE_PLAN" in launch["environment"] and "/" not in launch["words"][0]:
                    launch["words"][0] = self.stand_in(launch["words"][0])
        self.port = free_ports(1)[0]
        self.ports = [self.port] + [launch["port"] for _, replicas in layouts for launch in replicas]
        self.document = {
            "schema": "sextant.deployment/1", "name": "test", "host": HOST, "port": self.port, "rungs": [],
            "layouts": [{"label": label, "proves": "", "replicas": replicas} for label, replicas in layouts],
            "restart": {"backoff_s": [*backoff], "tries": tries, "healed_s": 600, "stop_grace_s": grace},
            "log": {"file_bytes": file_bytes, "files": files}, "key_file": ""}
        if state is None:
            self.state.mkdir()
            self.write()
        self.process = None
        self.variables = {}    # of the daemon, besides
        self.flags = []        # of the daemon
        self.words = self.above / "daemon.out"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.clear()

    def write(self):
        (self.state / "deployment.json").write_text(json.dumps(self.document))

    def stand_in(self, name):
        """The fake engine under that name."""
        path = self.above / "bin" / name
        path.parent.mkdir(exist_ok=True)
        if not path.is_symlink():
            path.symlink_to(os.path.abspath(FAKE_ENGINE))
        return str(path)

    def begin(self):
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment["SEXTANT_STATE"] = str(self.state.parent)
        environment.update(self.variables)
        with open(self.words, "ab") as out:
            self.process = subprocess.Popen([SEXTANT, "daemon", "test", *self.flags], env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=out, cwd="/", start_new_session=True)
        return self

    # --- what it says ---

    def ask(self, path, method="GET", body=None):
        """(status, answer); (0, {}) while nobody answers."""
        connection = _Local(str(self.state / "api.sock"))
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def status(self):
        return self.ask("/v1/status")[1]

    def replica(self, index=0):
        """That with this number; numbers of replaced ones are left out."""
        replicas = self.status().get("replicas", [])
        return next((one for one in replicas if one["replica"] == index), {})

    def numbers(self):
        return [one["replica"] for one in self.status().get("replicas", [])]

    def reload(self, launches, label="only"):
        """Asks for other launches in place of those that run; what the daemon says."""
        for launch in launches:
            launch["environment"][MARK] = self.mark
            if "FAKE_ENGINE_PLAN" in launch["environment"] and "/" not in launch["words"][0]:
                launch["words"][0] = self.stand_in(launch["words"][0])
        self.ports += [launch["port"] for launch in launches]
        wanted = {**self.document, "layouts": [{"label": label, "proves": "", "replicas": launches}]}
        return self.ask("/v1/reload", "POST", json.dumps(wanted))

    def wait_reloaded(self, seconds=PATIENCE):
        """How the reload ended; None: it has not."""
        def ended():
            status = self.status()
            return status.get("last_reload") if status and "reload" not in status else None
        return wait_for(ended, seconds)

    def events(self, replica=None):
        """(from, to, reason) in order."""
        return [(one["from"], one["to"], one["reason"]) for one in self.ask("/v1/events")[1] if replica in (None, one["replica"])]

    def wait_state(self, *states, seconds=PATIENCE):
        return wait_for(lambda: self.status().get("state") in states, seconds)

    def wait_replica(self, index, state, seconds=PATIENCE, start=None):
        def is_so():
            replica = self.replica(index)
            return replica.get("state") == state and start in (None, replica.get("start"))
        return wait_for(is_so, seconds)

    def record(self, index=0):
        """keeper.json: who runs."""
        try:
            return json.loads((self.state / f"replicas/{index}/keeper.json").read_text())
        except (OSError, ValueError):
            return {}

    def who(self, index=0):
        """Which start that is, of whom. Who came of its engine may be another one each time the keeper looks."""
        record = self.record(index)
        return record["start"], record["keeper"], record["engine"]

    def engine(self, index=0):
        return self.record(index).get("engine", {}).get("pid")

    def keeper(self, index=0):
        return self.record(index).get("keeper", {}).get("pid")

    def said(self):
        return self.words.read_text()

    def gate(self, moment, replica=0):
        """The file that a fake engine with gate@MOMENT in its plan waits for. While it is not there, what is to be looked at lasts."""
        return self.state / f"replicas/{replica}/open.{moment}"

    def open_gate(self, moment, replica=0):
        gate = self.gate(moment, replica)
        wait_for(gate.parent.is_dir)
        gate.touch()

    # --- what is left ---

    def left(self, seconds=10):
        """Who of it is there when its daemon has ended: its relay ends after it, once its connections are closed."""
        wait_for(lambda: self.processes() == [], seconds)
        return self.processes()

    def processes(self):
        """Of this deployment, by their folder or their environment; the daemon is not among them."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or (self.process and int(entry.name) == self.process.pid):
                continue
            try:
                here = os.readlink(entry / "cwd").startswith(str(self.state))
                marked = f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes()
            except OSError:
                continue
            if (here or marked) and alive(int(entry.name)):
                found.append(int(entry.name))
        return found

    def relays(self):
        """Gateways of any deployment below this test's folder: one outlives a daemon that was killed."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            except OSError:
                continue
            if len(words) > 2 and words[1] == b"relay" and words[2].startswith(f"{self.above}/".encode()):
                found.append(int(entry.name))
        return found

    def processes_of_engines(self):
        """Those that carry the mark of a replica."""
        def marked(pid):
            try:
                return b"SEXTANT_REPLICA=" in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            except OSError:
                return False
        return [pid for pid in self.processes() if marked(pid)]

    def kill_daemon(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)

    def down(self, seconds=PATIENCE):
        """The exit code of the daemon after it was asked to end; None: it did not."""
        self.ask("/v1/down", "POST")
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def clear(self):
        if self.process and self.process.poll() is None:
            if self.down(30) is None:
                self.kill_daemon()
        for pid in [*self.processes(), *self.relays()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.above, ignore_errors=True)
