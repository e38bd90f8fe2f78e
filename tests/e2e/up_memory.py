#!/usr/bin/env python3
"""What is remembered from one start to the next: layouts that failed, how long starts take, and whose memory is still held."""
import http.client
import json
import os
import pathlib
import signal
import time
import unittest

from deployments import Deployment, fake_launch, free_ports, listens, wait_for

DRIVERS = os.environ.get("SEXTANT_FAKE_NVML", "build/dev/fake_nvml")
HANGS = "signal@capture=6 log=nccl-watchdog"   # a cause that another layout may not have


def layouts(big_plan, small_plan=""):
    big = [fake_launch("vllm", port, plan=big_plan, gpus=[0, 1, 2, 3]) for port in free_ports(1)]
    small = [fake_launch("vllm", port, plan=small_plan, gpus=[0, 1]) for port in free_ports(1)]
    return [("TP4", big), ("TP2", small)]


def notes(deployment, name=None):
    return [one for one in deployment.status().get("notes", []) if name in (None, one["name"])]


def today():
    return time.strftime("%Y-%m-%d", time.gmtime())


class KnownBad(unittest.TestCase):
    """A layout that always fails at TP4 ends on TP2 in at most three tries, and next time starts there."""

    def test_next_time_starts_where_this_one_ended(self):
        with Deployment(layouts=layouts(HANGS), tries=3) as deployment:
            days = {today()}
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            days.add(today())   # it may be midnight
            self.assertEqual(deployment.status()["layout"], "TP2")
            self.assertEqual([to for _, to, _ in deployment.events(0)].count("failed"), 3)
            self.assertEqual(notes(deployment, "layout-known-bad"), [])
            self.assertEqual(deployment.down(), 0)
            # Down and up again: not a daemon that takes over, but a new start.
            before = starts_ever(deployment)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.status()["layout"], "TP2")
            self.assertEqual(starts_ever(deployment), before + 1)
            told = notes(deployment, "layout-known-bad")
            self.assertEqual(len(told), 1)
            self.assertTrue(any("TP4 is left out: it failed here on " + day in told[0]["message"] for day in days), told)
            self.assertIn("--retry-known-bad", told[0]["message"])
            self.assertIn("跳过 TP4", told[0]["message_zh"])
            self.assertEqual(deployment.down(), 0)
            # And when somebody wants it tried again.
            deployment.flags = ["--retry-known-bad"]
            deployment.begin()
            self.assertTrue(wait_for(lambda: deployment.status().get("layout") == "TP4"))
            self.assertEqual(notes(deployment, "layout-known-bad"), [])

    def test_a_change_of_the_launch_is_another_launch(self):
        with Deployment(layouts=layouts("crash@load code=1 log=oom-weights times=1")) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.status()["layout"], "TP2")
            self.assertEqual(deployment.down(), 0)
            deployment.document["layouts"][0]["replicas"][0]["words"] += ["--max-model-len", "4096"]
            (deployment.state / "deployment.json").write_text(json.dumps(deployment.document))
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.status()["layout"], "TP4")
            self.assertEqual(notes(deployment, "layout-known-bad"), [])

    def test_what_a_person_mends_is_tried_again(self):
        plan = "crash@load code=1 log=truncated times=1"
        with Deployment([fake_launch("llamacpp", free_ports(1)[0], plan=plan)]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("given-up"), deployment.status())
            self.assertEqual(deployment.down(), 0)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.status())

    def test_it_steps_down_past_what_is_known_bad(self):
        three = layouts(HANGS, HANGS)
        three.append(("TP1", [fake_launch("vllm", free_ports(1)[0], gpus=[0])]))
        with Deployment(layouts=three, tries=1) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.down(), 0)
            # Only the first is forgotten: its launch has changed.
            deployment.document["layouts"][0]["replicas"][0]["words"] += ["--max-model-len", "4096"]
            (deployment.state / "deployment.json").write_text(json.dumps(deployment.document))
            before = starts_ever(deployment)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(deployment.status()["layout"], "TP1")
            self.assertEqual(starts_ever(deployment), before + 2)  # TP4 once more, then TP1


def starts_ever(deployment):
    """Of engines, by the journal."""
    import sqlite3
    with sqlite3.connect(f"file:{deployment.state}/journal.db?mode=ro", uri=True) as journal:
        return journal.execute("SELECT COUNT(*) FROM transition_log WHERE went_to='starting'").fetchone()[0]


