"""Every answer of `sextant diagnose` is what the schema file promises: all recorded logs, and one of each thing that may
stand beside a log."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

SEXTANT = os.environ["SEXTANT"]
HERE = pathlib.Path(__file__).resolve().parent
LOGS = sorted((HERE.parent / "logs").glob("*.log"))
SCENES = sorted((HERE.parent.parent / "data" / "causes" / "scenes").glob("*/*.md"))
COMMAND = ["--", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--tensor-parallel-size", "2"]
NCCL = "".join(f"gpu01:70{rank}:99 [{rank}] NCCL INFO comm 0xa{rank} rank {rank} nranks 4 cudaDev {rank} busId {rank}b000 "
               "commId 0x77 - Init START\n" for rank in (0, 1, 3))
KERNEL = ("[ 12.345678] NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus.\n"
          "[ 13.0] Out of memory: Killed process 42 (python3) total-vm:1kB, anon-rss:1kB\n")
WATCHDOG = ("[rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88, "
            "OpType=ALLREDUCE, NumelIn=512, NumelOut=512, Timeout(ms)=600000) ran for 600052 milliseconds before timing out.\n")
STACK = ("Process 801: VLLM::Worker_TP1\nPython v3.12.3 (/usr/bin/python3)\n\nThread 801 (active): \"MainThread\"\n"
         "    apply (vllm/model_executor/layers/linear.py:240)\n        Locals:\n            num_tokens: 8192\n\n")


def dump(entries, last):
    return json.dumps({"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
                       "pg_status": {"0": {"last_enqueued_collective": last, "last_completed_collective": 1}},
                       "entries": entries})


def call(sequence, state):
    return {"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": sequence, "profiling_name": "nccl:all_reduce",
            "input_sizes": [[16, 4096]], "input_dtypes": ["BFloat16"], "state": state, "is_p2p": False}


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((HERE / "schemas" / "sextant.diagnose-1.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        cls.validator = jsonschema.Draft7Validator(schema)

    def answer(self, *words, text=None):
        done = subprocess.run([SEXTANT, "diagnose", "--format", "json", *map(str, words)], capture_output=True, text=True,
                              input=text, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        said = json.loads(done.stdout)
        wrong = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in self.validator.iter_errors(said)]
        self.assertEqual(wrong, [])
        return said

    def test_the_schema_refuses_what_is_none(self):
        good = self.answer("-", text="words\n")
        for change in ({"schema": "sextant.diagnose/2"}, {"healthy": 1}, {"phase": "x"}, {"unheard": 1},
                       {"causes": [{"name": "x"}]}):
            self.assertFalse(self.validator.is_valid({**good, **change}), change)

    def test_all_recorded_logs(self):
        self.assertGreater(len(LOGS), 30)
        for path in LOGS:
            with self.subTest(path.name):
                self.answer(path)
                self.answer("--all", path, *COMMAND)

    def test_logs_of_the_scenes(self):
        for path in SCENES[::5]:
            blocks = path.read_text(encoding="utf-8").split("```log")[1:]
            for block in blocks:
                with self.subTest(path.name):
                    self.answer("-", text=block.split("\n", 1)[1].split("```")[0])

    def test_what_stands_beside_a_log(self):
        said = self.answer("-", text=NCCL + KERNEL + WATCHDOG + STACK)
        for key in ("nccl", "kernel", "collectives", "stacks", "beside"):
            self.assertIn(key, said)
        self.assertEqual(said["stacks"][0]["values"], {"num_tokens": "8192"})
        self.assertNotIn("--locals", json.dumps(said))

    def test_sizes_that_no_stack_tells_are_said_to_be_missing(self):
        said = self.answer("-", text=STACK.split("        Locals")[0])
        self.assertEqual(said["stacks"][0]["values"], {})
        self.assertEqual([note["command"] for note in said["beside"] if "command" in note],
                         ["py-spy dump --locals --pid 801"])

    def test_dumps_of_the_flight_recorder(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [pathlib.Path(folder, f"nccl_trace_rank_{rank}.json") for rank in (0, 1)]
            names[0].write_text(dump([call(1, "completed"), call(2, "scheduled")], 2))
            names[1].write_text(dump([call(1, "completed")], 1))
            pickled = pathlib.Path(folder, "nccl_trace_rank_2")
            pickled.write_bytes(b"\x80\x02}q\x00(X\x07\x00\x00\x00versionq\x01X\x09\x00\x00\x00pg_configq\x02u.")
            said = self.answer(*names, pickled)
            self.assertEqual(said["causes"][0]["name"], "rank-behind")
            self.assertEqual(said["causes"][0]["ranks"], [1])
            group = said["flight_recorder"]["groups"][0]
            self.assertEqual((group["sequence"], group["waiting"][0]["sizes"], group["behind"][0]["last"]),
                             (2, "[16, 4096]", 1))
            self.assertEqual(said["flight_recorder"]["unread"], [str(pickled)])

    def test_several_causes_and_none(self):
        port = "OSError: [Errno 98] Address already in use\n"
        start = "INFO 11-29 18:12:29 [api_server.py:1] vLLM API server version 0.9.1\nStarting to load model x...\n"
        said = self.answer("-", text=start + "ValueError: Unknown quantization method: x.\n" + start + port)
        self.assertEqual([(c["name"], c["earlier"]) for c in said["causes"]],
                         [("port-in-use", False), ("quant-unknown", True)])
        said = self.answer("-", *COMMAND, text=start)
        self.assertEqual(said["causes"], [])
        self.assertIn("Model loading took", said["next"]["next"])
        self.assertIn("vllm serve", said["next"]["again"])
        self.assertTrue(any("dmesg" in one["command"] for one in said["next"]["collect"]))


if __name__ == "__main__":
    unittest.main()
