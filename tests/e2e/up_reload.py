#!/usr/bin/env python3
"""`sextant reload`: what stays as it is keeps its process, what changes is replaced while it serves, and what does not work is
taken back. With the fake engine and, where ./dev setup --engines has put one, with a real llama.cpp server."""
import copy
import json
import os
import pathlib
import subprocess
import unittest

from deployments import HOST, MARK, SEXTANT, Deployment, alive, fake_launch, free_ports, listens, wait_for
from traffic import Traffic, chat

ENGINES = pathlib.Path(os.environ.get("SEXTANT_ENGINES", "build/engines")).absolute()
SERVER = ENGINES / "bin/llama-server"


def changed(launch, port, **more):
    """The same replica with something else in its environment, at another port."""
    other = copy.deepcopy(launch)
    other["words"][other["words"].index(str(launch["port"]))] = str(port)
    other["port"] = port
    other["environment"].update(more)
    return other


class Reload(unittest.TestCase):
    def serving(self, launches, **more):
        deployment = Deployment(launches, **more)
        self.addCleanup(deployment.clear)
        deployment.begin()
        self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
        return deployment

    def wanted(self, deployment):
        return copy.deepcopy(deployment.document["layouts"][0]["replicas"])

    def nothing_is_left(self, deployment):
        self.assertEqual(deployment.down(), 0, deployment.said())
        self.assertEqual(deployment.left(), [])
        self.assertEqual([port for port in deployment.ports if listens(port)], [])
        self.assertFalse((deployment.state / "before.json").exists())

    def test_what_stays_keeps_its_process_and_what_changes_is_replaced_without_a_failed_request(self):
        deployment = self.serving([fake_launch("vllm", port) for port in free_ports(3)])
        engines = [deployment.engine(index) for index in range(3)]
        wanted = self.wanted(deployment)
        wanted[1] = changed(wanted[1], free_ports(1)[0], OTHER="1")
        with Traffic(deployment.port) as traffic:
            self.assertTrue(wait_for(lambda: traffic.done >= 5))
            self.assertEqual(deployment.reload(wanted)[0], 202)
            self.assertEqual(deployment.wait_reloaded(), {"good": True, "cause": ""}, deployment.events())
            done = traffic.done
            self.assertTrue(wait_for(lambda: traffic.done >= done + 5))
        self.assertEqual(traffic.wrong, [])
        self.assertEqual(deployment.numbers(), [0, 2, 3])
        self.assertEqual([deployment.engine(0), deployment.engine(2)], [engines[0], engines[2]])
        self.assertFalse(alive(engines[1]))
        self.assertEqual(deployment.replica(3)["port"], wanted[1]["port"])
        self.assertIn(("ready", "draining", "replaced"), deployment.events(1))
        self.nothing_is_left(deployment)

    def test_all_are_replaced_one_at_a_time(self):
        deployment = self.serving([fake_launch("vllm", port, stage_ms=100) for port in free_ports(2)])
        ports = free_ports(2)
        wanted = [changed(one, port, OTHER="1") for one, port in zip(self.wanted(deployment), ports)]
        with Traffic(deployment.port) as traffic:
            self.assertEqual(deployment.reload(wanted)[0], 202)
            self.assertTrue(deployment.wait_reloaded()["good"], deployment.events())
        self.assertEqual(traffic.wrong, [])
        # By what happened, in its order: two serve at every moment, and beside them one starts. An old one may still
        # be ending when the next one starts.
        states, served = {}, False
        for event in deployment.ask("/v1/events")[1]:
            states[event["replica"]] = event["to"]
            ready = [*states.values()].count("ready")
            served = served or ready == 2
            self.assertTrue(not served or ready >= 2, (event, states))
            comes = [state for state in states.values() if state in ("starting", "warming")]
            self.assertLessEqual(len(comes), 1 if served else 2, (event, states))
        self.assertEqual(sorted(one["port"] for one in deployment.status()["replicas"]), sorted(ports))

    def test_one_that_does_not_become_ready_is_taken_back_and_nobody_notices(self):
        deployment = self.serving([fake_launch("vllm", port) for port in free_ports(2)])
        engines = [deployment.engine(index) for index in range(2)]
        before = json.loads((deployment.state / "deployment.json").read_text())
        wanted = [changed(one, port, FAKE_ENGINE_PLAN="crash@load code=1 log=oom-weights")
                  for one, port in zip(self.wanted(deployment), free_ports(2))]
        with Traffic(deployment.port) as traffic:
            self.assertEqual(deployment.reload(wanted)[0], 202)
            self.assertEqual(deployment.wait_reloaded(), {"good": False, "cause": "oom-weights-too-big"}, deployment.events())
        self.assertEqual(traffic.wrong, [])
        self.assertEqual([deployment.engine(index) for index in range(2)], engines)
        self.assertEqual(deployment.status()["state"], "serving")
        self.assertIn("went-back", [note["name"] for note in deployment.status()["notes"]])
        after = json.loads((deployment.state / "deployment.json").read_text())
        words = [[[one["words"] for one in layout["replicas"]] for layout in record["layouts"]] for record in (before, after)]
        self.assertEqual(words[1], words[0])
        self.nothing_is_left(deployment)

    def test_where_the_gpus_are_taken_one_gives_way_and_comes_back_when_the_new_one_fails(self):
        deployment = self.serving([fake_launch("vllm", port, gpus=[index]) for index, port in enumerate(free_ports(2))])
        wanted = [changed(one, port, OTHER="1") for one, port in zip(self.wanted(deployment), free_ports(2))]
        with Traffic(deployment.port) as traffic:
            self.assertEqual(deployment.reload(copy.deepcopy(wanted))[0], 202)
            self.assertTrue(deployment.wait_reloaded()["good"], deployment.events())
        self.assertEqual(traffic.wrong, [])
        bad = [changed(one, port, FAKE_ENGINE_PLAN="crash@load code=1 log=oom-weights")
               for one, port in zip(wanted, free_ports(2))]
        with Traffic(deployment.port) as traffic:
            self.assertEqual(deployment.reload(bad)[0], 202)
            self.assertFalse(wait_for(lambda: deployment.status().get("last_reload"))["good"], deployment.events())
        self.assertEqual(traffic.wrong, [])
        self.assertTrue(deployment.wait_state("serving"))
        self.assertEqual(sorted(one["port"] for one in deployment.status()["replicas"]), sorted(one["port"] for one in wanted))

    def test_fewer_and_more(self):
        deployment = self.serving([fake_launch("vllm", port) for port in free_ports(3)])
        engine = deployment.engine(1)
        wanted = self.wanted(deployment)
        self.assertEqual(deployment.reload(wanted[1:2])[0], 202)
        self.assertTrue(deployment.wait_reloaded()["good"])
        self.assertEqual(deployment.numbers(), [1])
        self.assertEqual(deployment.reload([*wanted, fake_launch("vllm", free_ports(1)[0])])[0], 202)
        self.assertTrue(wait_for(lambda: deployment.status().get("state") == "serving" and deployment.numbers() == [0, 1, 2, 3]))
        self.assertEqual(deployment.engine(1), engine)
        self.nothing_is_left(deployment)

    def test_a_daemon_that_is_killed_in_the_middle_is_followed_by_one_that_goes_on(self):
        deployment = self.serving([fake_launch("vllm", port) for port in free_ports(2)])
        engines = [deployment.engine(index) for index in range(2)]
        wanted = self.wanted(deployment)
        wanted[1] = changed(wanted[1], free_ports(1)[0], FAKE_ENGINE_PLAN="gate@load")
        with Traffic(deployment.port) as traffic:
            self.assertEqual(deployment.reload(wanted)[0], 202)
            self.assertTrue(deployment.wait_replica(2, "starting"))
            newcomer = wait_for(lambda: deployment.engine(2))
            deployment.kill_daemon()
            deployment.begin()
            self.assertTrue(deployment.wait_replica(2, "starting"), deployment.status())
            deployment.open_gate("load", 2)
            self.assertTrue(wait_for(lambda: deployment.numbers() == [0, 2] and deployment.status()["state"] == "serving"),
                            (deployment.status(), deployment.events()))
        self.assertEqual(traffic.wrong, [])
        self.assertEqual(deployment.engine(0), engines[0])
        self.assertEqual(deployment.engine(2), newcomer)
        self.assertTrue(wait_for(lambda: not alive(engines[1]), 10))
        self.nothing_is_left(deployment)

    def test_what_a_killed_daemon_began_goes_back_to_the_layout_that_ran(self):
        first, second = free_ports(2)
        deployment = Deployment(layouts=[("TP4", [fake_launch("vllm", first, plan="crash@load code=1 log=oom-weights", gpus=[0, 1])]),
                                         ("TP2", [fake_launch("vllm", second, gpus=[0])])])
        self.addCleanup(deployment.clear)
        deployment.begin()
        self.assertTrue(deployment.wait_state("serving"), deployment.said())
        self.assertEqual(deployment.status()["layout"], "TP2")
        engine = deployment.engine(0)
        bad = fake_launch("vllm", free_ports(1)[0], plan="gate@load; crash@load code=1 log=oom-weights", gpus=[3])
        with Traffic(deployment.port) as traffic:
            self.assertEqual(deployment.reload([bad])[0], 202)
            self.assertTrue(deployment.wait_replica(1, "starting"))
            deployment.kill_daemon()
            deployment.begin()
            self.assertTrue(deployment.wait_replica(1, "starting"), deployment.status())
            deployment.open_gate("load", 1)
            self.assertEqual(deployment.wait_reloaded(), {"good": False, "cause": "oom-weights-too-big"}, deployment.events())
        self.assertEqual(traffic.wrong, [])
        self.assertEqual((deployment.status()["layout"], deployment.engine(0)), ("TP2", engine))
        # The next daemon begins where this one is, not at the layout that failed here.
        deployment.kill_daemon()
        deployment.begin()
        self.assertTrue(deployment.wait_state("serving"), deployment.said())
        self.assertEqual((deployment.status()["layout"], deployment.engine(0)), ("TP2", engine))
        # Nor does a reload of what did not change go back to it.
        self.assertEqual(deployment.ask("/v1/reload", "POST", json.dumps(deployment.document))[0], 202)
        self.assertTrue(deployment.wait_reloaded()["good"])
        self.assertEqual((deployment.status()["layout"], deployment.engine(0)), ("TP2", engine))
        self.nothing_is_left(deployment)

    def test_what_cannot_change_is_said_and_changes_nothing(self):
        deployment = self.serving([fake_launch("vllm", port) for port in free_ports(1)])
        engine = deployment.engine(0)
        for wrong in ({"name": "other"}, {"port": free_ports(1)[0]}, {"layouts": []}):
            status, said = deployment.ask("/v1/reload", "POST", json.dumps({**deployment.document, **wrong}))
            self.assertEqual(status, 409, said)
            self.assertTrue(said["error"]["message"] and said["error"]["message_zh"], said)
        self.assertEqual(deployment.ask("/v1/reload", "POST", "{")[0], 409)
        self.assertEqual(deployment.engine(0), engine)
        self.assertNotIn("reload", deployment.status())


