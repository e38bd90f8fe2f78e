"""GGUF files whose headers are real and whose tensors are holes, for the cases of llama.cpp: sizes without gigabytes."""
import struct

# Number formats of GGUF: their number there, how many numbers make a block, bytes a block.
FORMATS = {"f32": (0, 1, 4), "f16": (1, 1, 2), "q8_0": (8, 32, 34), "q4_K": (12, 256, 144), "q6_K": (14, 256, 210)}
TEXT, WORD, REAL, LIST = 8, 4, 6, 9
ALIGNMENT = 32


def _text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _value(value):
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + _text(value)
    if isinstance(value, float):
        return struct.pack("<If", REAL, value)
    if isinstance(value, list):
        return struct.pack("<IIQ", LIST, TEXT, len(value)) + b"".join(_text(entry) for entry in value)
    return struct.pack("<II", WORD, value)


def _tensor_bytes(kind, sizes):
    count = 1
    for size in sizes:
        count *= size
    _, numbers, block = FORMATS[kind]
    return count // numbers * block


def _tensors(shape):
    """Every tensor of a dense decoder: name, format, sizes with the innermost first."""
    hidden, heads, kv, size = shape["hidden"], shape["heads"], shape["kv_heads"], shape["head_size"]
    inner, matrix = shape["inner"], shape["format"]
    yield "token_embd.weight", shape["table_format"], (hidden, shape["vocabulary"])
    if not shape["tied"]:
        yield "output.weight", shape["table_format"], (hidden, shape["vocabulary"])
    yield "output_norm.weight", "f32", (hidden,)
    for layer in range(shape["layers"]):
        block = f"blk.{layer}."
        yield block + "attn_norm.weight", "f32", (hidden,)
        yield block + "ffn_norm.weight", "f32", (hidden,)
        for name, width in (("q", heads * size), ("k", kv * size), ("v", kv * size)):
            yield f"{block}attn_{name}.weight", matrix, (hidden, width)
            if shape["biases"]:
                yield f"{block}attn_{name}.bias", "f32", (width,)
        if shape["head_norms"]:
            yield block + "attn_q_norm.weight", "f32", (size,)
            yield block + "attn_k_norm.weight", "f32", (size,)
        yield block + "attn_output.weight", matrix, (heads * size, hidden)
        yield block + "ffn_gate.weight", matrix, (hidden, inner)
        yield block + "ffn_up.weight", matrix, (hidden, inner)
        yield block + "ffn_down.weight", matrix, (inner, hidden)


def _keys(shape):
    family = shape["family"]
    keys = {"general.architecture": family, "general.name": shape["name"],
            f"{family}.block_count": shape["layers"], f"{family}.context_length": shape["context"],
            f"{family}.embedding_length": shape["hidden"], f"{family}.feed_forward_length": shape["inner"],
            f"{family}.attention.head_count": shape["heads"], f"{family}.attention.head_count_kv": shape["kv_heads"],
            f"{family}.attention.key_length": shape["head_size"], f"{family}.attention.value_length": shape["head_size"],
            f"{family}.attention.layer_norm_rms_epsilon": 1e-6, f"{family}.rope.freq_base": 1e6,
            f"{family}.rope.dimension_count": shape["head_size"],
            "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": [f"t{at}" for at in range(shape["vocabulary"])]}
    return keys


def write(shape, path):
    """Writes the file; the apparent size is the real one, on the disk there is the header alone."""
    tensors, keys = list(_tensors(shape)), _keys(shape)
    out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)))
    for name, value in keys.items():
        out += _text(name) + _value(value)
    at = 0
    for name, kind, sizes in tensors:
        out += _text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        out += struct.pack("<IQ", FORMATS[kind][0], at)
        at += -(-_tensor_bytes(kind, sizes) // ALIGNMENT) * ALIGNMENT
    out += b"\0" * (-len(out) % ALIGNMENT)
    with open(path, "wb") as file:
        file.write(out)
        file.truncate(len(out) + at)
