#!/usr/bin/env python3
"""A tiny random Qwen2 in the form of the Hub (config, byte-level tokenizer, chat template, one file of weights): small enough to
load at once, real enough for vLLM on a CPU. Needs nothing but Python.

    make_tiny_hf.py OUT_DIR"""
import json
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from make_tiny_gguf import TEMPLATE, VOCABULARY, vocabulary  # noqa: E402

WIDE, INNER, LAYERS, HEADS, KV_HEADS = 128, 256, 2, 4, 2   # 32 a head: what CPU kernels have
CONTEXT = 2048
END, PAD = VOCABULARY - 1, VOCABULARY - 3


def config():
    return {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": WIDE, "intermediate_size": INNER,
            "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "vocab_size": VOCABULARY,
            "max_position_embeddings": CONTEXT, "rope_theta": 1000000.0, "rms_norm_eps": 1e-6, "hidden_act": "silu",
            "tie_word_embeddings": False, "attention_dropout": 0.0, "initializer_range": 0.02, "use_cache": True,
            "use_sliding_window": False, "torch_dtype": "float16", "bos_token_id": PAD, "eos_token_id": END, "pad_token_id": PAD}


def tokenizer():
    """tokenizer.json and tokenizer_config.json."""
    tokens, _, merges = vocabulary()
    plain = VOCABULARY - 3
    added = [{"id": index, "content": tokens[index], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": True} for index in range(plain, VOCABULARY)]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": "",
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "merges": merges,
             "vocab": {token: index for index, token in enumerate(tokens[:plain])}}
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
             "pre_tokenizer": byte_level, "post_processor": None, "decoder": byte_level, "model": model}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": None, "eos_token": tokens[END],
                "pad_token": tokens[PAD], "unk_token": None, "model_max_length": CONTEXT, "clean_up_tokenization_spaces": False,
                "chat_template": TEMPLATE}
    return whole, settings


def tensors():
    """(name, shape, how wide its numbers lie; 0: all are one) in the order of the file."""
    key_wide = WIDE // HEADS * KV_HEADS
    yield "model.embed_tokens.weight", (VOCABULARY, WIDE), 0.5
    yield "model.norm.weight", (WIDE,), 0
    yield "lm_head.weight", (VOCABULARY, WIDE), 0.1
    for layer in range(LAYERS):
        front = f"model.layers.{layer}."
        yield front + "input_layernorm.weight", (WIDE,), 0
        yield front + "post_attention_layernorm.weight", (WIDE,), 0
        for name, rows in (("q", WIDE), ("k", key_wide), ("v", key_wide)):
            yield f"{front}self_attn.{name}_proj.weight", (rows, WIDE), 0.1
            yield f"{front}self_attn.{name}_proj.bias", (rows,), 0.01
        yield front + "self_attn.o_proj.weight", (WIDE, WIDE), 0.1
        for name, shape in (("gate", (INNER, WIDE)), ("up", (INNER, WIDE)), ("down", (WIDE, INNER))):
            yield f"{front}mlp.{name}_proj.weight", shape, 0.1


def weights(seed=7):
    chance = random.Random(seed)
    head, data = {"__metadata__": {"format": "pt"}}, bytearray()
    for name, shape, width in tensors():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        numbers = [chance.gauss(0, width) if width else 1.0 for _ in range(count)]
        head[name] = {"dtype": "F16", "shape": shape, "data_offsets": (len(data), len(data) + 2 * count)}
        data += struct.pack(f"<{count}e", *numbers)
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    whole, settings = tokenizer()
    for name, value in (("config.json", config()), ("tokenizer.json", whole), ("tokenizer_config.json", settings),
                        ("generation_config.json", {"eos_token_id": END, "pad_token_id": PAD})):
        (out / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (out / "model.safetensors").write_bytes(weights())


if __name__ == "__main__":
    main()
