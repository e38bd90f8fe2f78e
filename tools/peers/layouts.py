"""The layout question: Qwen2.5-72B on six A100 of 40 GB with PCIe. Does a tool come to TP2 x PP3 by itself?

Nothing with TP alone holds it there: 64 heads and 8 KV heads divide by neither 3 nor 6, and four cards are too small
for a long request. Each tool is asked in its own words; `told` is what it says when the layout is named to it.
"""
import pathlib
import re
import shutil

import texts
from run import last_line, run
from vllm_tools import json_of

MODEL = "Qwen/Qwen2.5-72B-Instruct"
CARD_GIB = 40
CARDS = 6
LENGTH = 32768


class Layout:
    """What came of the question: found or not (None: it does not search), in both languages, and how long it took."""

    def __init__(self, found, words, seconds=None, told=None):
        self.found, self.words, self.seconds, self.told = found, words, seconds, told


def sextant(program):
    on = ["--on", f"{CARDS}xA100-PCIE-40GB"]
    said = run([program, "plan", MODEL, *on, "--users", "32", "--context", str(LENGTH), "--format", "json"])
    check = run([program, "check", "--format", "json", "--why", *on, "--", "vllm", "serve", MODEL, "--tensor-parallel-size", "2",
                 "--pipeline-parallel-size", "3", "--max-model-len", str(LENGTH)])
    told = (json_of(check.text) or {}).get("kv_tokens")
    answer = json_of(said.text)
    if not answer or "plans" not in answer:
        return Layout(False, texts.same(last_line(said)), told=told)
    plans = {plan["rank"]: plan for plan in answer["plans"]}
    for rank, plan in sorted(plans.items()):
        if plan["layout"]["tp"] == 2 and plan["layout"]["pp"] == 3 and plan["fits"]:
            return Layout(True, texts.fill(texts.PLAN, rank=rank, count=len(plans)), said.seconds, told)
    return Layout(False, texts.fill(texts.NO_PLAN, count=len(plans)), said.seconds, told)


def kvfit(world):
    peer = world["kvfit"]
    said = run([peer.python, str(world["tools"] / "ask_kvfit.py"), MODEL, "--hardware", f"custom:{CARD_GIB}", "--gpus", str(CARDS),
                "--context", str(LENGTH), "--json"], world["environment"])
    layouts = (json_of(said.text) or {}).get("layouts", [])
    if not layouts:
        return Layout(None, texts.same(last_line(said)), said.seconds)
    fits = [f"TP{one['tensor_parallel']}" for one in layouts if one["verdict"] == "fits"]
    tried = ", ".join(f"TP{one['tensor_parallel']}" for one in layouts)
    return Layout(False, texts.fill(texts.TRIED, tried=tried, fits=", ".join(fits) or texts.NONE), said.seconds)


def llmd_planner(world):
    peer, asked = world["llm-d-planner"], ["--model", MODEL, "--gpu-memory", str(CARD_GIB), "--max-model-len", str(LENGTH)]
    said = run([peer.program, "plan", *asked, "--show-possible-tp"], world["environment"])
    possible = (json_of(said.text) or {}).get("possible_tp_values")
    if not possible:
        return Layout(None, texts.same(last_line(said)), said.seconds)
    named = json_of(run([peer.program, "plan", *asked, "--tp", "2", "--pp", "3", "--gpu-mem-util", "0.92"],
                        world["environment"]).text) or {}
    blocks = named.get("total_kv_cache_blocks")
    told = blocks * named["input_parameters"]["block_size"] if blocks else None
    return Layout(None, texts.fill(texts.NO_SEARCH_TP, values=", ".join(map(str, possible))), said.seconds, told)


def vramscout(_world):
    return Layout(None, texts.NO_SEARCH)


def aiconfigurator(world):
    """Its A100 has 80 GB; as its manual allows, the card is defined anew with 40 GB and the same measured kernels."""
    peer = world["aiconfigurator"]
    where = run([peer.python, "-c", "import aiconfigurator_core, pathlib; "
                                    "print(pathlib.Path(aiconfigurator_core.__file__).parent / 'systems')"])
    systems = pathlib.Path(where.text.strip())
    mine = world["folder"] / "systems"
    (mine / "data").mkdir(parents=True, exist_ok=True)
    text = (systems / "a100_sxm.yaml").read_text(encoding="utf-8")
    text = re.sub(r"mem_capacity:.*", f"mem_capacity: {CARD_GIB * 2 ** 30}", text)
    (mine / "a100_40gb.yaml").write_text(text, encoding="utf-8")
    for name in ("query_versions.yaml", "attention_lane_defaults.yaml"):
        shutil.copy(systems / name, mine / name)
    link = mine / "data" / "a100_sxm"
    if not link.exists():
        link.symlink_to(systems / "data" / "a100_sxm")
    slots = re.search(r"a100_sxm:.*?vllm: \{current: \"([^\"]+)\"", (systems / "query_versions.yaml").read_text(), re.DOTALL)
    words = [peer.program, "cli", "default", "--model-path", str(world["checkpoints"] / MODEL.replace("/", "--")),
             "--systems-paths", f"default,{mine}", "--system", "a100_40gb", "--backend", "vllm", "--total-gpus", str(CARDS),
             "--perf-db-version", slots[1] if slots else "current", "--isl", "4000", "--osl", "1000", "--ttft", "50000",
             "--tpot", "500", "--no-color"]
    said = run(words, {**world["environment"], "AIC_ALLOW_UNLISTED_VERSIONS": "1"})
    shown = sorted(set(re.findall(r"\btp\d+pp\d+\b", said.text)))
    if shown:
        return Layout("tp2pp3" in shown, texts.fill(texts.OFFERS, shown=", ".join(shown)), said.seconds)
    full = "exceeds KV cache capacity" in said.text + said.trouble
    return Layout(False, texts.NO_BATCH if full else texts.same(last_line(said)), said.seconds)


ASKED = {"kvfit": kvfit, "llm-d-planner": llmd_planner, "vramscout": vramscout, "aiconfigurator": aiconfigurator}


def ask(name, world):
    return ASKED[name](world)

