#!/usr/bin/env python3
"""Random ends of random processes, one after another, by a seed: whatever ends, all serve again, and nothing piles up. A thousand of
them, with figures: ./dev bench chaos."""
import os
import pathlib
import random
import signal
import time
import unittest

from deployments import Deployment, fake_launch, free_ports, listens, resident_mib, wait_for

KILLS = int(os.environ.get("SEXTANT_KILLS", "100"))
FIGURES = bool(os.environ.get("SEXTANT_FIGURES"))
SEED = int(os.environ.get("SEXTANT_SEED", "7"))
REPLICAS = 4
# What a replica may do; nothing else.
ALLOWED = {("planned", "starting"), ("starting", "warming"), ("warming", "ready"), ("ready", "suspect"), ("suspect", "ready"),
           ("suspect", "wedged"), ("draining", "stopped"), ("stopped", "planned"), ("failed", "planned"), ("failed", "stopped"),
           *((state, end) for state in ("starting", "warming", "ready", "suspect", "wedged") for end in ("failed", "draining"))}
KINDS = ("engine", "engine", "engine", "keeper", "keeper", "both", "daemon", "pause", "pause-keeper", "restart")



def zombies_of(pid):
    count = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split() if entry.name.isdigit() else ["", ""]
        except OSError:
            continue
        count += fields[0] == "Z" and fields[1] == str(pid)
    return count


def files_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class Chaos(unittest.TestCase):
    def end_something(self, chance, deployment):
        index = chance.choice(deployment.numbers() or [0])   # one that is restarted gets another number
        what = chance.choice(KINDS)
        engine, keeper = deployment.engine(index), deployment.keeper(index)
        pids = {"engine": [engine], "keeper": [keeper], "both": [keeper, engine]}.get(what, [])
        if what == "daemon":
            deployment.kill_daemon()
            deployment.begin()
        if what == "restart":
            deployment.ask(f"/v1/replicas/{index}/restart", "POST")
        if what.startswith("pause"):
            stopped = engine if what == "pause" else keeper
            self.send(stopped, signal.SIGSTOP)
            time.sleep(chance.choice((0.05, 0.3, 1)))
            self.send(stopped, signal.SIGCONT)
        for pid in pids:
            self.send(pid, signal.SIGKILL)
        return what

    @staticmethod
    def send(pid, number):
        try:
            if pid:
                os.kill(pid, number)
        except ProcessLookupError:
            pass

    def test_all_serve_again_and_nothing_piles_up(self):
        chance = random.Random(SEED)
        engines = ("vllm", "llamacpp")
        # Each leaves a child behind: with its mark, or with neither mark nor session nor parent.
        launches = [fake_launch(engines[i % 2], port, plan=("orphan", "orphan=bare")[i // 2 % 2])
                    for i, port in enumerate(free_ports(REPLICAS))]
        with Deployment(launches, tries=1000) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            # Keeper, engine and its child of each, and the relay.
            usual = 3 * REPLICAS + 1
            done, again, seen, groups = [], [], set(), set()
            while len(done) < KILLS:
                groups.update(deployment.record(index).get("group") for index in deployment.numbers())
                seen.update((a, b) for a, b, _ in deployment.events())
                done += [self.end_something(chance, deployment) for _ in range(chance.randint(1, 4))]
                if chance.random() < 0.3:
                    continue  # the next ones find it in the middle of its work
                began = time.monotonic()
                self.assertTrue(deployment.wait_state("serving"), (done, deployment.status(), deployment.said()))
                again.append(time.monotonic() - began)
            self.assertTrue(deployment.wait_state("serving"), (done, deployment.status(), deployment.said()))
            # An engine that has just become ready lets its child go a moment later.
            self.assertTrue(wait_for(lambda: len(deployment.processes()) == usual, 20), (usual, deployment.processes()))
            daemon = deployment.process.pid
            keepers = [files_of(deployment.keeper(index)) for index in deployment.numbers()]
            if FIGURES:
                self.say(done, again, daemon, keepers, len(deployment.processes()))
            self.assertEqual(wait_for(lambda: zombies_of(deployment.process.pid) == 0, 10), True)
            self.assertLess(files_of(daemon), 20 + 6 * REPLICAS)
            self.assertLess(max(keepers), 16)
            self.assertEqual((seen | {(a, b) for a, b, _ in deployment.events()}) - ALLOWED, set())
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.assertEqual(deployment.left(), [])
            self.assertEqual([port for port in deployment.ports if listens(port)], [])
            # Where control groups may be made they were used, and none of them stays.
            self.assertEqual([group for group in groups if group and os.path.exists(group)], [])

    @staticmethod
    def say(done, again, daemon, keepers, processes):
        counts = ", ".join(f"{done.count(kind)} {kind}" for kind in sorted(set(KINDS)))
        again = sorted(again)
        print(f"{len(done)} ends and stalls: {counts}")
        print(f"serving again after {again[len(again) // 2]:.2f} s (median), {again[int(len(again) * 0.95)]:.2f} s (95 %), "
              f"{again[-1]:.2f} s (worst), looked at {len(again)} times")
        print(f"at the end: {processes} processes, daemon {resident_mib(daemon):.0f} MiB with {files_of(daemon)} descriptors, "
              f"keepers with at most {max(keepers)}, {zombies_of(daemon)} zombies")


if __name__ == "__main__":
    unittest.main()