class File(unittest.TestCase):
    """The command, with a file that changes; engines are stand-ins in PATH."""

    def setUp(self):
        self.holder = Deployment([fake_launch("llamacpp", free_ports(1)[0])])
        self.addCleanup(self.holder.clear)
        self.bin = pathlib.Path(self.holder.stand_in("llama-server")).parent
        self.port = free_ports(1)[0]
        self.file = self.holder.above / "sextant.toml"
        (self.holder.above / "tiny.gguf").write_bytes(b"GGUF")
        self.state = self.holder.above / "states"
        self.addCleanup(lambda: self.sextant("down", "--name", "box"))

    def sextant(self, *words, cwd=None, **more):
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.holder.above), "SEXTANT_STATE": str(self.state),
                       "LC_ALL": "C.UTF-8", **more}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        return subprocess.run([SEXTANT, *words], env=environment, cwd=cwd or self.holder.above, capture_output=True, text=True, timeout=120,
                              check=False, stdin=subprocess.DEVNULL)

    def write(self, *models, top="", names=("tiny",)):
        text = f'name = "box"\nlisten = "{HOST}:{self.port}"\n{top}\n'
        for index, (replicas, extra) in enumerate(models):
            name = names[index % len(names)]
            text += (f'[[model]]\ncommand = ["llama-server", "-m", "tiny.gguf", "--alias", "{name}", "--metrics"]\n'
                     f'replicas = {replicas}\n'
                     f'environment = {{ {MARK} = "{self.holder.mark}", FAKE_ENGINE_PLAN = "", FAKE_ENGINE_STAGE_MS = "20"{extra} }}\n')
        self.file.write_text(text)

    def status(self):
        return json.loads(self.sextant("status", "--name", "box", "--format", "json").stdout or "{}")

    def engines(self):
        found = {}
        for path in (self.state / "box/replicas").glob("*/keeper.json"):
            found[int(path.parent.name)] = json.loads(path.read_text())["engine"]["pid"]
        return found

    def test_the_file_is_read_anew(self):
        self.write((2, ""))
        up = self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "no such model")
        self.assertEqual(up.returncode, 0, up.stderr)
        before = self.engines()
        self.assertEqual([*before], [0, 1])
        self.assertIn("no such model", json.dumps([note["message"] for note in self.status()["notes"]]))

        same = self.sextant("reload", "--name", "box", "--anyway", "test", TERM="other")
        self.assertEqual(same.returncode, 0, same.stderr)
        self.assertEqual(self.engines(), before)

        self.write((3, ""))
        # Asked from elsewhere: relative paths begin where the deployment was started all the same.
        more = self.sextant("reload", "--name", "box", "--anyway", "test", cwd="/")
        self.assertNotIn("SX4105", more.stderr)
        self.assertEqual(more.returncode, 0, more.stderr)
        self.assertEqual({number: pid for number, pid in self.engines().items() if number < 2}, before)
        self.assertEqual(len(self.engines()), 3)

        self.file.write_text(self.file.read_text().replace("replicas", "replica"))
        wrong = self.sextant("reload", "--name", "box", "--lang", "en")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean model.replicas?", wrong.stderr)
        self.assertEqual(len(self.engines()), 3)

        self.write((1, ""), (1, ', OTHER = "1"'))
        self.assertEqual(self.sextant("reload", "--name", "box", "--anyway", "test").returncode, 0)
        self.assertEqual(len(self.engines()), 2)
        self.assertEqual(chat(self.port), "")

    def test_several_models_stand_behind_one_address_and_one_of_them_changes(self):
        self.write((1, ""), (2, ""), names=("tiny", "other"))
        up = self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "test")
        self.assertEqual(up.returncode, 0, up.stderr)
        self.assertEqual(sorted(one["model"] for one in self.status()["replicas"]), ["other", "other", "tiny"])
        self.assertEqual((chat(self.port), chat(self.port, model="other")), ("", ""))
        self.assertTrue(chat(self.port, model="third").startswith("404"))
        page = self.sextant("status", "--name", "box", "--lang", "en").stdout
        self.assertRegex(page, r"(?m)^  tiny\n    replica 0 .*\n  other\n    replica 1 ")
        before = self.engines()
        self.write((1, ""), (2, ', OTHER = "1"'), names=("tiny", "other"))
        self.assertEqual(self.sextant("reload", "--name", "box", "--anyway", "test").returncode, 0)
        self.assertEqual(self.engines()[0], before[0])
        self.assertEqual(set(before.values()) & set(self.engines().values()), {before[0]})
        self.assertEqual((chat(self.port), chat(self.port, model="other")), ("", ""))

    def test_a_second_up_of_the_same_name_changes_nothing_of_the_first(self):
        self.write((1, ""))
        self.assertEqual(self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "test").returncode, 0)
        recorded = (self.state / "box/deployment.json").read_text()
        other = self.holder.above / "other.json"
        other.write_text(recorded.replace('"tries":3', '"tries":4'))
        late = self.sextant("daemon", "box", "--deployment", str(other))
        self.assertEqual(late.returncode, 2, late.stderr)
        self.assertEqual((self.state / "box/deployment.json").read_text(), recorded)
        self.assertTrue(other.exists())

    def test_what_was_asked_in_words_is_a_file_to_change(self):
        up = self.sextant("up", "--name", "box", "--port", str(self.port), "--detach", "--wait", "--anyway", "test", "--", "env",
                          f"{MARK}={self.holder.mark}", "FAKE_ENGINE_PLAN=", "FAKE_ENGINE_STAGE_MS=20",
                          "llama-server", "-m", "tiny.gguf", "--alias", "tiny", "--metrics")
        self.assertEqual(up.returncode, 0, up.stderr)
        before = self.engines()
        kept = self.state / "box/sextant.toml"
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        kept.write_text(kept.read_text().replace("[model]", "[model]\nreplicas = 2"))
        changed = self.sextant("reload", "--name", "box", "--anyway", "test")
        self.assertEqual(changed.returncode, 0, changed.stderr)
        self.assertEqual({number: pid for number, pid in self.engines().items() if number == 0}, before)
        self.assertEqual(len(self.engines()), 2)

    def test_a_file_of_keys_that_cannot_be_read_changes_nothing(self):
        keys = self.holder.above / "keys.json"
        self.assertEqual(self.sextant("keys", "add", "alice", "--file", str(keys)).returncode, 0)
        self.write((1, ""), top='key_file = "keys.json"')
        ran = self.sextant("up", str(self.file), "--detach", "--wait", "--anyway", "test")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        before = self.engines()
        self.write((1, ', OTHER = "1"'), top='key_file = "others.json"')
        for language in ("en", "zh"):
            ran = self.sextant("reload", str(self.file), "--name", "box", "--lang", language, "--anyway", "test")
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(str(self.holder.above / "others.json"), ran.stderr)
        self.assertNotIn("reload", self.status())
        self.assertEqual(self.engines(), before)

    def test_config_says_where_each_setting_comes_from(self):
        self.write((2, ""), top="ladder = false")
        told = json.loads(self.sextant("config", "sextant.toml", "--format", "json").stdout)
        rows = {one["key"]: one for one in told["settings"]}
        self.assertEqual((rows["ladder"]["value"], rows["ladder"]["place"]), ("false", "sextant.toml:3"))
        self.assertEqual(rows["restart.tries"], {"key": "restart.tries", "origin": "default", "value": "3"})
        self.assertEqual(rows["model.replicas"]["origin"], "file")
        schema = json.loads(self.sextant("config", "--schema").stdout)
        self.assertEqual(schema["additionalProperties"], False)


