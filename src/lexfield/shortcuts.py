"""``lexfield.open``, ``lexfield.embed`` and ``lexfield.register``: functions that are not verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.measures import MEASURES
from lexfield.errors import InputError, check
from lexfield.index.encodings import need_encodings
from lexfield.search.index import Index
from lexfield.search.registry import register as register_method
from lexfield.text.normalise import TOKENIZERS
from lexfield.text.readers import READERS
from lexfield.vectors.encoders import embed_with_encoder, use_encoder
from lexfield.vectors.means import embed_texts
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.input import Sources, open_index, read_texts

T = TypeVar("T")


def open(path: str | Path | Index, metric: str | None = None, *, encoder: Any = None) -> Index:
    """Open an index; with ``metric``, as it looks under a metric that was learned from it.

    ``encoder`` is the model or function that the index was encoded by, where it has no name that
    lexfield knows: queries are encoded by it.
    """
    check(isinstance(path, str | Path | Index), "path", "the path of an index", path)
    index = open_index(path, metric)
    if encoder is not None:
        use_encoder(encoder, need_encodings(index.segments[0].index_store).name)
    return index


def embed(
    texts: Sources,
    vectors: WordVectors | str | Path = "default",
    *,
    language: str = "en",
    encoder: Any = None,
) -> NDArray[np.float32]:
    """Return an (n, d) array with a vector of length 1 per text, as the method ``mean`` compares.

    It is the weighted sum of the vectors of its words, without stopwords of the language. With
    ``encoder``, "minilm" or a model or function, the encoder's vector is returned. A string or path
    that names a file or a folder is read, as everywhere.

    >>> embed(["A cat sat.", "A dog barked."]).shape
    (2, 256)
    """
    every = list(read_texts(texts).texts)
    if encoder is not None:
        return embed_with_encoder(every, encoder)
    return embed_texts(every, vectors, language)


def register(extension: T, name: str | None = None) -> T:
    """Add a search method, a measure, a file reader or a tokenizer, and return it.

    It can then be used by its name, like those of lexfield:

    - a search method is a class with ``name`` and ``search(rows, query, k, among)``;
    - a file reader has ``suffixes`` and ``read(source)``;
    - a measure is a function of two distributions;
    - a tokenizer is a function of one text that returns its words.

    The name is by default the attribute ``name`` of the extension, or its Python name. Raise
    InputError if the name is that of a built-in extension.
    """
    for point in EXTENSION_POINTS:
        if point.fits(extension):
            point.add(name or _find_name(extension), extension)
            return extension
    raise InputError(
        f"{_find_name(extension)} is not an extension that lexfield knows.",
        " ".join(f"A {point.kind} {point.protocol}." for point in EXTENSION_POINTS),
    )


@dataclass(frozen=True)
class ExtensionPoint:
    """A kind of extension: how to recognise it, and where to register it."""

    kind: str
    protocol: str
    fits: Callable[[object], bool]
    add: Callable[[str, Any], None]


def _find_name(extension: object) -> str:
    name = getattr(extension, "name", None) or getattr(extension, "__name__", None)
    return str(name or type(extension).__name__)


def _is_method(extension: object) -> bool:
    return isinstance(extension, type) and callable(getattr(extension, "search", None))


def _is_reader(extension: object) -> bool:
    return hasattr(extension, "suffixes") and callable(getattr(extension, "read", None))


def _takes(count: int) -> Callable[[object], bool]:
    """Return a test for functions of ``count`` arguments."""

    def takes(extension: object) -> bool:
        if not callable(extension) or isinstance(extension, type):
            return False
        required = [
            parameter
            for parameter in inspect.signature(extension).parameters.values()
            if parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        return len(required) == count

    return takes


def _add_method(name: str, kind: type[Any]) -> None:
    register_method(kind)


EXTENSION_POINTS = (
    ExtensionPoint("search method", "is a class with search()", _is_method, _add_method),
    ExtensionPoint("file reader", "has suffixes and read()", _is_reader, READERS.register),
    ExtensionPoint("measure", "is a function of two arrays", _takes(2), MEASURES.register),
    ExtensionPoint("tokenizer", "is a function of one text", _takes(1), TOKENIZERS.register),
)