class Ladder(unittest.TestCase):
    def climb(self, plans, **more):
        """A deployment of TP4 with rungs of one and two GPUs, each with its plan of failure."""
        launches = [fake_launch("vllm", port, plan=plan, gpus=[*range(count)], **more)
                    for port, plan, count in zip(free_ports(3), plans, (1, 2, 4))]
        deployment = Deployment(layouts=[("TP4", [launches[2]])], tries=1)
        for label, launch, proves in (("TP1", launches[0], "files, tokenizer, code path"),
                                      ("TP2", launches[1], "peer communication")):
            launch["words"][0] = launches[2]["words"][0]
            launch["environment"]["SEXTANT_TEST"] = deployment.mark
            deployment.document["rungs"].append({"label": label, "proves": proves, "replicas": [launch]})
        (deployment.state / "deployment.json").write_text(json.dumps(deployment.document))
        return deployment

    def test_each_rung_is_proven_then_the_layout_and_next_time_none(self):
        with self.climb(("", "", "")) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            ladder = deployment.status()["ladder"]
            self.assertEqual([(one["layout"], one["worked"]) for one in ladder["tried"]],
                             [("TP1", True), ("TP2", True), ("TP4", True)])
            self.assertEqual(ladder["tried"][0]["proves"], "files, tokenizer, code path")
            self.assertNotIn("verdict", ladder)
            self.assertEqual(deployment.down(), 0)
            before = starts_ever(deployment)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(starts_ever(deployment), before + 1)
            self.assertEqual(deployment.down(), 0)
            deployment.flags = ["--ladder"]   # unless it is wanted
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.events())
            self.assertEqual(starts_ever(deployment), before + 4)

    def verdict(self, plans):
        with self.climb(plans) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("given-up"), deployment.status())
            ladder = deployment.status()["ladder"]
            self.assertEqual([one["message"] for one in notes(deployment, "ladder-verdict")], [ladder["verdict"]])
            self.assertTrue(ladder["verdict_zh"])
            return [one["layout"] for one in ladder["tried"] if one["worked"]], ladder["verdict"]

    def test_two_work_and_four_fail_in_communication(self):
        worked, words = self.verdict(("", "", HANGS))
        self.assertEqual(worked, ["TP1", "TP2"])
        self.assertIn("TP2 works, TP4 fails in communication: it is the links", words)

    def test_one_works_and_two_run_out_of_memory(self):
        worked, words = self.verdict(("", "crash@capture code=1 log=oom-graph", ""))
        self.assertEqual(worked, ["TP1"])
        self.assertIn("TP1 works, TP2 runs out of memory", words)

    def test_what_fails_on_one_gpu_is_not_the_links(self):
        worked, words = self.verdict(("crash@load code=1 log=engine-dead", "", ""))
        self.assertEqual(worked, [])
        self.assertIn("it is not the links", words)


class Estimate(unittest.TestCase):
    def test_the_second_start_knows_how_long_the_first_one_took(self):
        plan = "gate@start; gate@load; gate@capture"
        with Deployment([fake_launch("vllm", free_ports(1)[0], plan=plan, stage_ms=500, gpus=[0])]) as deployment:
            gates = ("start", "load", "capture")
            deployment.begin()
            for gate in gates:
                deployment.open_gate(gate)
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            self.assertNotIn("progress", deployment.replica())
            for gate in gates:
                deployment.gate(gate).unlink()
            seen = []

            def again(asked=lambda replica: True):
                replica = deployment.replica()
                starts = replica.get("state") == "starting" and replica.get("start") == 2 and "progress" in replica
                if starts:
                    seen.append((replica["progress"], replica["left_ms"]))
                return starts and asked(replica)
            self.assertEqual(deployment.ask("/v1/replicas/0/restart", "POST")[0], 202)
            # It is held in three of its stages until it has been looked at there.
            self.assertTrue(wait_for(again), deployment.events())
            deployment.open_gate("start")
            # The engine's own bar, of the stage, stands at its end by then.
            self.assertTrue(wait_for(lambda: again(lambda one: one.get("stage") == "load" and one.get("percent") == 100)), deployment.status())
            deployment.open_gate("load")
            self.assertTrue(wait_for(lambda: again(lambda one: one.get("stage") == "sampler")), deployment.status())
            deployment.open_gate("capture")
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.events())
            self.assertEqual([one for one, _ in seen], sorted(one for one, _ in seen))
            self.assertGreater(seen[-1][0], seen[0][0])
            self.assertLess(seen[-1][1], seen[0][1])
            self.assertTrue(all(0 <= percent <= 99 and left >= 0 for percent, left in seen))
            self.assertNotIn("progress", deployment.replica())


