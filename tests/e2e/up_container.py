#!/usr/bin/env python3
"""Engines in containers, through a stand-in for docker: the same life as without one, and nothing is left of them."""
import os
import pathlib
import signal
import unittest

from deployments import HOST, Deployment, alive, fake_launch, free_ports, listens

DOCKER = pathlib.Path(__file__).resolve().parents[1] / "fake_engine/docker.py"


class Containers(unittest.TestCase):
    def deployment(self, count=1, plan="", **more):
        deployment = Deployment([fake_launch("vllm", port) for port in free_ports(count)], **more)
        self.addCleanup(deployment.clear)
        self.home = deployment.above / "docker"
        self.home.mkdir()
        self.addCleanup(self.end_all)
        program = deployment.above / "bin/docker"
        program.symlink_to(DOCKER)
        for launch in deployment.document["layouts"][0]["replicas"]:
            self.put_into_container(deployment, launch, program, plan)
        deployment.write()
        return deployment

    def put_into_container(self, deployment, launch, program, plan):
        port = launch["port"]
        inside = [str(program), "run", "--gpus", "all", "--publish", f"{HOST}:{port}:{port}"]
        for name in ("SEXTANT_TEST", "FAKE_ENGINE_STAGE_MS"):
            inside += ["--env", f"{name}={launch['environment'][name]}"]
        inside += ["--env", f"FAKE_ENGINE_PLAN={plan}"]
        words = [*inside, "vllm/vllm-openai:v0.11.0", "serve", "tiny", "--served-model-name", "tiny", "--host", "0.0.0.0", "--port",
                 str(port)]
        launch.update(words=words, container=str(program), container_at=len(inside))
        launch["environment"] = {"PATH": os.environ["PATH"], "STAND_IN_DOCKER": str(self.home),
                                 "STAND_IN_ENGINE": deployment.stand_in("vllm"),
                                 # its value goes to the container, and not over the client's command line
                                 "FAKE_ENGINE_PLAN": plan}

    def end_all(self):
        for path in self.home.glob("*.pid"):
            try:
                os.kill(int(path.read_text()), signal.SIGKILL)
            except (ProcessLookupError, ValueError):
                pass

    def engines(self):
        def written(path):
            try:
                return path.read_text().strip()
            except FileNotFoundError:   # removed meanwhile
                return ""
        return {path.stem: int(written(path)) for path in self.home.glob("*.pid") if written(path)}

    def asked(self):
        return (self.home / "asked.txt").read_text().splitlines()

    def test_it_becomes_ready_and_goes_down_through_docker(self):
        deployment = self.deployment(2).begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        engines = self.engines()
        self.assertEqual(len(engines), 2)
        self.assertTrue(all(name.startswith("sextant-") for name in engines))
        self.assertEqual(deployment.down(), 0, deployment.said())
        self.assertEqual(self.engines(), {})
        self.assertEqual([pid for pid in engines.values() if alive(pid)], [])
        self.assertEqual([port for port in deployment.ports if listens(port)], [])
        self.assertEqual(len([line for line in self.asked() if line.startswith("stop -t 5 sextant-")]), 2)
        self.assertEqual(deployment.left(), [])

    def test_one_that_does_not_end_is_killed(self):
        deployment = self.deployment(plan="ignore-term", grace=1).begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        engines = self.engines()
        self.assertEqual(deployment.down(), 0, deployment.said())
        self.assertEqual([pid for pid in engines.values() if alive(pid)], [])
        self.assertEqual(self.engines(), {})

    def test_its_exit_code_is_the_containers_and_memory_is_named(self):
        deployment = self.deployment(tries=1).begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        os.kill(next(iter(self.engines().values())), signal.SIGKILL)
        self.assertTrue(deployment.wait_state("given-up"), deployment.status())
        ending = (deployment.state / "replicas/0/exit.json").read_text()
        self.assertIn('"code":137', ending)
        self.assertIn('"oom_kills":1', ending)
        self.assertEqual(self.engines(), {})

    def test_a_keeper_that_is_killed_leaves_no_container(self):
        deployment = self.deployment().begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        engines = self.engines()
        os.kill(deployment.keeper(0), signal.SIGKILL)
        self.assertTrue(deployment.wait_replica(0, "ready", start=2), (deployment.status(), deployment.events()))
        self.assertEqual([pid for pid in engines.values() if alive(pid)], [])
        self.assertEqual(len(self.engines()), 1)
        self.assertFalse(set(engines) & set(self.engines()))

    def test_a_daemon_that_is_killed_leaves_it_running_for_the_next(self):
        deployment = self.deployment().begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        engines = self.engines()
        deployment.kill_daemon()
        deployment.begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        self.assertEqual(self.engines(), engines)


if __name__ == "__main__":
    unittest.main()
