#!/usr/bin/env python3
"""Random ends of random processes, one after another, by a seed: whatever ends, all serve again, and nothing piles up. More of them:
SEXTANT_KILLS=1000."""
import os
import pathlib
import random
import signal
import time
import unittest

from deployments import Deployment, fake_launch, free_ports, listens, wait_for

KILLS = int(os.environ.get("SEXTANT_KILLS", "40"))
SEED = int(os.environ.get("SEXTANT_SEED", "7"))
REPLICAS = 4
# What a replica may do; nothing else.
ALLOWED = {("planned", "starting"), ("starting", "warming"), ("warming", "ready"), ("ready", "suspect"), ("suspect", "ready"),
           ("suspect", "wedged"), ("draining", "stopped"), ("stopped", "planned"), ("failed", "planned"), ("failed", "stopped"),
           *((state, end) for state in ("starting", "warming", "ready", "suspect", "wedged") for end in ("failed", "draining"))}



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
        index = chance.randrange(REPLICAS)
        what = chance.choice(("engine", "engine", "engine", "keeper", "both", "daemon", "pause", "restart"))
        engine, keeper = deployment.engine(index), deployment.keeper(index)
        pids = {"engine": [engine], "keeper": [keeper], "both": [keeper, engine]}.get(what, [])
        if what == "daemon":
            deployment.kill_daemon()
            deployment.begin()
        if what == "restart":
            deployment.ask(f"/v1/replicas/{index}/restart", "POST")
        if what == "pause" and engine:
            pids = []
            self.send(engine, signal.SIGSTOP)
            time.sleep(0.3)
            self.send(engine, signal.SIGCONT)
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
        launches = [fake_launch(engines[i % 2], port, plan="orphan") for i, port in enumerate(free_ports(REPLICAS))]
        with Deployment(launches, tries=1000) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            usual = len(deployment.processes())
            done = []
            while len(done) < KILLS:
                done += [self.end_something(chance, deployment) for _ in range(chance.randint(1, 4))]
                if chance.random() < 0.3:
                    continue  # the next ones find it in the middle of its work
                self.assertTrue(deployment.wait_state("serving"), (done, deployment.status(), deployment.said()))
            self.assertTrue(deployment.wait_state("serving"), (done, deployment.status(), deployment.said()))
            self.assertTrue(wait_for(lambda: len(deployment.processes()) == usual, 20), (usual, deployment.processes()))
            self.assertEqual(wait_for(lambda: zombies_of(deployment.process.pid) == 0, 10), True)
            self.assertLess(files_of(deployment.process.pid), 20 + 6 * REPLICAS)
            self.assertEqual({(a, b) for a, b, _ in deployment.events()} - ALLOWED, set())
            self.assertEqual(deployment.down(), 0, deployment.said())
            self.assertTrue(wait_for(lambda: deployment.processes() == [], 10), deployment.processes())
            self.assertEqual([port for port in deployment.ports if listens(port)], [])


if __name__ == "__main__":
    unittest.main()
