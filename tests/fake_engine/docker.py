#!/usr/bin/env python3
"""A docker for tests: `run` starts the words behind the image as a process of its own, apart from the client as dockerd would;
`stop`, `kill`, `inspect`, `ps` and `rm` know what they are asked here. What it knows lies in STAND_IN_DOCKER."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

SWITCHES = {"--rm", "--detach", "--tty", "--interactive"}
HOME = pathlib.Path(os.environ["STAND_IN_DOCKER"])


def record(name):
    return HOME / f"{name}.json"


def load(name):
    try:
        return json.loads(record(name).read_text())
    except OSError:
        sys.exit(f"Error: No such container: {name}")


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def number_in(path):
    """None: there is none, or it is being written."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def ended(name):
    return number_in(HOME / f"{name}.exit")


def run(words):
    options, at = {}, 0
    environment = {"PATH": os.environ["PATH"]}
    while words[at].startswith("-"):
        if words[at] in SWITCHES:
            at += 1
            continue
        if words[at] == "--env":
            key, given, value = words[at + 1].partition("=")
            value = value if given else os.environ[key]
            if key != "SEXTANT_REPLICA":  # nobody may look into the environment of another user's process
                environment[key] = value
        options[words[at]] = words[at + 1]
        at += 2
    image, inside = words[at], words[at + 1:]
    name = options["--name"]
    # A parent of its own that outlives this client and knows how the engine ended.
    script = 'echo $$ >&3; exec 3>&-; "$@" & child=$!; echo $child > "$0.pid"; wait $child; echo $? > "$0.exit"'
    environment["STAND_IN_IMAGE"] = image
    os.makedirs(HOME, exist_ok=True)
    reads, writes = os.pipe()
    shell = subprocess.Popen(["setsid", "bash", "-c", script, str(HOME / name), os.environ["STAND_IN_ENGINE"], *inside],
                             env=environment, stdin=subprocess.DEVNULL, pass_fds=(), preexec_fn=lambda: os.dup2(writes, 3),
                             close_fds=False)
    os.close(writes)
    os.read(reads, 32)
    fresh = HOME / f"{name}.new"   # another client may read all records at any moment
    fresh.write_text(json.dumps({"label": options.get("--label", ""), "publish": options.get("--publish", ""), "oom": False}))
    fresh.replace(record(name))
    signal.signal(signal.SIGTERM, lambda *_: None)  # a client passes it on; here `stop` is what counts
    while ended(name) is None:
        time.sleep(0.02)
    shell.wait()
    sys.exit(ended(name))


def engine(name):
    load(name)
    for _ in range(100):
        if pid := number_in(HOME / f"{name}.pid"):
            return pid
        time.sleep(0.02)
    return None   # another client has removed it meanwhile


def send(name, number):
    pid = engine(name)
    try:
        if pid:   # 0 would be this client and all beside it
            os.kill(pid, number)
    except ProcessLookupError:
        pass


def main(verb, words):
    with open(HOME / "asked.txt", "a", encoding="utf-8") as asked:
        asked.write(" ".join([verb, *words]) + "\n")
    if verb == "run":
        run(words)
    if verb == "stop":
        send(words[-1], signal.SIGTERM)
        until = time.monotonic() + int(words[words.index("-t") + 1])
        while ended(words[-1]) is None and time.monotonic() < until:
            time.sleep(0.02)
        if ended(words[-1]) is None:
            send(words[-1], signal.SIGKILL)
    if verb == "kill":
        send(words[-1], signal.SIGKILL)
    if verb == "inspect":
        known = load(words[-1])
        code = ended(words[-1])
        print(f"{'true' if code is None else 'false'} {code or 0} {'true' if known['oom'] or code == 137 else 'false'}")
    if verb == "ps":
        wanted = words[words.index("--filter") + 1].removeprefix("label=")
        for path in HOME.glob("*.json"):
            try:
                label = json.loads(path.read_text())["label"]
            except FileNotFoundError:   # removed meanwhile
                continue
            if label == wanted:
                print(path.stem)
    if verb == "rm":
        for name in words[1:]:
            send(name, signal.SIGKILL)
            for ending in ("json", "pid"):
                (HOME / f"{name}.{ending}").unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
