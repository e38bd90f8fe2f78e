#!/usr/bin/env python3
"""Other gateways before the same engines, with the same client, in turns with ours: what a request and a stream cost.

    ./dev setup --bench --peers            # nginx, HAProxy and the gateways, under build/bench
    ./dev bench gateway_peers [--quick] [--repeats N] [--only NAME,NAME] [--ahead] [--json FILE] [--add] [--write PAGE]

Each runs on one core, as it comes, with its access log off where it has a switch for that; ours has keys and an access log on. Each
repeat starts every one of them anew, in turns, and takes ratios to ours within that repeat. Not part of CI.
"""
import argparse
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gateway"))
import contenders  # noqa: E402
import other_gateways  # noqa: E402
import peers_page  # noqa: E402

PROGRAM = os.environ.get("SEXTANT", str(contenders.ROOT / "build" / "sextant"))
PACE = {"events": 64, "first_us": 5000, "every_us": 20000, "stamp_in_text": 1}
STEADY_PACE = {"events": 100_000, "first_us": 5000, "every_us": 250_000, "stamp_in_text": 1}

# name: seconds of warm-up and measurement, what is asked
CASES = {
    "512 B": (1, 3, {}),
    "20 streams": (2, 5, {"connections": 20, "stream": True, "stamp-in-text": True}),
}


class Rig:
    def __init__(self, arguments, folder):
        self.program, self.folder, self.scale = str(pathlib.Path(arguments.program).resolve()), folder, 0.5 if arguments.quick else 1.0
        cores = sorted(os.sched_getaffinity(0))
        self.proxy_core, self.other_core = cores[0], cores[-1]
        keys = folder / "keys.json"
        self.key = contenders.new_key(self.program, "bench", keys)
        self.features = ["--keys", str(keys), "--access-log", str(folder / "access.log")]

    def start(self, who, engines):
        if who == "sextant":
            return contenders.sextant(self.proxy_core, self.folder, engines, self.program, self.features)
        named = other_gateways.STARTS.get(who) or getattr(contenders, who)
        return named(self.proxy_core, self.folder, engines)

    def load(self, port, pid, warm, seconds, ask):
        return contenders.load(port, pid, self.other_core, max(seconds * self.scale, 0.5), max(warm * self.scale, 0.2),
                               **{**ask, "key": self.key})

    def direct(self):
        told = {}
        engine, engines = contenders.engine(self.proxy_core, self.folder, **PACE)
        try:
            for case, (warm, seconds, ask) in CASES.items():
                told[case] = self.load(engines[0], engine.pid, warm, seconds, ask)
        finally:
            engine.stop()
        return told

    def measure(self, who):
        """All cases of one start."""
        told = {}
        engine, engines = contenders.engine(self.other_core, self.folder, **PACE)
        try:
            proxy, port = self.start(who, engines)
            try:
                idle = proxy.resident_kib()
                for case, (warm, seconds, ask) in CASES.items():
                    told[case] = self.load(port, proxy.pid, warm, seconds, ask)
            finally:
                proxy.stop()
        finally:
            engine.stop()
        told["memory"] = {**self.memory(who), "idle_kib": idle}
        return told

    def memory(self, who):
        """Of streams that are all open at once, beyond what one after the other has brought in for good."""
        engine, engines = contenders.engine(self.other_core, self.folder, **STEADY_PACE)
        try:
            proxy, port = self.start(who, engines)
            try:
                self.load(port, proxy.pid, 0.5, 1, {"connections": 1, "stream": True, "stamp-in-text": True})
                used = proxy.resident_kib()
                told = self.load(port, proxy.pid, 4, 4, {"connections": peers_page.HELD, "stream": True, "stamp-in-text": True})
            finally:
                proxy.stop()
        finally:
            engine.stop()
        return {**told, "used_kib": used}


def versions(program):
    told = contenders.versions(program)
    plain = {name: told[name].split("/")[-1] if name == "nginx" else told[name].split()[2 if name == "haproxy" else -1]
             for name in ("sextant", "nginx", "haproxy")}
    return {**plain, **other_gateways.installed()}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="half of the time for each measurement")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="these beside ours, comma between them")
    parser.add_argument("--ahead", action="store_true", help="ahead of all else on a machine that is not idle (SCHED_RR; needs root)")
    parser.add_argument("--json", default=str(contenders.PLACE / "gateway_peers.json"))
    parser.add_argument("--add", action="store_true", help="to the repeats that the file of raw figures has")
    parser.add_argument("--write", type=pathlib.Path, action="append", default=[], help="put the tables between this page's marks")
    parser.add_argument("--program", default=PROGRAM)
    return parser.parse_args()


def main():
    arguments = read_arguments()
    contenders.Program.ahead = arguments.ahead
    there = ["nginx", "haproxy", *other_gateways.installed()]
    wanted = [word for word in arguments.only.split(",") if word] or there
    who = ["sextant", *(one for one in there if one in wanted)]
    for name in sorted(set(other_gateways.STARTS) - set(there)):
        print(f"{name} is not under build/bench/peers; ./dev setup --bench --peers puts it there", file=sys.stderr)
    kept = pathlib.Path(arguments.json)
    repeats = json.loads(kept.read_text(encoding="utf-8"))["repeats"] if arguments.add and kept.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(arguments, pathlib.Path(folder))
        for number in range(arguments.repeats):
            turn = who[number % len(who):] + who[:number % len(who)]  # nobody is always first
            repeats.append({"direct": rig.direct(), **{one: rig.measure(one) for one in turn}})
            print(f"repeat {number + 1} of {arguments.repeats}", file=sys.stderr)
    found = {"date": time.strftime("%Y-%m-%d"), "who": who, "versions": versions(arguments.program), "kernel": os.uname().release,
            "ahead": arguments.ahead, "load": os.getloadavg(), "repeats": repeats}
    kept.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print("\n".join(peers_page.lines(found, at=0)))
    for path in arguments.write:
        peers_page.write_between_marks(path, peers_page.lines(found, at=int(path.name.endswith(".zh.md"))))
    for one in who:
        errors = sum(told["errors"] for run in repeats for told in run[one].values())
        if errors:
            print(f"{one}: {errors} errors")
    print(f"raw figures in {kept}")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
