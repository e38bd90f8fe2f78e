#!/usr/bin/env python3
"""What a deployment file can say beside models and replicas: a container image, a command with places, keys, and what of a command
is not run. Engines are stand-ins in PATH, docker too."""
import http.client
import json
import os
import pathlib
import signal
import unittest

import up_reload
from deployments import HOST, MARK, alive, wait_for
from traffic import chat

DOCKER = pathlib.Path(__file__).resolve().parents[1] / "fake_engine/docker.py"
IMAGE = "ghcr.io/ggml-org/llama.cpp:server"
KEY = "a-key-of-more-than-16"


def text_of(path):
    """Of a file in the folder of a deployment that runs: records are written anew there, so one that was listed may be gone."""
    try:
        return path.read_text(errors="replace") if path.is_file() else ""
    except FileNotFoundError:
        return ""


def others_may_read(path):
    try:
        return bool(path.stat().st_mode & 0o077)
    except FileNotFoundError:
        return False


def models(port, key=""):
    connection = http.client.HTTPConnection(HOST, port, timeout=20)
    try:
        connection.request("GET", "/v1/models", headers={"Authorization": "Bearer " + key} if key else {})
        return connection.getresponse().status
    finally:
        connection.close()


class File(unittest.TestCase):
    setUp, sextant = up_reload.File.setUp, up_reload.File.sextant
    status, engines = up_reload.File.status, up_reload.File.engines

    def write(self, model, top="", **variables):
        variables = {MARK: self.holder.mark, "FAKE_ENGINE_PLAN": "", "FAKE_ENGINE_STAGE_MS": "20", **variables}
        listed = ", ".join(f'{name} = "{value}"' for name, value in variables.items())
        self.file.write_text(f'name = "box"\nlisten = "{HOST}:{self.port}"\nladder = false\n{top}\n[model]\n{model}\nenvironment = {{ {listed} }}\n')

    def up(self, *words, **more):
        return self.sextant("up", "sextant.toml", "--detach", "--wait", "--anyway", "no such model", *words, **more)


class Again(File):
    def test_up_after_the_daemon_was_killed_takes_over_what_runs(self):
        self.write('command = ["llama-server", "-m", "tiny.gguf", "--alias", "tiny", "--metrics"]\nreplicas = 2')
        self.assertEqual(self.up().returncode, 0)
        before, daemon = self.engines(), self.status()["daemon"]
        os.kill(daemon, signal.SIGKILL)
        self.assertTrue(wait_for(lambda: not alive(daemon), 10))
        up = self.up()
        self.assertEqual(up.returncode, 0, up.stderr)
        self.assertEqual(self.engines(), before)
        self.assertNotEqual(self.status()["daemon"], daemon)
        self.assertEqual(chat(self.port), "")
        # What is asked for otherwise is started anew.
        os.kill(self.status()["daemon"], signal.SIGKILL)
        self.write('command = ["llama-server", "-m", "tiny.gguf", "--alias", "tiny", "--metrics", "--slots"]\nreplicas = 2')
        self.assertTrue(wait_for(lambda: self.status().get("state") == "daemon-gone", 10))
        self.assertEqual(self.up().returncode, 0)
        self.assertTrue(wait_for(lambda: not any(alive(pid) for pid in before.values()), 20))
        self.assertEqual(chat(self.port), "")


