#!/usr/bin/env python3
"""Writes tiny GGUF models with random weights, good and damaged ones, for tests with a real llama.cpp server. Only the
standard library; the same bytes on every machine.

    make_tiny_gguf.py FOLDER [NAME...]     all of them, or those named
    make_tiny_gguf.py --list               what each one is
"""
import pathlib
import random
import struct
import sys

U32, I32, F32, BOOL, TEXT, LIST = 4, 5, 6, 7, 8, 9   # kinds of values
TENSOR_F32, TENSOR_F16 = 0, 1
ALIGNED = 32
PACKED = {U32: "<I", I32: "<i", F32: "<f", BOOL: "<B"}
NORMAL_TOKEN, CONTROL_TOKEN, UNUSED_TOKEN = 1, 3, 5
VOCABULARY = 320
NEVER = -40.0        # added to the score of a token: it is not sampled

TEMPLATE = ("{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


# --- tokens ----------------------------------------------------------------------------------------

def byte_letters():
    """The letter that stands for each byte in a byte-level vocabulary: itself where it is printable, one from U+0100 on
    where it is not."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def vocabulary():
    """(tokens, their kinds, merges): the bytes, some pairs of letters, filling, and three that steer."""
    tokens = byte_letters()
    letters = "etaoinshrdlu"
    pairs = [(a, b) for a in letters for b in letters if a != b][:48]
    merges = [f"{a} {b}" for a, b in pairs]
    tokens += [a + b for a, b in pairs]
    kinds = [NORMAL_TOKEN] * len(tokens)
    filling = VOCABULARY - 3 - len(tokens)
    tokens += [f"<|filling_{index}|>" for index in range(filling)]
    kinds += [UNUSED_TOKEN] * filling
    tokens += ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    kinds += [CONTROL_TOKEN] * 3
    return tokens, kinds, merges


def leaning(tokens, kinds, end):
    """Added to the scores, so that what is sampled is lower-case letters and blanks; `end`: of the token that ends."""
    wanted = set("abcdefghijklmnopqrstuvwxyz") | {byte_letters()[ord(" ")]}
    scores = [0.0 if kind == NORMAL_TOKEN and set(token) <= wanted else NEVER for token, kind in zip(tokens, kinds)]
    scores[-1] = end
    return scores


# --- the file --------------------------------------------------------------------------------------

def packed_text(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def packed(kind, value):
    if kind == TEXT:
        return packed_text(value)
    if kind == LIST:
        inner, values = value
        return struct.pack("<IQ", inner, len(values)) + b"".join(packed(inner, one) for one in values)
    return struct.pack(PACKED[kind], value)


class Model:
    """Keys and tensors, in the order in which they are written."""

    def __init__(self, seed):
        self.keys = {}
        self.tensors = []   # (name, kind, shape with the fastest first, bytes)
        self.random = random.Random(seed)

    def put(self, key, kind, value):
        self.keys[key] = (kind, value)

    def matrix(self, name, rows, columns, spread):
        values = [self.random.gauss(0, spread) for _ in range(rows * columns)]
        self.tensors.append((name, TENSOR_F16, (columns, rows), struct.pack(f"<{len(values)}e", *values)))

    def vector(self, name, values):
        self.tensors.append((name, TENSOR_F32, (len(values),), struct.pack(f"<{len(values)}f", *values)))

    def bytes(self):
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.keys))
        for key, (kind, value) in self.keys.items():
            head += packed_text(key) + struct.pack("<I", kind) + packed(kind, value)
        data = bytearray()
        for name, kind, shape, raw in self.tensors:
            head += packed_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, len(data))
            data += raw + bytes(-len(raw) % ALIGNED)
        return head + bytes(-len(head) % ALIGNED) + bytes(data)


def qwen2(layers=2, wide=64, heads=4, kv_heads=2, inner=128, end=NEVER, context=8192, seed=1, **changed):
    """A whole model of that architecture: small enough to load in milliseconds."""
    model = Model(seed)
    tokens, kinds, merges = vocabulary()
    architecture = changed.get("architecture", "qwen2")
    model.put("general.architecture", TEXT, architecture)
    model.put("general.name", TEXT, "tiny")
    model.put("general.file_type", U32, 1)
    for key, value in (("block_count", layers), ("context_length", context), ("embedding_length", wide),
                       ("feed_forward_length", inner), ("attention.head_count", heads),
                       ("attention.head_count_kv", kv_heads)):
        model.put(f"{architecture}.{key}", U32, value)
    model.put(f"{architecture}.rope.freq_base", F32, 1_000_000.0)
    model.put(f"{architecture}.attention.layer_norm_rms_epsilon", F32, 1e-6)
    model.put("tokenizer.ggml.model", TEXT, "gpt2")
    model.put("tokenizer.ggml.pre", TEXT, "qwen2")
    model.put("tokenizer.ggml.tokens", LIST, (TEXT, tokens))
    model.put("tokenizer.ggml.token_type", LIST, (I32, kinds))
    model.put("tokenizer.ggml.merges", LIST, (TEXT, merges))
    model.put("tokenizer.ggml.eos_token_id", U32, VOCABULARY - 1)
    model.put("tokenizer.ggml.padding_token_id", U32, VOCABULARY - 3)
    model.put("tokenizer.ggml.add_bos_token", BOOL, 0)
    model.put("tokenizer.chat_template", TEXT, TEMPLATE)

    key_wide = wide // heads * kv_heads
    model.matrix("token_embd.weight", VOCABULARY, wide, 0.5)
    model.vector("output_norm.weight", [1.0] * wide)
    model.matrix("output.weight", VOCABULARY, wide, 0.1)
    model.vector("output.bias", leaning(tokens, kinds, end))
    for layer in range(layers):
        for name in ("attn_norm", "ffn_norm"):
            model.vector(f"blk.{layer}.{name}.weight", [1.0] * wide)
        for name, rows in (("attn_q", wide), ("attn_k", key_wide), ("attn_v", key_wide)):
            model.matrix(f"blk.{layer}.{name}.weight", rows, wide, 0.1)
            model.vector(f"blk.{layer}.{name}.bias", [0.0] * rows)
        for name, rows, columns in (("attn_output", wide, wide), ("ffn_gate", inner, wide), ("ffn_up", inner, wide),
                                    ("ffn_down", wide, inner)):
            model.matrix(f"blk.{layer}.{name}.weight", rows, columns, 0.1)
    return model


def without_tensor(name):
    model = qwen2()
    model.tensors = [tensor for tensor in model.tensors if tensor[0] != name]
    return model.bytes()


# Name: what it is, and how its bytes are made.
MODELS = {
    "tiny": ("good; ends only at the limit of tokens", lambda: qwen2().bytes()),
    "tiny-ends": ("good; ends by itself after some tens of tokens", lambda: qwen2(end=0.4).bytes()),
    "slow": ("good; 480 narrow layers, so that a stream takes a while",
             lambda: qwen2(layers=480, wide=32, heads=2, kv_heads=1, inner=32).bytes()),
    "cut": ("ends inside the weights", lambda: (lambda whole: whole[:len(whole) * 7 // 10])(qwen2().bytes())),
    "empty": ("no byte at all", lambda: b""),
    "no-model": ("a text that is no model", lambda: b"this is no model\n" * 64),
    "unknown-architecture": ("of an architecture that nobody knows", lambda: qwen2(architecture="nosuch").bytes()),
    "no-tensor": ("lacks one tensor of its second layer", lambda: without_tensor("blk.1.ffn_up.weight")),
}


def main():
    if len(sys.argv) < 2 or sys.argv[1] == "--list":
        for name, (what, _) in MODELS.items():
            print(f"{name:<22}{what}")
        return
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        (folder / f"{name}.gguf").write_bytes(MODELS[name][1]())


if __name__ == "__main__":
    main()
