"""Qwen2 from a gguf file, in plain torch: states of tokens, a cache for writing, and its tokenizer.

Needs torch, gguf and tokenizers. Made for qwen2.5-coder-1.5b-instruct (Apache-2.0).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gguf
import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from torch import Tensor, nn
from torch.nn import functional

SIZE, INNER, LAYERS, HEADS, KEYS, TOKENS, BASE = 1536, 8960, 28, 12, 2, 151936, 1e6
_PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_NAMES = {
    **{"attn_norm.weight": "before", "ffn_norm.weight": "between"},
    **{f"attn_{one}.{what}": f"{one}.{what}" for one in "qkv" for what in ("weight", "bias")},
    **{"attn_output.weight": "o.weight", "ffn_gate.weight": "gate.weight"},
    **{"ffn_up.weight": "up.weight", "ffn_down.weight": "down.weight"},
}

Cache = list[tuple[Tensor, Tensor]]
"""Keys and values of each layer, with room for the tokens to come."""


def norm(x: Tensor, weight: Tensor) -> Tensor:
    y = x.float()
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
    return (y * weight.float()).to(x.dtype)


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turned by its place in the text."""
    one, two = x.chunk(2, -1)
    return (x * cos + torch.cat([-two, one], -1) * sin).to(x.dtype)


class Block(nn.Module):
    """One layer."""

    def __init__(self) -> None:
        super().__init__()
        each = SIZE // HEADS
        self.before, self.between = nn.Parameter(torch.ones(SIZE)), nn.Parameter(torch.ones(SIZE))
        self.q, self.k, self.v = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, KEYS * each), nn.Linear(SIZE, KEYS * each)
        self.o = nn.Linear(SIZE, SIZE, bias=False)
        self.gate, self.up = nn.Linear(SIZE, INNER, bias=False), nn.Linear(SIZE, INNER, bias=False)
        self.down = nn.Linear(INNER, SIZE, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, cache: tuple[Tensor, Tensor] | None, at: int) -> Tensor:
        """The states after this layer."""
        many, long, _ = x.shape
        y = norm(x, self.before)
        q, k, v = (part(y).view(many, long, -1, SIZE // HEADS).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k = turned(q, cos, sin), turned(k, cos, sin)
        if cache is not None:
            cache[0][:, :, at : at + long], cache[1][:, :, at : at + long] = k, v
            k, v = cache[0][:, :, : at + long], cache[1][:, :, : at + long]
        if long == 1:
            # One new token sees all before it: the heads that share keys stand beside each other.
            seen = functional.scaled_dot_product_attention(q.reshape(many, KEYS, HEADS // KEYS, -1), k, v)
        else:
            k, v = (part.repeat_interleave(HEADS // KEYS, 1) for part in (k, v))
            seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(seen.reshape(many, HEADS, long, -1).transpose(1, 2).reshape(many, long, SIZE))
        y = norm(x, self.between)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Qwen(nn.Module):
    """The model. Padding stands on the right: no token before it sees it."""

    def __init__(self, layers: int = LAYERS) -> None:
        super().__init__()
        self.embedded = nn.Embedding(TOKENS, SIZE)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.last = nn.Parameter(torch.ones(SIZE))
        self.out = nn.Linear(SIZE, TOKENS, bias=False)

    def forward(self, tokens: Tensor, cache: Cache | None = None, at: int = 0) -> Tensor:
        """The state of every token after the last layer."""
        x = self.embedded(tokens)
        x = x.bfloat16() if tokens.is_cuda else x
        each = SIZE // HEADS
        slow = 1.0 / BASE ** (torch.arange(0, each, 2, device=tokens.device).float() / each)
        angles = torch.outer(torch.arange(at, at + tokens.shape[1], device=tokens.device).float(), slow)
        angles = torch.cat([angles, angles], -1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for place, block in enumerate(self.blocks):
            x = block(x, cos, sin, cache[place] if cache else None, at)
        return norm(x, self.last)


def load(path: Path, device: str) -> Qwen:
    """The model with the weights of the file."""
    with torch.device("meta"):
        model = Qwen()
    model = model.to_empty(device=device)
    own = dict(model.named_parameters())
    whole = {"token_embd.weight": "embedded.weight", "output_norm.weight": "last", "output.weight": "out.weight"}

    def put(tensor: gguf.ReaderTensor) -> None:
        _, place, *rest = f"{tensor.name}..".split(".")
        key = whole.get(tensor.name) or f"blocks.{place}.{_NAMES['.'.join(rest).rstrip('.')]}"
        values = np.array(gguf.quants.dequantize(tensor.data, tensor.tensor_type))
        own[key].data.copy_(torch.from_numpy(values).view(own[key].shape))

    tensors = gguf.GGUFReader(path).tensors
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, tensors))
    if "output.weight" not in {tensor.name for tensor in tensors}:
        own["out.weight"].data.copy_(own["embedded.weight"].data)
    return model


def tokenizer(path: Path) -> Tokenizer:
    """Built from the vocabulary and the merges in the file."""
    fields = gguf.GGUFReader(path).fields
    pieces = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    built = Tokenizer(models.BPE({piece: place for place, piece in enumerate(pieces)}, merges))
    split = pre_tokenizers.Split(Regex(_PIECES), "isolated")
    built.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    built.decoder = decoders.ByteLevel()
    return built