class Image(File):
    def test_a_model_runs_in_its_image_and_leaves_nothing(self):
        home = self.holder.above / "docker"
        home.mkdir()
        (self.bin / "docker").symlink_to(DOCKER)
        self.write(f'id = "tiny.gguf"\ncommand = ["llama-server", "-m", "{{model}}", "--alias", "box-{{replica}}", "--metrics", "--port={{port}}"]\n'
                   f'replicas = 2\nimage = "{IMAGE}"\nshm_gib = 2', STAND_IN_DOCKER=home, STAND_IN_ENGINE=self.bin / "llama-server")
        up = self.up(HF_TOKEN="hf_secret")
        self.assertEqual(up.returncode, 0, (up.stdout, up.stderr))
        pids = [int(path.read_text()) for path in home.glob("*.pid")]
        self.assertEqual(len(pids), 2)
        self.assertEqual((chat(self.port, model="box-0"), chat(self.port, model="box-1")), ("", ""))
        asked = (home / "asked.txt").read_text()
        self.assertEqual(asked.count("run --shm-size 2g --workdir"), 2)
        self.assertIn(f"--volume {self.holder.above}:{self.holder.above}:ro ", asked)
        self.assertIn(f" {IMAGE} -m tiny.gguf --alias box-1 --metrics --port=", asked)
        self.assertIn("--env HF_TOKEN --", asked)
        self.assertNotIn("hf_secret", asked)  # everybody may read a command line
        self.assertEqual(self.sextant("down", "--name", "box").returncode, 0)
        self.assertEqual([*home.glob("*.pid")], [])
        self.assertTrue(wait_for(lambda: not any(alive(pid) for pid in pids), 10))

    def test_a_command_that_is_a_container_takes_no_image(self):
        self.write(f'command = "docker run {IMAGE} -m tiny.gguf"\nimage = "{IMAGE}"')
        up = self.up()
        self.assertEqual(up.returncode, 2)
        self.assertIn("the command starts a container itself", up.stderr)


class Command(File):
    def test_what_follows_a_launch_is_named(self):
        self.write('command = "llama-server -m tiny.gguf --alias tiny --metrics 2>&1 | tee engine.log"')
        up = self.up()
        self.assertEqual(up.returncode, 0, up.stderr)
        self.assertIn("warning: left out: 2>&1 | tee engine.log;", up.stderr)
        self.assertFalse((self.holder.above / "engine.log").exists())

    def test_what_would_have_to_run_before_it_is_refused(self):
        self.write('command = "cd models && llama-server -m tiny.gguf"')
        up = self.up()
        self.assertEqual(up.returncode, 2)
        self.assertIn("this would not be run: cd models &&;", up.stderr)
        self.assertIn("这部分不会执行：cd models &&；", self.up("--lang", "zh").stderr)
        self.assertFalse((self.state / "box").exists())


class Keys(File):
    MODEL = 'command = ["llama-server", "-m", "tiny.gguf", "--alias", "tiny", "--metrics"]'

    def test_keys_in_variables_and_in_the_file_are_asked_for(self):
        self.write(self.MODEL, top=f'keys = {{ alice = "{KEY}", bob = "$BOB_KEY" }}')
        unset = self.up()
        self.assertEqual(unset.returncode, 2)
        self.assertIn("the key of bob: there is no variable BOB_KEY", unset.stderr)
        bob = "another-key-from-outside"
        up = self.up(BOB_KEY=bob)
        self.assertEqual(up.returncode, 0, up.stderr)
        warnings = [line for line in up.stderr.splitlines() if line.startswith("warning: sextant.toml:4: ")]
        self.assertEqual(len(warnings), 1, up.stderr)
        self.assertIn("the key of alice stands in the file itself", warnings[0])
        self.assertEqual([models(self.port, key) for key in ("", "no-such-key-anywhere", KEY, bob)], [401, 401, 200, 200])
        # Neither what was said nor what lies in the folder holds one.
        kept = "".join(text_of(path) for path in (self.state / "box").glob("*.*"))
        shown = self.sextant("config", "sextant.toml", "--origin")
        # The deployment's name leads to the file that it was started from.
        named = self.sextant("config", "--name", "box", "--origin")
        self.assertEqual((named.returncode, named.stdout.replace(str(self.file), "sextant.toml")), (0, shown.stdout), named.stderr)
        for key in (KEY, bob):
            self.assertNotIn(key, up.stdout + up.stderr + kept + shown.stdout + shown.stderr)
        # One that is taken out of the file lets nobody in after a reload.
        self.write(self.MODEL, top='keys = { bob = "$BOB_KEY" }')
        reload = self.sextant("reload", "--name", "box", "--anyway", "test", BOB_KEY=bob)
        self.assertEqual(reload.returncode, 0, reload.stderr)
        self.assertTrue(wait_for(lambda: models(self.port, KEY) == 401, 10))
        self.assertEqual(models(self.port, bob), 200)


