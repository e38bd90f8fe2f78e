"""llama.cpp: the same header-only file is given to Sextant and to gguf-parser, and both are held against llama.cpp's log."""
import json

import gguf_file
from cases import read_rows
from run import last_line, run
from vllm_tools import json_of

MIB = 2 ** 20
PARTS = ("weights", "kv", "compute")


def write_files(tests, folder):
    shapes = json.loads((tests / "gguf_shapes.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for shape in shapes:
        gguf_file.write(shape, folder / f"{shape['name']}.gguf")


def sextant_words(program, path, context):
    return [program, "check", "--format", "json", "--why", "--on", "1xRTX-4090", "--", "llama-server", "-m", str(path),
            "-c", context, "-np", "1", "-ngl", "99"]


def sextant_sizes(text):
    budget = (json_of(text) or {}).get("budget")
    if not budget:
        return None
    lines = {line["name"]: line["bytes"] / MIB for line in budget[0]["lines"]}
    return {"weights": lines["weights"], "kv": lines["kv_cache"], "compute": lines["activations"]}


def peer_sizes(text):
    """The GPU is the second device of its answer; sums as the library's own add them up."""
    said = json_of(text)
    if not said:
        return None
    gpu = said["devices"][1]
    compute = gpu["computation"]
    return {"weights": sum(gpu["weight"].values()) / MIB, "kv": sum(gpu["kvCache"].values()) / MIB,
            "compute": compute["graph"] / MIB}


def questions(program, peer, path, context):
    asked = {"sextant": (sextant_words(program, path, context), sextant_sizes)}
    if peer and peer.program:
        asked["gguf-parser"] = ([peer.program, str(path), context], peer_sizes)
    return asked


def ask_all(tests, folder, program, peer, environment):
    """name -> part -> list of signed errors; and the reasons of those that said nothing."""
    errors, refused = {}, {}
    for row in read_rows(tests / "gguf_cases.tsv"):
        path = folder / f"{row['shape']}.gguf"
        for name, (words, read) in questions(program, peer, path, row["context"]).items():
            said = run(words, environment)
            sizes = read(said.text)
            if sizes is None:
                refused.setdefault(name, []).append(last_line(said))
                continue
            for part in PARTS:
                truth = row[f"{part}_mib"]
                if truth != "null":
                    errors.setdefault(name, {}).setdefault(part, []).append(sizes[part] / float(truth) - 1)
    return errors, refused
