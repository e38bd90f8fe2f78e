#!/usr/bin/env python3
"""`sextant inspect`: what a checkpoint is, every way in which its files break, sums, what each GPU holds."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from checkpoints import bytes_of, gguf, hub_cache, qwen2, sha256, write
from terminal import PROGRAM, environment, in_terminal, run


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.model = self.folder / "tiny"
        self.config, self.tensors = qwen2()
        self.names = write(self.model, self.config, self.tensors)

    def inspect(self, *words, model=None, code=0, **variables):
        got, out, err = run("inspect", "--format", "json", *words, str(model or self.model), **variables)
        self.assertEqual(got, code, out + err)
        return json.loads(out)

    def states(self, answer):
        return {file["path"]: file["state"] for file in answer["files"]}


class Whole(Folder):
    def test_facts_tensors_and_files(self):
        answer = self.inspect()
        model = answer["model"]
        self.assertEqual(answer["schema"], "sextant.inspect/1")
        self.assertEqual(model["layers"], {"value": 2, "origin": "config"})
        self.assertEqual(model["attention_heads"]["value"], 4)
        self.assertEqual(model["dtype"]["value"], "bfloat16")
        elements = sum(bytes_of(*tensor) // 2 for tensor in self.tensors.values())
        self.assertEqual(model["parameters"], {"value": elements, "origin": "header"})
        self.assertEqual(answer["tensors"]["count"], len(self.tensors))
        self.assertEqual(answer["tensors"]["bytes_by_dtype"], {"BF16": 2 * elements})
        self.assertEqual(answer["tensors"]["bytes_by_part"]["head"], 320 * 64 * 2)
        self.assertEqual(self.states(answer), {name: "ok" for name in self.names})
        self.assertFalse(answer["damaged"])
        self.assertEqual(answer["commands"], [])

    def test_splits_name_the_first_rule(self):
        splits = {row["tp"]: row for row in self.inspect()["splits"]}
        self.assertEqual(sorted(splits), list(range(1, 17)))
        self.assertEqual([tp for tp in splits if splits[tp]["ok"]], [1, 2, 4])
        self.assertEqual(splits[3]["code"], "SX2103")
        self.assertEqual(splits[3]["name"], "tp-heads-indivisible")
        self.assertIn("4 attention heads", splits[3]["why"])

    def test_per_rank_sums_to_the_checkpoint(self):
        answer = self.inspect("--tp", "2", "--pp", "2")
        ranks = answer["per_rank"]
        self.assertEqual([(r["gpu"], r["stage"], r["rank"], r["layers"]) for r in ranks],
                         [(0, 0, 0, 1), (1, 0, 1, 1), (2, 1, 0, 1), (3, 1, 1, 1)])
        total = answer["tensors"]["bytes"]
        held = sum(rank["weights_bytes"] for rank in ranks)
        twice = sum(rank["replicated_bytes"] for rank in ranks) // 2
        self.assertGreaterEqual(held, total)
        self.assertLess(held - twice - total, 4 * 64 * 1024)  # rounding of the allocator, rope tables

    def test_a_size_that_does_not_split_is_said(self):
        answer = self.inspect("--tp", "3")
        self.assertEqual(answer["per_rank"], [])
        self.assertIn("3 GPUs", answer["per_rank_why"])

    def test_a_model_of_the_catalogue_has_no_files(self):
        answer = self.inspect("--tp", "2", "--pp", "3", model="Qwen/Qwen2.5-72B-Instruct")
        self.assertEqual(answer["files"], [])
        self.assertEqual([rank["layers"] for rank in answer["per_rank"]], [27, 27, 27, 27, 26, 26])

    def test_text_in_both_languages(self):
        code, out, err = run("inspect", "--why", str(self.model))
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"layers +2 +config")
        self.assertIn("Tensor-parallel sizes up to 16 (vLLM", out)
        code, out, _ = run("inspect", "--lang", "zh", str(self.model))
        self.assertEqual(code, 0)
        self.assertRegex(out, r"层数 +2")
        self.assertIn("完整", out)


class Broken(Folder):
    def test_truncated(self):
        file = self.model / self.names[1]
        os.truncate(file, file.stat().st_size - 1000)
        answer = self.inspect(code=1)
        self.assertEqual(self.states(answer)[self.names[1]], "truncated")
        self.assertEqual(answer["commands"],
                         [f"hf download ORGANISATION/NAME {self.names[1]} --local-dir {self.model} --force-download"])

    def test_missing_and_extra(self):
        os.rename(self.model / self.names[0], self.model / "model-00009-of-00009.safetensors")
        answer = self.inspect(code=1)
        self.assertEqual(self.states(answer), {self.names[0]: "missing", self.names[1]: "ok",
                                               "model-00009-of-00009.safetensors": "extra"})
        self.assertEqual(answer["commands"], [f"hf download ORGANISATION/NAME --local-dir {self.model}"])

    def test_the_same_weights_in_another_format(self):
        for name in ("consolidated.safetensors", "pytorch_model.bin"):
            (self.model / name).write_bytes(b"x" * (2 << 20))
        (self.model / "training_args.bin").write_bytes(b"x" * 5000)
        answer = self.inspect()
        self.assertEqual({path for path, state in self.states(answer).items() if state == "extra"},
                         {"consolidated.safetensors", "pytorch_model.bin"})

    def test_pointer_in_a_clone(self):
        (self.model / ".git").mkdir()
        (self.model / ".git" / "config").write_text('[remote "origin"]\n\turl = https://huggingface.co/Qwen/Qwen2-7B\n')
        (self.model / self.names[0]).write_text(
            "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 4000000000\n")
        answer = self.inspect(code=1)
        self.assertEqual(self.states(answer)[self.names[0]], "pointer")
        self.assertEqual(answer["commands"], [f"git -C {self.model} lfs pull --include {self.names[0]}"])

    def test_damaged_header_web_page_and_unreadable(self):
        (self.model / self.names[0]).write_bytes(b"\xff" * 4096)
        (self.model / self.names[1]).write_text("<!DOCTYPE html><html>login</html>")
        self.assertEqual(set(self.states(self.inspect(code=1)).values()), {"damaged"})

    def test_index_that_lies(self):
        path = self.model / "model.safetensors.index.json"
        index = json.loads(path.read_text())
        index["weight_map"]["model.layers.7.mlp.up_proj.weight"] = self.names[0]
        path.write_text(json.dumps(index))
        answer = self.inspect(code=1)
        self.assertIn("model.layers.7.mlp.up_proj.weight", answer["problems"][0])

    def test_shapes_against_the_config(self):
        for key, value, word in (("hidden_size", 128, "hidden_size 128"), ("vocab_size", 321, "vocab_size 321"),
                                 ("num_hidden_layers", 3, "3"), ("intermediate_size", 160, "intermediate_size 160")):
            with self.subTest(key):
                (self.model / "config.json").write_text(json.dumps({**self.config, "head_dim": 16, key: value}))
                answer = self.inspect(code=1)
                self.assertTrue(any(word in problem for problem in answer["problems"]), answer["problems"])

    def test_the_same_tensor_twice(self):
        (self.model / "model.safetensors.index.json").unlink()
        shutil.copy(self.model / self.names[0], self.model / "model-00003-of-00003.safetensors")
        answer = self.inspect(code=1)
        self.assertTrue(any("twice" in problem for problem in answer["problems"]), answer["problems"])

    def test_pipes_devices_and_loops_are_never_waited_for(self):
        (self.model / self.names[0]).unlink()
        os.mkfifo(self.model / self.names[0])
        (self.model / self.names[1]).unlink()
        (self.model / self.names[1]).symlink_to(self.names[1])
        answer = self.inspect("--verify", "full", code=1)
        self.assertEqual(set(self.states(answer).values()), {"unreadable"})

    def test_names_with_control_bytes_reach_no_terminal(self):
        os.rename(self.model / self.names[0], os.fsencode(self.model) + b"/model-\x1b[31m\xff.safetensors")
        for words in ((), ("--verify", "full"), ("--format", "json")):
            done = subprocess.run([os.path.abspath(PROGRAM), "inspect", *words, str(self.model)], capture_output=True,
                                  env=environment(), timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertNotIn(b"\x1b", done.stdout)
            done.stdout.decode()


class Downloads(Folder):
    def test_a_cache_with_an_unfinished_blob(self):
        cache = self.folder / "hub"
        snapshot = hub_cache(cache, "Acme", "Tiny-7B", self.config, self.tensors)
        link = snapshot / self.names[1]
        blob = (snapshot / os.readlink(link)).resolve()
        blob.rename(blob.with_name(blob.name + ".incomplete"))
        answer = self.inspect(model="Acme/Tiny-7B", code=1, HF_HUB_CACHE=str(cache))
        self.assertEqual(self.states(answer)[self.names[1]], "missing")
        self.assertEqual([part["client"] for part in answer["unfinished"]], ["hf-cache"])
        self.assertEqual(answer["commands"], ["hf download Acme/Tiny-7B"])

    def test_a_truncated_blob_needs_force(self):
        cache = self.folder / "hub"
        snapshot = hub_cache(cache, "Acme", "Tiny-7B", self.config, self.tensors)
        os.truncate(snapshot / self.names[0], 2000)
        answer = self.inspect(model="Acme/Tiny-7B", code=1, HF_HUB_CACHE=str(cache))
        self.assertEqual(answer["commands"], [f"hf download Acme/Tiny-7B {self.names[0]} --force-download"])

    def test_parts_beside_a_local_folder(self):
        (self.model / self.names[1]).unlink()
        parts = self.model / ".cache" / "huggingface" / "download"
        parts.mkdir(parents=True)
        (parts / "Zm9v.0123.incomplete").write_bytes(b"x" * 500)
        answer = self.inspect(code=1)
        self.assertEqual([(part["client"], part["bytes"]) for part in answer["unfinished"]], [("hf-local", 500)])
        self.assertEqual(answer["commands"], [f"hf download ORGANISATION/NAME --local-dir {self.model}"])

    def test_parts_of_modelscope(self):
        model = self.folder / "hub" / "models" / "Qwen" / "Qwen2___5-7B-Instruct"
        names = write(model, self.config, self.tensors)
        (model / ".mdl").write_bytes(b"x")
        (model / names[0]).unlink()
        parts = self.folder / "hub" / "models" / "._____temp" / "Qwen" / "Qwen2___5-7B-Instruct"
        parts.mkdir(parents=True)
        (parts / names[0]).write_bytes(b"x" * 700)
        answer = self.inspect(model=model, code=1)
        self.assertEqual([part["client"] for part in answer["unfinished"]], ["modelscope-cache"])
        self.assertEqual(answer["commands"], ["modelscope download --model Qwen/Qwen2.5-7B-Instruct"])

    def test_parts_of_aria2(self):
        os.truncate(self.model / self.names[1], 3000)
        (self.model / (self.names[1] + ".aria2")).write_bytes(b"x" * 30)
        answer = self.inspect(code=1)
        self.assertEqual([part["client"] for part in answer["unfinished"]], ["aria2"])
        self.assertTrue(answer["commands"][-1].startswith("rm -- "), answer["commands"])
        self.assertIn("aria2c --dir", answer["commands"][-1])


class Sums(Folder):
    def list_of(self, **changed):
        lines = [f"{changed.get(name, sha256(self.model / name))}  {name}" for name in self.names]
        path = self.folder / "SHA256SUMS"
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    def test_the_right_list(self):
        answer = self.inspect("--verify", "full", "--sums", self.list_of())
        self.assertEqual({file["state"] for file in answer["verified"]["files"]}, {"same"})

    def test_bsd_and_binary_forms_and_other_files(self):
        sums = self.folder / "CHECKSUMS"
        sums.write_text(f"# made by hand\nSHA256 ({self.names[0]}) = {sha256(self.model / self.names[0]).upper()}\n"
                        f"{sha256(self.model / self.names[1])} *./{self.names[1]}\n"
                        f"{sha256(self.model / 'config.json')}  tiny/config.json\n")
        answer = self.inspect("--verify", "full", "--sums", str(sums))
        self.assertEqual({file["path"]: file["state"] for file in answer["verified"]["files"]},
                         {self.names[0]: "same", self.names[1]: "same", "config.json": "same"})

    def test_one_flipped_byte(self):
        sums = self.list_of()
        path = self.model / self.names[0]
        data = bytearray(path.read_bytes())
        data[-5] ^= 1
        path.write_bytes(data)
        self.assertEqual(set(self.states(self.inspect()).values()), {"ok"})  # headers cannot tell
        answer = self.inspect("--verify", "full", "--sums", sums, code=1)
        self.assertEqual(self.states(answer), {self.names[0]: "damaged", self.names[1]: "ok"})
        self.assertIn(self.names[0], answer["commands"][0])

    def test_the_cache_knows_its_sums(self):
        cache = self.folder / "hub"
        snapshot = hub_cache(cache, "Acme", "Tiny-7B", self.config, self.tensors)
        answer = self.inspect("--verify", "full", model="Acme/Tiny-7B", HF_HUB_CACHE=str(cache))
        self.assertEqual({file["state"] for file in answer["verified"]["files"]}, {"same"})
        blob = snapshot / self.names[1]
        data = bytearray(blob.read_bytes())
        data[-1] ^= 1
        blob.write_bytes(data)
        answer = self.inspect("--verify", "full", model="Acme/Tiny-7B", code=1, HF_HUB_CACHE=str(cache))
        self.assertEqual({file["state"] for file in answer["verified"]["files"]}, {"same", "different"})

    def test_the_notes_beside_a_local_folder_know_them_too(self):
        notes = self.model / ".cache" / "huggingface" / "download"
        notes.mkdir(parents=True)
        for name, digest in ((self.names[0], sha256(self.model / self.names[0])), (self.names[1], "0" * 64)):
            (notes / (name + ".metadata")).write_text(f"0123456789abcdef\n{digest}\n1764460800.0\n")
        answer = self.inspect("--verify", "full", code=1)
        self.assertEqual([file["state"] for file in answer["verified"]["files"]], ["same", "different"])

    def test_without_any_list_the_sums_are_told(self):
        answer = self.inspect("--verify", "full")
        self.assertEqual({file["state"] for file in answer["verified"]["files"]}, {"no_sum"})
        self.assertEqual([file["sha256"] for file in answer["verified"]["files"]],
                         [sha256(self.model / name) for name in self.names])

    def test_a_file_of_the_list_that_is_not_there(self):
        sums = pathlib.Path(self.list_of())
        sums.write_text(sums.read_text() + "0" * 64 + "  gone.safetensors\n")
        answer = self.inspect("--verify", "full", "--sums", str(sums), code=1)
        self.assertEqual(answer["verified"]["listed_not_there"], ["gone.safetensors"])

    def test_lists_that_are_none(self):
        for text, word in (("hello\n", "sha256sum"), ("d41d8cd98f00b204e9800998ecf8427e  x\n", "SHA-256")):
            path = self.folder / "bad"
            path.write_text(text)
            code, out, err = run("inspect", "--verify", "full", "--sums", str(path), str(self.model))
            self.assertEqual((code, out), (2, ""))
            self.assertIn(word, err)
        code, _, err = run("inspect", "--sums", "x", str(self.model))
        self.assertEqual(code, 2)
        self.assertIn("--verify full", err)

    def test_a_bar_on_a_terminal_and_none_in_a_pipe(self):
        code, out = in_terminal("inspect", "--verify", "full", str(self.model), columns=100)
        self.assertEqual(code, 0)
        code, _, err = run("inspect", "--verify", "full", str(self.model))
        self.assertEqual((code, err), (0, ""))

    @staticmethod
    def reads(worker, path):
        links = []
        for entry in pathlib.Path(f"/proc/{worker.pid}/fd").iterdir():
            try:
                links.append(os.readlink(entry))
            except OSError:
                pass  # closed meanwhile
        return str(path) in links

    def test_interrupt_ends_it_with_130(self):
        large = self.model / "model-00003-of-00003.safetensors"
        with open(large, "wb") as file:
            file.truncate(60 << 30)  # a hole: minutes of hashing, no disk
        worker = subprocess.Popen([os.path.abspath(PROGRAM), "inspect", "--verify", "full", str(self.model)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        until = time.monotonic() + 30
        while not self.reads(worker, large) and time.monotonic() < until:
            time.sleep(0.05)
        worker.send_signal(signal.SIGINT)
        out, _ = worker.communicate(timeout=30)
        self.assertEqual(worker.returncode, 130)
        self.assertIn("Interrupted", out.decode())


class Gguf(Folder):
    def test_whole_and_truncated(self):
        file = self.folder / "tiny-f16.gguf"
        file.write_bytes(gguf())
        answer = self.inspect(model=file)
        self.assertEqual(self.states(answer), {"tiny-f16.gguf": "ok"})
        self.assertEqual(answer["model"]["layers"], {"value": 2, "origin": "header"})
        self.assertEqual(answer["model"]["weight_format"]["value"], "gguf")
        self.assertEqual(answer["tensors"]["bytes_by_dtype"], {"f16": answer["tensors"]["bytes"]})
        os.truncate(file, file.stat().st_size - 100)
        self.assertEqual(self.states(self.inspect(model=file, code=1)), {"tiny-f16.gguf": "truncated"})


class Pipelines(Folder):
    def setUp(self):
        super().setUp()
        self.pipeline = self.folder / "image"
        self.pipeline.mkdir()
        (self.pipeline / "model_index.json").write_text(json.dumps({
            "_class_name": "AcmeImagePipeline", "_diffusers_version": "0.36.0",
            "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"], "safety_checker": [None, None],
            "text_encoder": ["transformers", "Qwen2_5_VLForConditionalGeneration"],
            "transformer": ["diffusers", "AcmeTransformer2DModel"], "vae": ["diffusers", "AutoencoderKL"]}))
        (self.pipeline / "scheduler").mkdir()
        write(self.pipeline / "text_encoder", self.config, self.tensors)
        write(self.pipeline / "transformer", {}, {"blocks.0.weight": ("BF16", [64, 64])}, shards=1)
        write(self.pipeline / "vae", {}, {"decoder.weight": ("F32", [32, 32])}, shards=1)
        shutil.copy(self.pipeline / "vae" / "model.safetensors", self.pipeline / "vae" / "model.fp16.safetensors")

    def test_components_and_their_bytes(self):
        answer = self.inspect(model=self.pipeline)
        parts = {part["name"]: part for part in answer["components"]}
        self.assertEqual(list(parts), ["scheduler", "text_encoder", "transformer", "vae"])
        self.assertEqual(parts["scheduler"]["bytes"], 0)
        self.assertEqual(parts["transformer"]["class"], "AcmeTransformer2DModel")
        self.assertGreater(parts["text_encoder"]["bytes"], answer["components"][2]["bytes"])
        self.assertEqual(parts["vae"]["bytes"], (self.pipeline / "vae" / "model.safetensors").stat().st_size)
        self.assertEqual(answer["model"]["pipeline_class"]["value"], "AcmeImagePipeline")
        self.assertEqual(answer["splits"], [])

    def test_programs_that_run_it_in_words(self):
        for language, words in (("en", "one replica a GPU"), ("zh", "每张 GPU 一个副本")):
            code, out, _ = run("inspect", "--lang", language, str(self.pipeline))
            self.assertEqual(code, 0)
            self.assertIn(words, " ".join(out.split()))
            self.assertIn(f"vllm serve {self.pipeline} --omni", out)

    def test_a_pipeline_of_the_catalogue_is_not_split_like_a_language_model(self):
        answer = self.inspect("--tp", "2", model="Qwen/Qwen-Image")
        self.assertEqual((answer["splits"], answer["per_rank"]), ([], []))
        self.assertIn("pictures", answer["per_rank_why"])

    def test_a_component_that_is_damaged_or_gone(self):
        file = self.pipeline / "transformer" / "model.safetensors"
        os.truncate(file, 200)
        shutil.rmtree(self.pipeline / "vae")
        answer = self.inspect("--verify", "full", model=self.pipeline, code=1)
        self.assertEqual(self.states(answer)["transformer/model.safetensors"], "truncated")
        self.assertIn("vae", answer["problems"][0])
        self.assertIn("transformer/model.safetensors", answer["commands"][0])


class Vision(Folder):
    def test_where_the_tower_sits(self):
        config = {**self.config, "architectures": ["Qwen2_5_VLForConditionalGeneration"], "model_type": "qwen2_5_vl",
                  "vision_config": {"depth": 2, "hidden_size": 32, "num_heads": 4, "intermediate_size": 64,
                                    "out_hidden_size": 64, "patch_size": 14}}
        tensors = {**self.tensors, "visual.blocks.0.attn.qkv.weight": ("BF16", [96, 32]),
                   "visual.blocks.0.attn.proj.weight": ("BF16", [32, 32])}
        model = self.folder / "vl"
        write(model, config, tensors)
        answer = self.inspect(model=model)
        self.assertEqual(answer["tensors"]["bytes_by_part"]["vision"], (96 + 32) * 32 * 2)
        _, out, _ = run("inspect", str(model))
        self.assertIn("--mm-encoder-tp-mode data", out)


class Usage(unittest.TestCase):
    def test_words(self):
        for words, part in ((("inspect",), "PATH|MODEL"), (("inspect", "--tp", "0", "x"), "not a count"),
                            (("inspect", "/nonexistent/model"), "/nonexistent/model"),
                            (("inspect", "--tp", "64", "--pp", "64", "x"), "1024")):
            code, out, err = run(*words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(part, err)

    def test_no_files_to_verify(self):
        code, _, err = run("inspect", "--verify", "full", "Qwen/Qwen2.5-72B-Instruct")
        self.assertEqual(code, 2)
        self.assertIn("no files are here", err)


if __name__ == "__main__":
    unittest.main()
