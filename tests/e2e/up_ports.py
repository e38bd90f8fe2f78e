#!/usr/bin/env python3
"""Ports that `sextant up` chooses: none that another deployment of the machine was given, from the choice on until nothing of it runs
any more. Stand-ins for engines in PATH."""
import contextlib
import copy
import json
import os
import pathlib
import signal
import socket
import subprocess
import unittest

from deployments import HOST, SEXTANT, Deployment, fake_launch, free_ports, listens, wait_for
import up_reload

FIRST = 18100   # where `up` begins to look


def claim(port, role):
    """Says what a sextant that has chosen this port says; nothing: somebody else says it already."""
    name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        name.bind(f"\0sextant/port/{port}/{role}")
    except OSError:
        name.close()
        return contextlib.nullcontext()
    return name


def claimed(port, role):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asks:
        return asks.connect_ex(f"\0sextant/port/{port}/{role}") == 0


def inodes_of(port, role):
    """Of the sockets that hold this claim: each claim has another."""
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()
    return {line.split()[6] for line in lines if line.endswith(f" @sextant/port/{port}/{role}")}


class Chosen(unittest.TestCase):
    setUp, sextant, write, status = (up_reload.File.setUp, up_reload.File.sextant, up_reload.File.write, up_reload.File.status)

    def port_of_replica(self):
        return self.status()["replicas"][0]["port"]

    def test_it_is_held_from_the_choice_until_nothing_runs_any_more(self):
        self.write((1, ""))
        taken = {FIRST + nth: role for nth, role in enumerate(("chosen", "wanted", "kept"))}
        with contextlib.ExitStack() as claims:
            for port, role in taken.items():
                claims.enter_context(claim(port, role))
            up = self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "test")
        self.assertEqual(up.returncode, 0, up.stderr)
        port = self.port_of_replica()
        self.assertNotIn(port, taken)
        self.assertEqual([claimed(port, role) for role in ("wanted", "kept")], [True, True])
        # Another up of this machine claims a port for a moment before it looks whose it is.
        self.assertTrue(wait_for(lambda: not claimed(port, "chosen")))
        self.assertTrue(claimed(self.port, "wanted"))

        daemon = self.status()["daemon"]
        os.kill(daemon, signal.SIGKILL)
        self.assertTrue(wait_for(lambda: not claimed(port, "wanted")))
        self.assertTrue(claimed(port, "kept"))
        again = self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "test")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.port_of_replica(), port)
        self.assertTrue(claimed(port, "wanted"))

        restarted = self.sextant("restart", "0", "--name", "box")
        self.assertEqual(restarted.returncode, 0, restarted.stderr)
        # On a machine with GPUs it starts again where it was.
        beside = "starts beside it" in restarted.stdout
        self.assertTrue(wait_for(lambda: self.port_of_replica() != port) if beside else True)
        self.assertTrue(wait_for(lambda: [one["state"] for one in self.status()["replicas"]] == ["ready"]))
        now = self.port_of_replica()
        self.assertTrue(wait_for(lambda: claimed(port, "wanted") == (now == port)))
        claims = {name: inodes_of(*name) for name in [(one, role) for one in (now, self.port) for role in ("chosen", "wanted", "kept")]}
        self.assertTrue(claims[now, "wanted"] and claims[now, "kept"] and claims[self.port, "wanted"], claims)
        self.assertEqual(self.sextant("down", "--name", "box").returncode, 0)
        # A port that is nobody's any more may be another deployment's the next moment: by another claim.
        self.assertEqual([name for name, before in claims.items() if before & inodes_of(*name)], [])

    def test_two_that_choose_at_the_same_moment_choose_others(self):
        self.write((2, ""))
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.holder.above), "LC_ALL": "C.UTF-8"}
        address = free_ports(1)[0]
        ups = []
        for state, port in (("states", self.port), ("others", address)):
            above = {**environment, "SEXTANT_STATE": str(self.holder.above / state)}
            self.addCleanup(subprocess.run, [SEXTANT, "down", "--name", "box"], env=above, capture_output=True)
            ups.append(subprocess.Popen([SEXTANT, "up", "sextant.toml", "--port", str(port), "--detach", "--wait", "--anyway", "test"],
                                        env=above, cwd=self.holder.above, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True))
        for up in ups:
            said = up.communicate(timeout=120)[1]   # as every other command of these tests
            self.assertEqual(up.returncode, 0, said)
        ports = [launch["port"] for state in ("states", "others")
                 for launch in json.loads((self.holder.above / state / "box/deployment.json").read_text())["layouts"][0]["replicas"]]
        self.assertEqual(len({*ports, self.port, address}), 6)

    def test_an_address_that_is_anothers_is_refused_before_anything_runs(self):
        self.write((1, ""))
        with claim(self.port, "wanted"):
            up = self.sextant("up", "sextant.toml", "--detach", "--anyway", "test")
        self.assertEqual((up.returncode, up.stdout), (2, ""))
        self.assertIn(f"port {self.port} belongs to another deployment of this machine", up.stderr)
        self.assertFalse((self.state / "box").exists())

    def test_an_engine_is_not_started_on_a_port_of_another_deployment(self):
        port = free_ports(1)[0]
        launch = copy.deepcopy(fake_launch("vllm", port))
        with claim(port, "wanted"), Deployment([launch], tries=1) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("given-up"), deployment.status())
            cause = deployment.replica()["cause"]
            self.assertEqual((cause["name"], cause["title"]), ("port-in-use", f"port {port} belongs to another deployment of this machine"))
            self.assertIn("属于本机的另一个部署", cause["title_zh"])
            self.assertFalse(listens(port))

    def test_where_no_answer_comes_it_is_said_what_is_waited_for(self):
        elsewhere, port = free_ports(2)
        launch = fake_launch("vllm", elsewhere)
        launch["port"] = port   # where nobody listens
        with Deployment([launch], tries=1) as deployment:
            deployment.begin()
            told = wait_for(lambda: deployment.status().get("notes"))
            self.assertEqual(deployment.replica()["state"], "starting")
            self.assertEqual([(note["name"], note["replica"]) for note in told], [("awaited", 0)])
            self.assertIn(f"http://127.0.0.1:{port}/health is not well: nobody can be reached there", told[0]["message"])
            self.assertIn("无法连接", told[0]["message_zh"])


if __name__ == "__main__":
    unittest.main()
