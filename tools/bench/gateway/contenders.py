"""The programs that a measurement of the gateway starts: each a process of its own, pinned, bounded, stopped by its PID."""
import contextlib
import json
import os
import pathlib
import re
import selectors
import signal
import socket
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PLACE = ROOT / "build" / "bench"
PROXIES = PLACE / "proxies"  # where ./dev setup --bench puts nginx and HAProxy
LIBRARIES = PROXIES / "usr" / "lib" / f"{os.uname().machine}-linux-gnu"
START_S = 10
STOP_S = 10

NGINX = """worker_processes 1; master_process off; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log warn;
worker_rlimit_nofile 20000;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 1000000; client_body_buffer_size 256k; client_max_body_size 64m;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d;
  scgi_temp_path {folder}/e;
  upstream engines {{ {servers} keepalive 4096; keepalive_requests 1000000; }}
  server {{
    listen 127.0.0.1:{port}{tls} backlog=4096;{certificate}
    location / {{
      proxy_pass http://engines; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
      proxy_read_timeout 600s;
    }}
  }}
}}
"""

HAPROXY = """global
  nbthread 1
  maxconn 8000
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  option http-no-delay
  option http-keep-alive
  http-reuse always
frontend clients
  bind 127.0.0.1:{port}{tls} backlog 4096
  default_backend engines
backend engines
{servers}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def compiled(name):
    """The engine or the client, built when its source is newer."""
    program = PLACE / name
    sources = [HERE / f"{name}.cpp", *HERE.glob("*.h")]
    libraries = ["-lssl", "-lcrypto"] if name == "client" else []
    if not program.exists() or any(program.stat().st_mtime < source.stat().st_mtime for source in sources):
        PLACE.mkdir(parents=True, exist_ok=True)
        subprocess.run(["g++", "-std=c++20", "-O2", "-DNDEBUG", str(sources[0]), "-o", str(program), *libraries], check=True, timeout=120)
    return str(program)


def settled(core, ahead):
    """For the child before it runs: one core (None: any), and `ahead` of whatever else the machine does, where that is allowed."""
    def settle():
        if core is not None:
            os.sched_setaffinity(0, {core})
        with contextlib.suppress(PermissionError):
            if ahead:
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    return settle


class Program:
    """A server that was started here."""

    ahead = False  # of everything else on the machine, for all of them and for the client

    def __init__(self, words, core, folder, environment=None, out=subprocess.PIPE):
        self.words = words
        with open(folder / "stderr.log", "ab") as errors:
            self.process = subprocess.Popen(words, stdout=out, stderr=errors, stdin=subprocess.DEVNULL,
                                            preexec_fn=settled(core, Program.ahead), cwd=folder, env={**os.environ, **(environment or {})})
        self.pid = self.process.pid

    def line(self):
        with selectors.DefaultSelector() as wait:
            wait.register(self.process.stdout, selectors.EVENT_READ)
            if not wait.select(START_S):
                raise RuntimeError(f"{self.words[0]} says nothing for {START_S} s")
        return self.process.stdout.readline().decode()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(STOP_S)
        if self.process.stdout:
            self.process.stdout.close()

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def until_it_listens(program, port, seconds=START_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end and program.process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError(f"{program.words[0]} does not listen on {port}; exit code {program.process.poll()}")


def engine(core, folder, ports=8, **pace):
    words = [compiled("engine"), "--ports", str(ports)]
    for name, value in pace.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    program = Program(words, core, folder)
    return program, [int(port) for port in program.line().split()]


def certificate(folder):
    """One for all of them: its file, that of its key, and both in one, as HAProxy wants them."""
    chain, key, both = (folder / name for name in ("chain.pem", "key.pem", "both.pem"))
    if not both.exists():
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(chain)], check=True, timeout=30,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        key.chmod(0o600)
        both.write_bytes(chain.read_bytes() + key.read_bytes())
        both.chmod(0o600)
    return chain, key, both


def nginx(core, folder, engines, tls=False):
    port = free_port()
    files = certificate(folder) if tls else None
    servers = " ".join(f"server 127.0.0.1:{one};" for one in engines)
    (folder / "nginx.conf").write_text(NGINX.format(
        folder=folder, servers=servers, port=port, tls=" ssl" if tls else "",
        certificate=f" ssl_certificate {files[0]}; ssl_certificate_key {files[1]}; ssl_protocols TLSv1.3;" if tls else ""), encoding="utf-8")
    program = Program([str(PROXIES / "usr/sbin/nginx"), "-p", str(folder), "-e", str(folder / "nginx.log"), "-c",
                       str(folder / "nginx.conf")], core, folder, {"LD_LIBRARY_PATH": str(LIBRARIES)})
    until_it_listens(program, port)
    return program, port


def haproxy(core, folder, engines, tls=False):
    port = free_port()
    servers = "\n".join(f"  server s{index} 127.0.0.1:{one} pool-max-conn 4096" for index, one in enumerate(engines))
    (folder / "haproxy.cfg").write_text(HAPROXY.format(
        tls=f" ssl crt {certificate(folder)[2]} ssl-min-ver TLSv1.3" if tls else "", servers=servers, port=port), encoding="utf-8")
    program = Program([str(PROXIES / "usr/sbin/haproxy"), "-f", str(folder / "haproxy.cfg")], core, folder,
                      {"LD_LIBRARY_PATH": str(LIBRARIES)})
    until_it_listens(program, port)
    return program, port


def sextant(core, folder, engines, program, features, tls=False):
    words = [program, "gateway", "--listen", "127.0.0.1:0", *features]
    if tls:
        chain, key, _ = certificate(folder)
        words += ["--tls-cert", str(chain), "--tls-key", str(key)]
    for one in engines:
        words += ["--backend", f"http://127.0.0.1:{one}"]
    started = Program(words, core, folder)
    line = started.line()
    found = re.search(r":(\d+)/v1", line)
    if not found:
        started.stop()
        raise RuntimeError(f"the gateway says {line!r}")
    port = int(found[1])
    until_it_listens(started, port)
    return started, port


def new_key(program, name, file):
    done = subprocess.run([program, "keys", "add", name, "--file", str(file)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=10, check=True)
    return done.stdout.decode().strip()


def load(port, pid, core, seconds, warm, **ask):
    """One run of the client; what it measured."""
    words = [compiled("client"), "--port", str(port), "--pid", str(pid), "--seconds", str(seconds), "--warm", str(warm)]
    for name, value in ask.items():
        words += ["--" + name, str(int(value) if isinstance(value, bool) else value)]
    done = subprocess.run(words, stdout=subprocess.PIPE, timeout=seconds + warm + 20, check=True,
                          preexec_fn=settled(core, Program.ahead))
    return json.loads(done.stdout)


def versions(program):
    def first_line(words, **more):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=10, check=False, **more)
        return (done.stdout.decode().splitlines() or [""])[0]
    libraries = {"env": {**os.environ, "LD_LIBRARY_PATH": str(LIBRARIES)}}
    return {"sextant": first_line([program, "--version"]),
            "nginx": first_line([str(PROXIES / "usr/sbin/nginx"), "-v"], **libraries),
            "haproxy": first_line([str(PROXIES / "usr/sbin/haproxy"), "-v"], **libraries),
            "kernel": os.uname().release}