class GpuMemory(unittest.TestCase):
    """With a driver that says who holds what: the file is the truth."""

    def deployment(self, **more):
        launch = fake_launch("llamacpp", free_ports(1)[0], gpus=[1], **more)
        deployment = Deployment([launch])
        (deployment.above / "tiny").write_text("")   # its model: `check` asks for it before a launch moves
        launch["folder"] = str(deployment.above)
        deployment.write()
        self.held = deployment.above / "held"
        self.held.write_text("0 4242 9000\n")   # of somebody else, on another card
        deployment.variables = {"LD_LIBRARY_PATH": os.path.join(os.path.abspath(DRIVERS), "held"), "FAKE_NVML_HELD": str(self.held)}
        return deployment

    def dies(self, deployment):
        engine = deployment.engine()
        self.held.write_text(f"0 4242 9000\n1 {engine} 30000\n")
        os.kill(engine, signal.SIGKILL)
        self.assertTrue(deployment.wait_replica(0, "failed"))

    def test_the_next_start_waits_until_the_memory_is_free(self):
        with self.deployment() as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            self.dies(deployment)
            time.sleep(3)
            self.assertEqual(deployment.replica()["state"], "failed")
            self.assertEqual(deployment.replica()["start"], 1)
            self.held.write_text("0 4242 9000\n")
            self.assertTrue(deployment.wait_replica(0, "ready", start=2))
            for name in ("gpu-memory-held", "gpu-memory-unknown"):
                self.assertEqual(notes(deployment, name), [])

    def test_who_holds_it_for_too_long_is_named_and_left_alone(self):
        with self.deployment() as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            engine = deployment.engine()
            stranger = os.getpid()
            self.held.write_text(f"1 {stranger} 30000\n")
            os.kill(engine, signal.SIGKILL)
            self.assertTrue(deployment.wait_replica(0, "ready", start=2, seconds=90))
            told = notes(deployment, "gpu-memory-held")
            self.assertEqual(len(told), 1)
            self.assertIn(f"process {stranger} (", told[0]["message"])
            self.assertIn("GPU 1 still holds 29.3 GiB more than before", told[0]["message"])
            self.assertIn("GPU 1 仍", told[0]["message_zh"])
            self.assertEqual(told[0]["replica"], 0)

    def test_a_replica_whose_card_is_lost_moves_to_one_that_is_free(self):
        with self.deployment(any_gpus=True) as deployment:
            lost = deployment.above / "lost"
            lost.write_text("")
            deployment.variables["FAKE_NVML_LOST"] = str(lost)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            lost.write_text("1\n")
            os.kill(deployment.engine(), signal.SIGKILL)
            self.assertTrue(wait_for(lambda: deployment.replica().get("gpus") == [2] and deployment.replica()["state"] == "ready"),
                            (deployment.status(), deployment.events()))
            told = notes(deployment, "moved")
            self.assertEqual([one["message"] for one in told], ["replica 0 moves from GPU 1 to GPU 2: the driver no longer reaches GPU 1"])
            self.assertIn("副本 0 从 GPU 1 移到 GPU 2", told[0]["message_zh"])
            self.assertEqual(notes(deployment, "reloaded"), [])
            engine = deployment.engine()
            self.assertIn(b"CUDA_VISIBLE_DEVICES=2\0", pathlib.Path(f"/proc/{engine}/environ").read_bytes())
            # A daemon that comes back knows where it is.
            deployment.kill_daemon()
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            self.assertEqual((deployment.replica()["gpus"], deployment.engine()), ([2], engine))

    def test_where_no_other_card_is_free_it_is_tried_where_it_was(self):
        with self.deployment(any_gpus=True) as deployment:
            lost = deployment.above / "lost"
            lost.write_text("")
            self.held.write_text("0 4242 9000\n2 4242 9000\n3 4242 9000\n")
            deployment.variables["FAKE_NVML_LOST"] = str(lost)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            lost.write_text("1\n")
            os.kill(deployment.engine(), signal.SIGKILL)
            self.assertTrue(deployment.wait_replica(0, "ready", start=2), deployment.events())
            self.assertEqual(deployment.replica()["gpus"], [1])
            self.assertEqual(len(notes(deployment, "cards-lost")), 1)
            self.assertIn("the driver no longer reaches GPU 1; no other GPUs", notes(deployment, "cards-lost")[0]["message"])

    def test_down_does_not_wait_for_it(self):
        with self.deployment() as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            self.dies(deployment)
            self.assertEqual(deployment.down(25), 0)  # the memory is held for longer

    def test_where_no_driver_answers_that_is_said_and_nothing_waits(self):
        with Deployment([fake_launch("llamacpp", free_ports(1)[0], gpus=[1])]) as deployment:
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            os.kill(deployment.engine(), signal.SIGKILL)
            self.assertTrue(deployment.wait_replica(0, "ready", start=2))
            self.assertIn("GPU 1 is free again is not known", notes(deployment, "gpu-memory-unknown")[0]["message"])


class Damage(unittest.TestCase):
    def test_a_damaged_journal_is_set_aside_and_that_is_said(self):
        with Deployment([fake_launch("llamacpp", free_ports(1)[0])]) as deployment:
            (deployment.state / "journal.db").write_bytes(b"no database at all\n" * 500)
            deployment.begin()
            self.assertTrue(deployment.wait_state("serving"), deployment.said())
            told = notes(deployment, "journal-damaged")
            self.assertEqual(len(told), 1)
            self.assertIn("journal.db.damaged", told[0]["message"])
            self.assertTrue((deployment.state / "journal.db.damaged").exists())
            self.assertTrue((deployment.state / "journal.db-wal").exists())   # written ahead


if __name__ == "__main__":
    unittest.main()
