"""A model hub on this machine, so that tools which ask a hub are asked offline and all see the same checkpoint.

It serves what a hub serves for a model: its listing with file sizes, config.json, the index, and the head of one
safetensors file that holds one tensor for each number format, of the right size. There is no data behind the head.
"""
import http.server
import json
import re
import struct
import threading

FORMAT_BYTES = {"BF16": 2, "F16": 2, "F32": 4, "F8_E4M3": 1, "U8": 1}
COMMIT = "0" * 40
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"


class Model:
    """One checkpoint: its config and how many numbers it holds in each format."""

    def __init__(self, name, config, parameters):
        self.name, self.config, self.parameters = name, config, parameters
        self.head = self._head()
        self.weight_bytes = sum(count * FORMAT_BYTES[kind] for kind, count in parameters.items())
        self.file_bytes = len(self.head) + self.weight_bytes
        layers = config["num_hidden_layers"]
        index = {"metadata": {"total_size": self.weight_bytes},
                 "weight_map": {f"model.layers.{layer}.weight": WEIGHTS for layer in range(layers)}}
        self.texts = {"config.json": json.dumps(config).encode(), INDEX: json.dumps(index).encode()}

    def _head(self):
        entries, at = {}, 0
        for kind, count in self.parameters.items():
            end = at + count * FORMAT_BYTES[kind]
            entries[f"all.{kind}.weight"] = {"dtype": kind, "shape": [count], "data_offsets": [at, end]}
            at = end
        text = json.dumps(entries).encode()
        return struct.pack("<Q", len(text)) + text

    def listing(self):
        files = [{"rfilename": name, "size": len(text)} for name, text in self.texts.items()]
        files.append({"rfilename": WEIGHTS, "size": self.file_bytes})
        return {"_id": COMMIT[:24], "id": self.name, "modelId": self.name, "sha": COMMIT, "private": False, "gated": False,
                "disabled": False, "tags": ["safetensors"], "pipeline_tag": "text-generation", "downloads": 0, "likes": 0,
                "config": self.config, "siblings": files,
                "safetensors": {"parameters": self.parameters, "total": sum(self.parameters.values())}}

    def write(self, folder):
        """The same checkpoint as a folder; the file of weights is a hole with a head."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            (folder / name).write_bytes(text)
        with open(folder / WEIGHTS, "wb") as out:
            out.write(self.head)
            out.truncate(self.file_bytes)


def read_models(folder):
    """The models under tests/peers: configs/*.json and the counts of models.tsv."""
    models = {}
    lines = (folder / "models.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        name, counts = line.split("\t")[:2]
        config = json.loads((folder / "configs" / (name.replace("/", "--") + ".json")).read_text(encoding="utf-8"))
        parameters = {kind: int(count) for kind, count in (part.split(":") for part in counts.split(" "))}
        models[name] = Model(name, config, parameters)
    return models


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    models = {}

    def log_message(self, *_):
        """A bench prints its own lines only."""

    def do_HEAD(self):
        self._answer(body=False)

    def do_GET(self):
        self._answer(body=True)

    def _answer(self, body):
        path = self.path.split("?")[0]
        listed = re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/[^/]+)?", path)
        asked = re.fullmatch(r"/([^/]+/[^/]+)/resolve/[^/]+/([^/]+)", path)
        model = self.models.get((listed or asked)[1]) if listed or asked else None
        if model and listed:
            return self._send(200, json.dumps(model.listing()).encode(), body)
        if model and asked[2] in model.texts:
            return self._send(200, model.texts[asked[2]], body)
        if model and asked[2] == WEIGHTS:
            return self._weights(model, body)
        return self._send(404, b'{"error": "not here"}', body, {"X-Error-Code": "EntryNotFound" if model else "RepoNotFound"})

    def _weights(self, model, body):
        """Ranges inside the head only: nobody needs more, and there is no more."""
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not wanted:
            return self._send(200, b"", False, {"Content-Length": str(model.file_bytes)})
        first, last = int(wanted[1]), int(wanted[2])
        part = model.head[first:last + 1].ljust(min(last + 1, model.file_bytes) - first, b"\0")
        return self._send(206, part, body, {"Content-Range": f"bytes {first}-{first + len(part) - 1}/{model.file_bytes}"})

    def _send(self, status, content, body, more=None):
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), "ETag": f'"{COMMIT}"',
                   "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"} | (more or {})
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)


def serve(models):
    """Starts the hub on a free loopback port; returns its address. It ends with the program."""
    _Handler.models = models
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
