#!/usr/bin/env python3
"""Other gateways before the same engines, with the same client, in turns with ours: what a request and a stream cost.

    ./dev setup --bench --peers            # nginx, HAProxy and the gateways, under build/bench
    ./dev bench gateway_peers [--quick] [--repeats N] [--only NAME,NAME] [--ahead] [--json FILE] [--program PATH]

Each runs on one core, as it comes, with its access log off where it has a switch for that; ours has keys and an access log on. Each
repeat starts every one of them anew, in turns, and takes ratios to ours within that repeat. Not part of CI.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gateway"))
import contenders  # noqa: E402
import other_gateways  # noqa: E402

PROGRAM = os.environ.get("SEXTANT", str(contenders.ROOT / "build" / "sextant"))
PACE = {"events": 64, "first_us": 5000, "every_us": 20000, "stamp_in_text": 1}
STEADY_PACE = {"events": 100_000, "first_us": 5000, "every_us": 250_000, "stamp_in_text": 1}
HELD = 100  # streams for the memory of one

# name: seconds of warm-up and measurement, what is asked
CASES = {
    "512 B": (1, 3, {}),
    "20 streams": (2, 5, {"connections": 20, "stream": True, "stamp-in-text": True}),
}


def added(name, part):
    """Above the engine without a proxy. Nothing: so much was in the way that not one event came back in time."""
    return lambda run, direct: run[name][part] - direct[name][part] if name in run else None


ROWS = [
    ("512 B: added p50, µs", "512 B", added("total_us", "p50")),
    ("512 B: CPU a request, µs", "512 B", lambda run, _: run["cpu_us_per_request"]),
    ("20 streams: added p50, µs", "20 streams", added("delay_us", "p50")),
    ("20 streams: added p99, µs", "20 streams", added("delay_us", "p99")),
    ("20 streams: CPU an event, µs", "20 streams", lambda run, _: run["cpu_us_per_event"] or None),
    ("idle memory, MiB", "memory", lambda run, _: run["idle_kib"] / 1024),
    ("memory an open stream, KiB", "memory", lambda run, _: (run["resident_kib"] - run["used_kib"]) / HELD),
]
LEAST = 0.1  # what a ratio divides by at least: a delay below that of the engine alone is noise


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
                told = self.load(port, proxy.pid, 4, 4, {"connections": HELD, "stream": True, "stamp-in-text": True})
            finally:
                proxy.stop()
        finally:
            engine.stop()
        return {**told, "used_kib": used}


def figures(repeats, who):
    """row: (its figures, its ratios to ours), one a repeat that has them."""
    table = {}
    for name, case, figure in ROWS:
        mine = [figure(one["sextant"][case], one["direct"].get(case)) for one in repeats]
        its = [figure(one[who][case], one["direct"].get(case)) for one in repeats]
        both = [(a, b) for a, b in zip(its, mine) if a is not None and b is not None]
        table[name] = [a for a, _ in both], [max(a, LEAST) / max(b, LEAST) for a, b in both]
    return table


def short(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def three(values):
    return "–" if not values else "–".join(short(one) for one in (min(values), statistics.median(values), max(values)))


def page(kept):
    """Markdown: a row a gateway, medians and, in brackets, how many times ours."""
    names = [name for name, *_ in ROWS]
    lines = ["| gateway | version | " + " | ".join(names) + " |", "| --- | --- |" + " --: |" * len(names)]
    for who in kept["who"]:
        cells = []
        for its, ratios in figures(kept["repeats"], who).values():
            if not its:
                cells.append("–")
                continue
            more = "" if who == "sextant" else f" ({short(statistics.median(ratios))} x)"
            cells.append(short(statistics.median(its)) + more)
        lines.append(f"| {who} | {kept['versions'].get(who, '')} | " + " | ".join(cells) + " |")
    lines += ["", "Least, median and most of the repeats:", "", "| gateway | " + " | ".join(names) + " |",
              "| --- |" + " --: |" * len(names)]
    for who in kept["who"]:
        lines.append(f"| {who} | " + " | ".join(three(its) for its, _ in figures(kept["repeats"], who).values()) + " |")
    return lines


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
    repeats = []
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(arguments, pathlib.Path(folder))
        for number in range(arguments.repeats):
            turn = who[number % len(who):] + who[:number % len(who)]  # nobody is always first
            repeats.append({"direct": rig.direct(), **{one: rig.measure(one) for one in turn}})
            print(f"repeat {number + 1} of {arguments.repeats}", file=sys.stderr)
    kept = {"date": time.strftime("%Y-%m-%d"), "who": who, "versions": versions(arguments.program), "kernel": os.uname().release,
            "ahead": arguments.ahead, "load": os.getloadavg(), "repeats": repeats}
    pathlib.Path(arguments.json).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print("\n".join(page(kept)))
    for one in who:
        errors = sum(told["errors"] for run in repeats for told in run[one].values())
        if errors:
            print(f"{one}: {errors} errors")
    print(f"raw figures in {arguments.json}")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