class EngineKeys(File):
    """Engines that ask for keys of their own: whoever asks them on our behalf has the one of their launch."""
    HELD = {"flag": "sk-of-the-flag-0001", "variable": "sk-of-the-variable-0002", "file": "sk-of-the-file-0003"}

    def written(self, **extra):
        self.write("", **extra)
        head = self.file.read_text().split("[model]")[0]
        environment = self.file.read_text().rsplit("environment", 1)[1]
        models = ""
        for name, words in (("flag", f', "--api-key", "{self.HELD["flag"]}"'), ("variable", ""), ("file", ', "--api-key-file", "keys.txt"')):
            held = environment.replace(" }", f', LLAMA_API_KEY = "{self.HELD[name]}" }}') if name == "variable" else environment
            models += f'[[model]]\ncommand = ["llama-server", "-m", "tiny.gguf", "--alias", "{name}", "--metrics"{words}]\nenvironment{held}\n'
        self.file.write_text(head + models)

    def test_they_are_proven_asked_and_counted_with_it_and_nobody_is_shown_it(self):
        self.written()
        (self.holder.above / "keys.txt").write_text(self.HELD["file"] + "\n")
        up = self.up()  # each has answered a request of ours
        self.assertEqual(up.returncode, 0, up.stderr)
        for name in self.HELD:
            self.assertEqual(chat(self.port, model=name), "", name)
        smoke = self.sextant("smoke", "--name", "box")
        self.assertEqual(smoke.returncode, 0, smoke.stdout + smoke.stderr)
        shown = up.stdout + up.stderr + smoke.stdout + smoke.stderr
        for words in (("status",), ("status", "--format", "json"), ("logs", "-n", "200"), ("config", "sextant.toml", "--origin"), ("config", "sextant.toml", "--format", "json")):
            told = self.sextant(*words, "--name", "box")
            shown += told.stdout + told.stderr
        kept = [*(self.state / "box").rglob("*")]
        self.assertEqual([path for path in kept if any(key in text_of(path) for key in self.HELD.values()) and others_may_read(path)], [])
        shown += "".join(text_of(path) for path in kept if path.suffix in (".log", ".sqlite", ".db"))
        for name, key in self.HELD.items():
            self.assertNotIn(key, shown, name)

    def test_a_file_of_keys_that_is_not_there_is_said_before_anything_starts(self):
        self.written()
        up = self.up()
        self.assertEqual(up.returncode, 2)
        self.assertIn("the engine asks for a key of keys.txt (--api-key-file)", up.stderr)
        self.assertEqual(self.engines(), {})


class Settings(File):
    def rows(self, *words):
        told = self.sextant("config", "sextant.toml", "--format", "json", *words)
        self.assertEqual(told.returncode, 0, told.stderr)
        return {row["key"]: row for row in json.loads(told.stdout)["settings"]}

    def known(self):
        schema = json.loads(self.sextant("config", "--schema").stdout)
        names = set()
        for name, value in schema["properties"].items():
            below = value["anyOf"][0] if name == "model" else value
            names |= {f"{name}.{key}" for key in below["properties"]} if "properties" in below else {name}
        return names

    def test_every_setting_is_listed_with_where_it_comes_from(self):
        self.write(f'id = "org/m"\nimage = "{IMAGE}"')
        planned = self.rows()
        self.assertEqual(self.known() - set(planned), {"model.command", "model.venv"})  # they would say nothing
        self.assertEqual(planned["gateway.total_s"]["origin"], "default")
        self.assertEqual((planned["gateway.queue"]["value"], planned["gateway.queue"]["origin"]), ("1000", "default"))
        self.assertEqual((planned["model.image"]["place"], planned["model.version"]["origin"]), ("sextant.toml:7", "image"))
        self.write('command = ["llama-server", "-m", "tiny.gguf"]')
        left = self.known() - set(self.rows())
        self.assertIn("model.mounts", left)
        self.assertIn("model.layout", left)
        self.assertNotIn("model.image", left)
        text = self.sextant("config", "sextant.toml", "--origin", "--lang", "zh").stdout
        self.assertRegex(text, r"(?m)^model\.image +不用容器 +内置默认值$")
        self.assertRegex(text, r"(?m)^key_file +不要求密钥 +内置默认值$")
        self.assertRegex(text, r"(?m)^gateway\.total_s +不限 +内置默认值$")
        self.assertNotIn("未设置", text)


if __name__ == "__main__":
    unittest.main()
