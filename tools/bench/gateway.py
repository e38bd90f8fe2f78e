#!/usr/bin/env python3
"""What the gateway costs beside nginx and HAProxy, in one run and in turns: latency, CPU, throughput, streams, memory.

    ./dev setup --bench                    # nginx and HAProxy of Debian under build/bench, no service is started
    ./dev bench gateway [--quick] [--repeats N] [--only B1,B4] [--ahead] [--plain] [--json FILE] [--program PATH]

The references are nginx (no buffering, no access log) and HAProxy (one thread), each in front of the same eight ports of one
engine, with the same client. The gateway has all its features on: keys, numbers, an access log. Ratios are taken within a
repeat and shown as least-median-most. A bar is held when the median holds it, even when it lies between least and most, and
missed otherwise. Every figure is kept in build/bench/gateway.json.
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

PROGRAM = os.environ.get("SEXTANT", str(contenders.ROOT / "build" / "sextant"))
PACE = {"events": 64, "first_us": 5000, "every_us": 20000}
SLOW_PACE = {"events": 64, "first_us": 5000, "every_us": 50000}
FLOOD = {"events": 1_000_000, "first_us": 0, "every_us": 1000}
REFERENCES = ("direct", "nginx", "haproxy", "sextant")
PROXIES = ("nginx", "haproxy", "sextant")
STREAMS = 1000
DEAF = 100

# name: who takes part, the engine's pace, cores of engine, proxy and client, seconds of warm-up and measurement, what is asked
CASES = {
    "512 B": (REFERENCES, PACE, (1, 1, 1), 0.5, 2, {}),
    "32 KiB": (PROXIES, PACE, (1, 1, 1), 0.5, 2, {"body": 32768}),
    "32 KiB escapes": (PROXIES, PACE, (1, 1, 1), 0.5, 2, {"body": 32768, "escapes": True}),
    "64 connections": (PROXIES, PACE, (0, 1, 0), 0.5, 2, {"connections": 64}),
    "20 streams": (REFERENCES, PACE, (1, 1, 1), 1.5, 4, {"connections": 20, "stream": True}),
    "1000 streams": (REFERENCES, SLOW_PACE, (0, 1, 0), 4, 6, {"connections": STREAMS, "stream": True}),
    "TLS: 512 B": (REFERENCES, PACE, (1, 1, 1), 0.5, 2, {"tls": True}),
    "TLS: 20 streams": (REFERENCES, PACE, (1, 1, 1), 1.5, 4, {"connections": 20, "stream": True, "tls": True}),
    "deaf streams": (("sextant",), FLOOD, (0, 1, 0), 1, 3, {"connections": DEAF, "stream": True, "deaf": True}),
}


def deep(run, path):
    for name in path.split("."):
        run = run[name]
    return run


def added(path):
    """Above what the engine takes without a proxy; never nothing, so that a ratio exists."""
    return lambda runs, who: max(deep(runs[who], path) - deep(runs["direct"], path), 0.1)


def plain(path):
    return lambda runs, who: deep(runs[who], path)


def per_core(runs, who):
    return runs[who]["requests_per_s"] / runs[who]["cpu_share"]


# bar, what, case, figure, unit, compared with, the ratio's limit, whether more is better
BARS = [
    ("B1", "512 B: added p50", "512 B", added("total_us.p50"), "µs", "nginx", 1.0, False),
    ("B2", "512 B: CPU a request", "512 B", plain("cpu_us_per_request"), "µs", "nginx", 1.0, False),
    ("B2", "32 KiB: CPU a request", "32 KiB", plain("cpu_us_per_request"), "µs", "nginx", 1.0, False),
    ("B2", "32 KiB, many escapes: CPU a request", "32 KiB escapes", plain("cpu_us_per_request"), "µs", "nginx", 1.2, False),
    ("B3", "64 connections: requests/s per core", "64 connections", per_core, "/s", "nginx", 1.0, True),
    ("B4", "20 streams: added p50", "20 streams", added("delay_us.p50"), "µs", "nginx", 1.0, False),
    ("B4", "20 streams: p99", "20 streams", plain("delay_us.p99"), "µs", "nginx", 1.0, False),
    ("B5", "1000 streams: CPU an event", "1000 streams", plain("cpu_us_per_event"), "µs", "nginx", 1.0, False),
    ("B5", "1000 streams: p50", "1000 streams", plain("delay_us.p50"), "µs", "haproxy", 1.0, False),
    ("B5", "1000 streams: p99", "1000 streams", plain("delay_us.p99"), "µs", "haproxy", 1.0, False),
]
# Without a bar: what TLS costs beside nginx, with the same certificate, TLS 1.3 and connections that stay open.
SHOWN = [
    ("TLS", "512 B: added p50", "TLS: 512 B", added("total_us.p50"), "µs", "nginx"),
    ("TLS", "512 B: CPU a request", "TLS: 512 B", plain("cpu_us_per_request"), "µs", "nginx"),
    ("TLS", "20 streams: CPU an event", "TLS: 20 streams", plain("cpu_us_per_event"), "µs", "nginx"),
    ("TLS", "20 streams: added p50", "TLS: 20 streams", added("delay_us.p50"), "µs", "nginx"),
    ("TLS", "20 streams: p99", "TLS: 20 streams", plain("delay_us.p99"), "µs", "nginx"),
]
IDLE_MIB = 30
STREAM_KIB = 32


class Rig:
    def __init__(self, arguments):
        self.program = arguments.program
        self.features, self.key = [], "no-key-is-asked-for"  # the same bytes for all of them
        self.scale = 0.25 if arguments.quick else 1.0
        cores = sorted(os.sched_getaffinity(0))
        self.cores = (cores[0], cores[-1])

    def turn_features_on(self, folder):
        """A file of keys and an access log; numbers are always counted."""
        keys = folder / "keys.json"
        for number in range(20):
            self.key = contenders.new_key(self.program, f"bench-{number}", keys)
        self.features = ["--keys", str(keys), "--access-log", str(folder / "access.log")]

    def case(self, name, folder):
        """One repeat of one case: who was measured, with what."""
        who, pace, (engine_core, proxy_core, client_core), warm, seconds, ask = CASES[name]
        results = {}
        engine, ports = contenders.engine(self.cores[engine_core], folder, **pace)
        try:
            for one in who:
                results[one] = self.measure(one, ports, folder, engine.pid, self.cores[proxy_core], self.cores[client_core],
                                            max(seconds * self.scale, 0.5), max(warm * self.scale, 0.2), ask)
        finally:
            engine.stop()
        return results

    def measure(self, who, ports, folder, engine_pid, proxy_core, client_core, seconds, warm, ask):
        ask = {**ask, "key": self.key}
        if who == "direct":
            return contenders.load(ports[0], engine_pid, client_core, seconds, warm, **{**ask, "tls": False})
        tls = ask.get("tls", False)
        if who == "sextant":
            proxy, port = contenders.sextant(proxy_core, folder, ports, self.program, self.features, tls)
        else:
            proxy, port = getattr(contenders, who)(proxy_core, folder, ports, tls)
        try:
            idle = proxy.resident_kib()
            # What the first request brings in for good is no stream's.
            contenders.load(port, proxy.pid, client_core, 0.2, 0.1, **{**ask, "connections": 1, "stream": False, "deaf": False})
            used = proxy.resident_kib()
            told = contenders.load(port, proxy.pid, client_core, seconds, warm, **ask)
        finally:
            proxy.stop()
        return {**told, "idle_kib": idle, "used_kib": used}


def three(values):
    return min(values), statistics.median(values), max(values)


def shown(values, digits=None):
    digits = digits if digits is not None else (0 if statistics.median(values) >= 100 else 2 if statistics.median(values) < 10 else 1)
    return "–".join(f"{value:.{digits}f}" for value in three(values))


def judge(ratios, limit, more):
    least, median, most = three(ratios)
    held = median >= limit if more else median <= limit
    if held:
        return "held"
    return "even" if (most >= limit if more else least <= limit) else "missed"


def rows(results):
    """One row a bar: (bar, what, ours, reference, ratio, limit, verdict)."""
    table = []
    for bar, what, case, figure, unit, other, limit, more in BARS:
        runs = results.get(case)
        if not runs:
            continue
        ours, theirs = [figure(run, "sextant") for run in runs], [figure(run, other) for run in runs]
        ratios = [a / b for a, b in zip(ours, theirs)]
        table.append((bar, what, f"{shown(ours)} {unit}", f"{other} {shown(theirs)} {unit}", shown(ratios, 2),
                      f"{'at least' if more else 'at most'} {limit:g} x", judge(ratios, limit, more)))
    return table + shown_rows(results) + memory_rows(results)


def shown_rows(results):
    table = []
    for bar, what, case, figure, unit, other in SHOWN:
        if runs := results.get(case):
            ours, theirs, third = ([figure(run, who) for run in runs] for who in ("sextant", other, "haproxy"))
            table.append((bar, what, f"{shown(ours)} {unit}", f"{other} {shown(theirs)} {unit}, haproxy {shown(third)} {unit}",
                          shown([a / b for a, b in zip(ours, theirs)], 2), "", ""))
    return table


def memory_rows(results):
    def row(what, values, unit, limit):
        return ("B6", what, f"{shown(values, 1)} {unit}", "", "", f"at most {limit} {unit}", judge(values, limit, False))
    table = []
    if runs := results.get("1000 streams"):
        ours = [run["sextant"] for run in runs]
        table.append(row("idle memory", [one["idle_kib"] / 1024 for one in ours], "MiB", IDLE_MIB))
        table.append(row("memory an open stream", [(one["resident_kib"] - one["used_kib"]) / STREAMS for one in ours], "KiB",
                         STREAM_KIB))
        table.append(("B5", "events a read", shown([one["events_per_read"] for one in ours]), "direct " +
                      shown([run["direct"]["events_per_read"] for run in runs]), "", "", ""))
    if runs := results.get("deaf streams"):
        ours = [run["sextant"] for run in runs]
        table.append(row("memory a stream whose client does not read",
                         [(one["resident_kib"] - one["used_kib"]) / DEAF for one in ours], "KiB", STREAM_KIB))
    return table


def print_table(table):
    heads = ("bar", "what", "Sextant", "beside", "ratio", "wanted", "verdict")
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    for row in table:
        print("| " + " | ".join(row) + " |")


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a quarter of the time for each measurement")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="cases by name or bars, comma between them")
    parser.add_argument("--ahead", action="store_true", help="ahead of all else on a machine that is not idle (SCHED_RR; needs root)")
    parser.add_argument("--json", default=str(contenders.PLACE / "gateway.json"))
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--plain", action="store_true", help="no keys, no access log")
    return parser.parse_args()


def chosen(only):
    wanted = {word.strip() for word in only.split(",") if word.strip()}
    if not wanted:
        return list(CASES)
    by_bar = {case for bar, _, case, *_ in [*BARS, *SHOWN] if bar in wanted}
    if "B6" in wanted:
        by_bar |= {"1000 streams", "deaf streams"}
    return [case for case in CASES if case in wanted or case in by_bar]


def main():
    arguments = read_arguments()
    if not (contenders.PROXIES / "usr/sbin/haproxy").exists():
        sys.exit("bench: nginx and HAProxy are not under build/bench/proxies; ./dev setup --bench puts them there")
    contenders.Program.ahead = arguments.ahead
    rig = Rig(arguments)
    results = {}
    began = time.time()
    with tempfile.TemporaryDirectory() as name:
        if not arguments.plain:
            rig.turn_features_on(pathlib.Path(name))
        for _ in range(arguments.repeats):
            for case in chosen(arguments.only):
                results.setdefault(case, []).append(rig.case(case, pathlib.Path(name)))
    kept = pathlib.Path(arguments.json)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), "seconds": round(time.time() - began), "cores": rig.cores,
                                "quick": arguments.quick, "ahead": arguments.ahead, "features": not arguments.plain,
                                "versions": contenders.versions(arguments.program), "runs": results}, indent=1) + "\n",
                    encoding="utf-8")
    table = rows(results)
    print_table(table)
    for case, runs in results.items():
        wrong = {who: sum(run[who]["errors"] for run in runs) for who in runs[0]}
        busiest = max(run[who]["client_share"] for run in runs for who in run)
        note = "; ".join(f"{who}: {count} errors" for who, count in wrong.items() if count)
        print(f"{case}: the client took {busiest * 100:.0f} % of a core at most" + (f"; {note}" if note else ""))
    missed = [row for row in table if row[-1] == "missed"]
    print(f"gateway: {sum(row[-1] in ('held', 'even') for row in table)} bars hold, {len(missed)} missed; raw figures in {kept}")
    return 1 if missed else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
