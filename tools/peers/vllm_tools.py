"""How each tool is asked for the memory of one start-up of vLLM, and where its answer stands in what it prints.

A question is (words, environment) or the reason that this tool cannot be asked; an answer is an `Answer` or None.
Every tool gets the card's memory as the driver prints it, unless it takes whole gigabytes only.
"""
import json
import pathlib
import re

import texts
from cases import GIB, Answer
from run import last_line

HERE = pathlib.Path(__file__).resolve().parent
CONTEXT = 8192               # where a case states no length: every model here allows it
LARGE_CARD_MIB = 70 * 1024   # from here on vLLM's server takes 8192 tokens a step and 1024 sequences (A100: 2048, 256)


def steps(case):
    """Tokens a step and sequences, as stated or as this engine's defaults for the card."""
    large = case.card_mib >= LARGE_CARD_MIB and not case.card.startswith("A100")
    return case.batched_tokens or (8192 if large else 2048), case.seqs or (1024 if large else 256)


def reason_of(said):
    """Why a tool gave no answer; a path of this machine tells nobody anything, nor does a list of all it knows."""
    unknown = re.search(r"architecture (\w+) is not supported", said.trouble + said.text)
    if unknown:
        return texts.Both(f"does not know {unknown[1]}", f"不认识 {unknown[1]}")
    if "unsupported model/backend" in said.trouble:
        return texts.NO_LAYOUT
    return texts.same(last_line(said))


def json_of(text):
    """The JSON object in a text that may have lines before it."""
    at = text.find("{")
    try:
        return json.loads(text[at:]) if at >= 0 else None
    except ValueError:
        return None


class Sextant:
    name = package = "sextant"

    def __init__(self, program):
        self.program = program

    def question(self, case, _world):
        machine = f"{case.tp * case.pp}x{case.card.replace(' ', '-')}"
        words = [self.program, "check", "--format", "json", "--why", "--on", machine, "--engine-version", case.version, "--",
                 "vllm", "serve", case.model]
        flags = {"--tensor-parallel-size": case.tp, "--pipeline-parallel-size": case.pp, "--max-model-len": case.max_len,
                 "--gpu-memory-utilization": case.fraction, "--max-num-seqs": case.seqs,
                 "--max-num-batched-tokens": case.batched_tokens}
        for flag, value in flags.items():
            if value is not None:
                words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
        words += ["--dtype", case.dtype, "--kv-cache-dtype", case.kv_dtype]
        return words, {}

    def answer(self, said, _case):
        found = json_of(said.text)
        if not found:
            return None
        budget = found.get("budget", [])
        weights = [line["bytes"] / GIB for gpu in budget for line in gpu["lines"] if line["name"] == "weights"]
        starts = found["summary"]["errors"] == 0 and found.get("max_concurrency", 1) >= 1     # what it expects, not its band
        return Answer(weights, [gpu["kv_bytes"] / GIB for gpu in budget], starts)


class Kvfit:
    name = package = "kvfit"

    def question(self, case, world):
        if case.pp > 1:
            return texts.NO_STAGES
        if case.dtype == "float32":
            return texts.NO_FP32
        words = [world["kvfit"].python, str(HERE / "ask_kvfit.py"), case.model, "--hardware", f"custom:{case.card_gib:.3f}",
                 "--gpus", str(case.tp), "--tp", str(case.tp), "--context", str(case.max_len or CONTEXT),
                 "--kv-dtype", case.kv_dtype, "--json"]
        return words + (["--utilization", f"{case.fraction:g}"] if case.fraction else []), world["environment"]

    def answer(self, said, _case):
        layouts = (json_of(said.text) or {}).get("layouts")
        if not layouts:
            return None
        if layouts[0]["verdict"] == "unsupported":
            return Answer([], [], False)
        one = layouts[0]
        taken = one["weights_per_rank_gib"] + one["fixed_cache_per_rank_gib"] + one["runtime_reserve_per_rank_gib"]
        return Answer([one["weights_per_rank_gib"]], [one["budget_per_rank_gib"] - taken], one["verdict"] == "fits")


