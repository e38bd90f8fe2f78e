"""Asks aiconfigurator's library for a KV pool; run with the Python of its environment, since its command prints none."""
import json
import sys

from aiconfigurator_core.sdk.memory import estimate_kv_cache


def main():
    asked = json.loads(sys.argv[1])
    model, system = asked.pop("model"), asked.pop("system")
    print(json.dumps(estimate_kv_cache(model, system, "vllm", "current", memory_fraction_kind="of_total", **asked), default=str))


main()
