#!/usr/bin/env python3
"""Replicas killed under load, drained and replaced under load: no request is lost that had not begun to be answered. More of them:
SEXTANT_KILLS=100; `./dev bench gateway_kills` also measures."""
import dataclasses
import os
import random
import time
import unittest

from gateway_load import Load
from gateway_mock import Replica
from gateway_parts import Relay, route, until

KILLS = int(os.environ.get("SEXTANT_KILLS", "10"))
SEED = int(os.environ.get("SEXTANT_SEED", "7"))
DOWN_SECONDS = 0.3  # less than a failed replica rests
REST_NS = 700_000_000  # of that second, what is surely left of it on a busy machine
UP_SECONDS = 0.2
EACH_ROUND = 50  # requests, at least
MOST = 5  # times as many kills, until each kind of end was seen: at what moment one hits a request is chance


@dataclasses.dataclass
class Round:
    index: int
    killed: int  # nanoseconds
    back: int    # before it was started again


class Killed:
    """One of `count` replicas after the other is killed under load and comes back."""

    def __init__(self, kills, count=4, seed=SEED):
        chance = random.Random(seed)
        self.replicas = [Replica() for _ in range(count)]
        self.relay = Relay([route(i, one.port) for i, one in enumerate(self.replicas)])
        self.rounds = []
        try:
            with Load(self.relay.port, seed=seed) as load:
                time.sleep(0.5)
                while len(self.rounds) < kills or (len(self.rounds) < MOST * kills and not self.every_kind(load, kills)):
                    index = chance.randrange(count)
                    killed = self.replicas[index].kill()
                    time.sleep(DOWN_SECONDS)
                    self.rounds.append(Round(index, killed, time.monotonic_ns()))
                    self.replicas[index].start()
                    time.sleep(UP_SECONDS)
                    # One replica at a time: a request that was there for this kill is not there for the next one.
                    until(lambda back=self.rounds[-1].back: load.all_ended_since(back), 30)
                    until(lambda most=EACH_ROUND * len(self.rounds): len(load.told) > most, 30)  # how many a second come is the machine's
            self.told = load.told
            self.read_notes()
            self.counts = self.settled()
        finally:
            self.end()

    def read_notes(self):
        self.seen = {}  # number: [(time, replica)], also of its lives
        for index, one in enumerate(self.replicas):
            for at, number in one.seen():
                self.seen.setdefault(number, []).append((at, index))

    def every_kind(self, load, kills):
        """Requests that were answered elsewhere, some after the dead one had seen them, and streams that were cut."""
        self.read_notes()
        told = list(load.told)
        return sum(one.failed_over for one in told) > kills / 2 and any(one.cut_in_order for one in told) and bool(self.decisions())

    def settled(self):
        until(lambda: self.relay.counts()["in_flight"] == 0)
        return self.relay.counts()

    def end(self):
        self.relay.end()
        for one in self.replicas:
            one.end()

    def life(self, at, index):
        """Which process it was: the one killed and the one that came after it are two."""
        return index, sum(one.index == index and one.back <= at for one in self.rounds)

    def decisions(self):
        """Milliseconds from the kill, or from the request where that came later, to its arrival at the other replica."""
        taken = []
        for places in self.seen.values():
            if len(places) != 2:
                continue
            (first, index), (second, other) = sorted(places)
            if index == other:
                continue
            kill = max((one.killed for one in self.rounds if one.index == index and one.killed <= second), default=None)
            if kill is not None:
                taken.append((second - max(first, kill)) / 1e6)
        return sorted(taken)

    def to_the_dead(self):
        """Requests that were begun after another one had been answered elsewhere because of the kill, and still went to the dead one first."""
        late = []
        for one in self.rounds:
            within = [told for told in self.told if told.sent >= one.killed and told.ended <= min(one.back, one.killed + REST_NS)]
            first = min((told.ended for told in within if told.failed_over), default=None)
            late += [told for told in within if first is not None and told.sent > first and told.failed_over]
        return late


