#!/usr/bin/env python3
"""A wall clock that jumps: what serves goes on, restarts wait as long as they should, engines are known again by when they began."""
import glob
import json
import os
import signal
import sqlite3
import time
import unittest

from deployments import SANITIZED, Deployment, alive, fake_launch, free_ports
from traffic import chat

LIBRARY = next(iter(sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))), "")


@unittest.skipIf(SANITIZED, "the sanitizer and the library want to be loaded first, both")
@unittest.skipUnless(LIBRARY, "there is no libfaketime here")
class Clock(unittest.TestCase):
    """Of the daemon and its engine; a jump is a line in a file."""

    def setUp(self):
        self.deployment = Deployment([fake_launch("vllm", port) for port in free_ports(2)], backoff=(1,), tries=9)
        self.addCleanup(self.deployment.clear)
        self.now = self.deployment.above / "clock"
        faked = {"LD_PRELOAD": LIBRARY, "FAKETIME_TIMESTAMP_FILE": str(self.now), "FAKETIME_CACHE_DURATION": "1",
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.deployment.variables = faked
        for launch in self.deployment.document["layouts"][0]["replicas"]:
            launch["environment"].update(faked)
        self.deployment.document["anyway"] = "a test"   # a note of the beginning
        self.deployment.write()
        self.now.write_text("+0\n")

    def jump(self, to):
        fresh = self.now.with_suffix(".new")
        fresh.write_text(to + "\n")
        fresh.replace(self.now)
        time.sleep(1.1)   # so long the library believes what it read

    def begin(self):
        self.deployment.begin()
        self.assertTrue(self.deployment.wait_state("serving"), (self.deployment.status(), self.deployment.said()))

    def serves(self):
        self.assertEqual(chat(self.deployment.port), "")
        status = self.deployment.status()
        self.assertEqual(status["state"], "serving", status)
        for replica in status["replicas"]:
            self.assertTrue(0 <= replica["for_ms"] < 600_000, replica)
        self.assertIn("anyway", [note["name"] for note in status["notes"]])

    def replaced_after_its_engine_is_killed(self, start):
        os.kill(self.deployment.engine(0), signal.SIGKILL)
        self.assertTrue(self.deployment.wait_replica(0, "ready", start=start), self.deployment.status())

    def taken_over(self):
        engines = [self.deployment.engine(index) for index in (0, 1)]
        self.deployment.kill_daemon()
        self.begin()
        self.assertEqual([self.deployment.engine(index) for index in (0, 1)], engines)
        self.assertTrue(all(alive(pid) for pid in engines))

    def test_jumps_change_nothing(self):
        self.begin()
        self.serves()
        for start, to in ((2, "-1d"), (3, "+1y"), (4, "+0")):
            self.jump(to)
            self.serves()
            self.replaced_after_its_engine_is_killed(start)
            self.taken_over()
            self.serves()
        # A drain still waits for its requests: the gateway knows tables of a year ahead.
        self.assertEqual(self.deployment.ask("/v1/replicas/1/drain", "POST")[0], 202)
        self.assertTrue(self.deployment.wait_replica(1, "stopped"), self.deployment.status())
        self.assertEqual(chat(self.deployment.port), "")
        told = self.deployment.ask("/v1/events")[1]
        self.assertEqual([one["id"] for one in told], sorted(one["id"] for one in told))
        starts = [one["start"] for one in told if one["replica"] == 0 and one["to"] == "starting"]
        self.assertEqual(starts, sorted(starts))
        versions = json.loads((self.deployment.state / "routes.json").read_text())["version"]
        self.assertGreater(versions, (time.time() + 300 * 86_400) * 1000)
        self.assertEqual(self.deployment.down(), 0, self.deployment.said())
        times = [row[0] for row in sqlite3.connect(self.deployment.state / "journal.db").execute("SELECT unix_ms FROM transition_log")]
        self.assertGreater(max(times) - min(times), 365 * 86_400_000)   # the jumps were seen
        self.assertEqual(self.deployment.left(), [])


if __name__ == "__main__":
    unittest.main()
