#!/usr/bin/env python3
"""How soon the gateway decides when a replica is killed under load, and how soon it lets go when a client leaves.

    ./dev bench gateway_kills [KILLS] [--ahead]        100 by default, one of four replicas at a time, 16 clients

`--ahead` puts all of it before whatever else the machine does (SCHED_RR; needs root).

A decision is measured from the kill, or from the request's arrival at the replica where that came later, to the arrival of the
same request at the other replica; a client's end from its close to that of the replica's connection. The bars are 50 and 100 ms.
What the machine itself adds is told by requests around which nothing was killed, from a client to its replica.
"""
import os
import pathlib
import socket
import statistics
import sys
import threading
import time

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "e2e")  # instead of this folder, whose inspect.py is not Python's
from gateway_kills import Killed  # noqa: E402
from gateway_parts import SSE_HEAD, Backend, Relay, chunk, event, route, until  # noqa: E402

LEAVES = 100


def line(name, milliseconds, bar=None):
    values = sorted(milliseconds)
    at = lambda part: values[min(len(values) - 1, int(len(values) * part))]  # noqa: E731
    print(f"{name}: {len(values)} times, least {values[0]:.2f}, median {statistics.median(values):.2f}, p99 {at(0.99):.2f}, most {values[-1]:.2f} ms" +
          (f" ({'holds' if values[-1] <= bar else 'misses'} {bar} ms)" if bar else ""))


def kills(count):
    run = Killed(count)
    bad = [told for told in run.told if not told.good and not told.cut_in_order]
    cut = [told for told in run.told if told.cut_in_order]
    twice = [places for places in run.seen.values() if len(places) > 1]
    print(f"{count} kills, {len(run.told)} requests: {len(bad)} failed, {len(cut)} streams lost after their first event and told so, "
          f"{len(twice)} sent to a second replica, {max(map(len, run.seen.values()))} replicas at most, {len(run.to_the_dead())} sent to a dead one that was known to be dead")
    line("decided to ask another replica", run.decisions(), 50)
    sent = {told.number: told.sent for told in run.told}
    line("reached a replica with nothing killed", [(places[0][0] - sent[number]) / 1e6 for number, places in run.seen.items()
                                                   if len(places) == 1 and number in sent])
    return not bad


def leaves():
    """Half of them before the answer begins, half within a stream."""
    closed = threading.Event()
    taken = []

    def behave(connection, head, body):
        if b"stream" in body:
            connection.sendall(SSE_HEAD + chunk(event("a")))
        connection.settimeout(10)
        try:
            connection.recv(1)
        except OSError:
            pass
        taken.append(time.monotonic())
        closed.set()
    backend = Backend(behave)
    relay = Relay([route(0, backend.port)])
    waited, gauges = [], []
    try:
        for number in range(LEAVES):
            closed.clear()
            body = b'{"model":"toy","%s":true}' % (b"stream" if number % 2 else b"whole")
            client = socket.create_connection(("127.0.0.1", relay.port))
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            until(lambda: relay.tell([route(0, backend.port)])["in_flight"] == 1)
            time.sleep(0.06)  # longer than between two looks at deadlines, so that any moment of them is met
            begin = time.monotonic()
            client.close()
            closed.wait(10)
            waited.append((taken[-1] - begin) * 1000)
            while relay.tell([route(0, backend.port)])["in_flight"] > 0:  # a new table is answered at once
                pass
            gauges.append((time.monotonic() - begin) * 1000)
    finally:
        relay.end()
        backend.kill()
    line("closed the replica's side when the client had gone", waited, 100)
    line("had the gauge back at 0", gauges, 100)


words = sys.argv[1:]
if "--ahead" in words:
    words.remove("--ahead")
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
good = kills(int(words[0]) if words else 100)
leaves()
sys.exit(0 if good else 1)