class Kills(unittest.TestCase):
    def test_killed_under_load_no_request_without_a_first_byte_fails(self):
        run = Killed(KILLS)
        bad = [told for told in run.told if not told.good and not told.cut_in_order]
        self.assertEqual(bad[:3], [])
        self.assertGreater(len([told for told in run.told if told.failed_over]), KILLS / 2)
        self.assertGreater(len([told for told in run.told if told.cut_in_order]), 0)
        # At most two processes have seen it, each once. Both may be of one replica: a SYN that was lost while the kernel took the first
        # one down comes again after a second, and then reaches the next one.
        twice = [(number, places) for number, places in run.seen.items()
                 if len(places) > 2 or len({run.life(at, index) for at, index in places}) < len(places)]
        self.assertEqual(twice[:3], [])
        self.assertEqual(run.to_the_dead()[:3], [])
        self.assertEqual((run.counts["lost"], run.counts["unserved"], run.counts["body_bytes"]), (0, 0, 0))
        self.assertTrue(run.decisions())

    def test_a_request_that_kills_engines_kills_two_at_most(self):
        replicas = [Replica() for _ in range(4)]
        relay = Relay([route(i, one.port) for i, one in enumerate(replicas)])
        for end in (relay.end, *(one.end for one in replicas)):
            self.addCleanup(end)
        for warm in (True, False):  # on connections that are open, and on new ones
            for _ in range(8 if warm else 0):
                self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
            reply, _ = relay.ask({"model": "toy"}, headers={"X-Mock": "id=poison;kind=die"})
            self.assertEqual(reply.status, 502)
            until(lambda: len([one for one in replicas if one.process.poll() is not None]) >= 2)  # connections close before a process has ended
            time.sleep(0.1)
            dead = [one for one in replicas if one.process.poll() is not None]
            self.assertEqual(len(dead), 2, warm)
            self.assertEqual(relay.ask({"model": "toy"})[0].status, 200)
            for one in dead:
                one.kill()
                one.start()
            time.sleep(4.5 if warm else 0)  # open connections are given up


class Moves(unittest.TestCase):
    """The table of routes changes under load."""

    def start(self, count):
        self.replicas = [Replica() for _ in range(count)]
        self.relay = Relay([route(i, one.port) for i, one in enumerate(self.replicas)])
        for end in (self.relay.end, *(one.end for one in self.replicas)):
            self.addCleanup(end)

    def table(self, *takes):
        """None: not in it."""
        return [route(i, self.replicas[i].port, takes=takes[i]) for i in range(len(takes)) if takes[i] is not None]

    def test_no_stream_is_dropped_by_200_new_tables(self):
        self.start(4)
        chance = random.Random(SEED)
        with Load(self.relay.port, streams=1, gap=10) as load:
            until(lambda: len(load.told) > 20)
            for _ in range(200):  # the first two are always there, the others at most drained
                tables = self.table(True, chance.random() < 0.5, chance.random() < 0.5, chance.random() < 0.5)
                chance.shuffle(tables)
                self.relay.tell(tables)
                time.sleep(0.01)
            until(lambda: len(load.told) > 100, 30)
        self.assertEqual([told for told in load.told if not told.good][:3], [])
        counts = self.relay.counts()
        self.assertEqual((counts["in_flight"], counts["cut"], counts["lost"], counts["unserved"]), (0, 0, 0, 0))

    def test_a_drain_is_exact(self):
        """Nothing new lands on a replica once the gateway acts on the table; its last stream is waited for; then it may go."""
        self.start(3)
        with Load(self.relay.port, streams=1, gap=20, clients=24) as load:
            until(lambda: len(load.told) > 30)
            for index in (0, 1, 2):
                takes = [i != index for i in range(3)]
                self.relay.tell(self.table(*takes))
                begun, drained = load.count, time.monotonic_ns()
                until(lambda index=index: self.relay.counts()["replicas"][index]["in_flight"] == 0)
                self.replicas[index].kill()  # at once: of a stream that still ran its client would see the loss
                time.sleep(0.3)
                seen = self.replicas[index].seen()
                # One that was sent on just before may be read there a little later, not one that came in later.
                self.assertEqual([number for _, number in seen if int(number) > begun], [])
                # Nor does one come to the place where it was.
                self.assertEqual([told for told in list(load.told) if int(told.number) > begun and told.failed_over], [])
                # Some were there, and were waited for.
                until(lambda index=index, drained=drained: [told for told in list(load.told) if f"replica={index};" in told.way and told.ended > drained])
                self.relay.tell(self.table(*(None if i == index else True for i in range(3))))
                self.replicas[index].start()
                self.relay.tell(self.table(True, True, True))
                until(lambda index=index, before=len(seen): len(self.replicas[index].seen()) > before)
        self.assertEqual([told for told in load.told if not told.good][:3], [])
        self.assertEqual(self.relay.counts()["cut"], 0)


if __name__ == "__main__":
    unittest.main()