@unittest.skipUnless(SERVER.exists(), "there is no llama.cpp server: ./dev setup --engines")
class RealEngine(unittest.TestCase):
    def test_a_real_server_is_replaced_under_traffic(self):
        def launch(port, context):
            words = [str(SERVER), "-m", str(ENGINES / "models/tiny.gguf"), "--alias", "tiny", "--host", HOST, "--port", str(port), "-c",
                     context, "-np", "2", "-t", "1", "-tb", "1", "--poll", "0", "--metrics"]
            environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
            return {"engine": "llamacpp", "words": words, "environment": environment, "folder": "", "host": HOST, "port": port,
                    "model": "tiny", "gpus": [], "cpus": "", "key": ""}
        with Deployment([launch(port, "2048") for port in free_ports(2)]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), (deployment.status(), deployment.said()))
            with Traffic(deployment.port, tokens=40) as traffic:
                self.assertTrue(wait_for(lambda: traffic.done >= 5))
                self.assertEqual(deployment.reload([launch(port, "1024") for port in free_ports(2)])[0], 202)
                self.assertEqual(deployment.wait_reloaded(), {"good": True, "cause": ""}, deployment.events())
                done = traffic.done
                self.assertTrue(wait_for(lambda: traffic.done >= done + 5))
            self.assertEqual(traffic.wrong, [])
            self.assertEqual(len(deployment.processes_of_engines()), 2)
            self.assertEqual(deployment.down(), 0, deployment.said())


if __name__ == "__main__":
    unittest.main()