class Vramscout:
    name = package = "vramscout"
    PARTS = ("Model weights / rank", "CUDA / runtime", "Prefill scratch", "Safety reserve")

    def question(self, case, world):
        if case.pp > 1:
            return texts.NO_STAGES
        words = [world["vramscout"].program, case.model, "--engine", "vllm", "--vram-gib", f"{case.card_gib:.3f}",
                 "--tp", str(case.tp), "--context", str(case.max_len or CONTEXT), "--prefill-chunk", str(steps(case)[0]), "--json"]
        words += ["--gpu-memory-utilization", f"{case.fraction:g}"] if case.fraction else []
        words += ["--dtype", "fp32", "--kv-dtype", "fp32"] if case.dtype == "float32" else ["--kv-dtype", case.kv_dtype]
        return words, world["environment"]

    def answer(self, said, _case):
        found = json_of(said.text) or {}
        if "cannot be mapped" in found.get("error", ""):
            return Answer([], [], False)
        parts = found.get("parts_gib")
        if not parts:
            return None
        pool = found["memory_budget_gib"] - sum(parts[name] for name in self.PARTS)
        return Answer([parts[self.PARTS[0]]], [pool], found["fits"])


class LlmdPlanner:
    """Takes whole gigabytes: 80 for an H100, as its own list of cards has it."""
    name = package = "llm-d-planner"
    whole = staticmethod(round)

    def question(self, case, world):
        if case.dtype == "float32":
            return texts.OWN_FORMAT
        words = [world["llm-d-planner"].program, "plan", "--model", case.model, "--gpu-memory", str(self.whole(case.card_gib)),
                 "--tp", str(case.tp), "--pp", str(case.pp), "--max-model-len", str(case.max_len or CONTEXT)]
        return words + (["--gpu-mem-util", f"{case.fraction:g}"] if case.fraction else []), world["environment"]

    def answer(self, said, _case):
        if "Invalid --tp value" in said.trouble:
            return Answer([], [], False)
        found = json_of(said.text) or {}
        if "allocatable_kv_cache_memory_gb" not in found:
            return None
        pool = found["allocatable_kv_cache_memory_gb"] / found["total_gpus_required"]
        return Answer([found["per_gpu_model_memory_gb"]], [pool], found["max_concurrent_requests"] > 0)


class LlmdPlannerDown(LlmdPlanner):
    """The same with the card's memory rounded down, which happens to be nearer to what the engine sees of an H100."""
    name = "llm-d-planner, rounded down"
    whole = staticmethod(int)


class Aiconfigurator:
    name = package = "aiconfigurator"
    SYSTEMS = {"H100 80GB HBM3": "h100_sxm", "A100-SXM4-80GB": "a100_sxm"}

    def question(self, case, world):
        system = self.SYSTEMS.get(case.card)
        if not system:
            return texts.NO_CARD
        if case.dtype == "float32":
            return texts.NO_FP32
        tokens, sequences = steps(case)
        asked = {"model": str(world["checkpoints"] / case.model.replace("/", "--")), "system": system, "tp_size": case.tp,
                 "pp_size": case.pp, "max_num_tokens": tokens, "max_batch_size": sequences,
                 "memory_fraction_value": case.fraction or 0.9, "gpu_memory_capacity_bytes_override": case.card_mib * 2 ** 20}
        if case.kv_dtype == "fp8":
            asked["kvcache_quant_mode"] = "fp8"
        if "num_local_experts" in world["models"][case.model].config or "num_experts" in world["models"][case.model].config:
            asked |= {"moe_tp_size": case.tp, "moe_ep_size": 1}     # experts cut like the rest: what vLLM does unasked
        return [world["aiconfigurator"].python, str(HERE / "ask_aiconfigurator.py"), json.dumps(asked)], world["environment"]

    def answer(self, said, case):
        if "no KV budget" in said.trouble or "divisible" in said.trouble:
            return Answer([], [], False)
        text = said.text
        found = json_of(text[text.rfind('{"total_gpu_capacity_bytes"'):] if '{"total_gpu' in text else "")
        if not found:
            return None
        parts = found["memory_breakdown"]
        enough = found["total_kv_size_tokens"] >= (case.max_len or 1)
        return Answer([parts["weights_bytes"] / GIB] if parts else [], [found["total_kv_size_bytes"] / GIB], enough)
