"""Tiny checkpoints in the shape of real ones, written without any library; and the ways they break."""
import hashlib
import json
import pathlib
import struct

SIZES = {"BF16": 2, "F16": 2, "F32": 4, "F8_E4M3": 1}


def qwen2(layers=2, hidden=64, heads=4, kv=2, width=128, vocab=320, dtype="BF16"):
    """(config, tensors as name -> (dtype, shape)) of a Qwen2ForCausalLM."""
    head = hidden // heads
    config = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "torch_dtype": "bfloat16",
              "num_hidden_layers": layers, "hidden_size": hidden, "intermediate_size": width,
              "num_attention_heads": heads, "num_key_value_heads": kv, "vocab_size": vocab,
              "max_position_embeddings": 2048, "tie_word_embeddings": False, "rms_norm_eps": 1e-6}
    tensors = {"model.embed_tokens.weight": (dtype, [vocab, hidden]), "model.norm.weight": (dtype, [hidden]),
               "lm_head.weight": (dtype, [vocab, hidden])}
    for i in range(layers):
        at = f"model.layers.{i}."
        tensors |= {at + "input_layernorm.weight": (dtype, [hidden]),
                    at + "post_attention_layernorm.weight": (dtype, [hidden]),
                    at + "self_attn.q_proj.weight": (dtype, [hidden, hidden]),
                    at + "self_attn.k_proj.weight": (dtype, [kv * head, hidden]),
                    at + "self_attn.v_proj.weight": (dtype, [kv * head, hidden]),
                    at + "self_attn.o_proj.weight": (dtype, [hidden, hidden]),
                    at + "mlp.gate_proj.weight": (dtype, [width, hidden]),
                    at + "mlp.up_proj.weight": (dtype, [width, hidden]),
                    at + "mlp.down_proj.weight": (dtype, [hidden, width])}
    return config, tensors


def bytes_of(dtype, shape):
    size = SIZES[dtype]
    for part in shape:
        size *= part
    return size


def safetensors(tensors):
    """The bytes of one file; the data is a pattern that differs from tensor to tensor."""
    header, data = {}, b""
    for number, (name, (dtype, shape)) in enumerate(tensors.items()):
        size = bytes_of(dtype, shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += bytes([number % 251]) * size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def write(folder, config, tensors, shards=2):
    """A folder with config, shards and index; returns the shards' names."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "x"}))
    if shards == 1:
        (folder / "model.safetensors").write_bytes(safetensors(tensors))
        return ["model.safetensors"]
    names = [f"model-{i + 1:05}-of-{shards:05}.safetensors" for i in range(shards)]
    parts = [dict(list(tensors.items())[i::shards]) for i in range(shards)]
    for name, part in zip(names, parts):
        (folder / name).write_bytes(safetensors(part))
    total = sum(bytes_of(*tensor) for tensor in tensors.values())
    index = {"metadata": {"total_size": total},
             "weight_map": {tensor: name for name, part in zip(names, parts) for tensor in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return names


def gguf(layers=2, hidden=64, heads=4, kv=2, width=128, vocab=320):
    """The bytes of a GGUF file of a llama with 16-bit matrices."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    def key(name, value):
        if isinstance(value, str):
            return text(name) + struct.pack("<I", 8) + text(value)
        return text(name) + struct.pack("<II", 4, value)

    keys = [key("general.architecture", "llama"), key("general.name", "tiny"), key("llama.block_count", layers),
            key("llama.embedding_length", hidden), key("llama.feed_forward_length", width),
            key("llama.attention.head_count", heads), key("llama.attention.head_count_kv", kv),
            key("llama.context_length", 2048), key("llama.vocab_size", vocab), key("general.file_type", 1)]
    tensors = {"token_embd.weight": [hidden, vocab], "output.weight": [hidden, vocab]}
    for i in range(layers):
        tensors |= {f"blk.{i}.attn_q.weight": [hidden, hidden], f"blk.{i}.attn_k.weight": [hidden, kv * hidden // heads],
                    f"blk.{i}.attn_v.weight": [hidden, kv * hidden // heads], f"blk.{i}.attn_output.weight": [hidden, hidden],
                    f"blk.{i}.ffn_gate.weight": [hidden, width], f"blk.{i}.ffn_up.weight": [hidden, width],
                    f"blk.{i}.ffn_down.weight": [width, hidden]}
    infos, at = b"", 0
    for name, shape in tensors.items():
        infos += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        infos += struct.pack("<IQ", 1, at)  # F16
        at += bytes_of("F16", shape)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys) + infos
    return head + b"\0" * (-len(head) % 32) + b"\1" * at


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def hub_cache(root, owner, name, config, tensors, shards=2, revision="0123456789abcdef0123456789abcdef01234567"):
    """The layout of the Hugging Face cache: blobs by their sums, snapshots of links; returns the snapshot's folder."""
    repository = pathlib.Path(root) / f"models--{owner}--{name}"
    plain = repository / "plain"
    write(plain, config, tensors, shards)
    snapshot = repository / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (repository / "blobs").mkdir()
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    for file in sorted(plain.iterdir()):
        blob = repository / "blobs" / sha256(file)
        blob.write_bytes(file.read_bytes())
        (snapshot / file.name).symlink_to(f"../../blobs/{blob.name}")
        file.unlink()
    plain.rmdir()
    return snapshot
