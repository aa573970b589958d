"""The words of a matrix, from the file beside it: one word a line, or a ``tokenizer.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lexfield.errors import VectorsError
from lexfield.vectors.formats.common import BLOCK, decode, opened, replaced_note

_SUFFIXES = (".txt", ".words")
_TOKENIZER = "tokenizer.json"


def read_words(path: Path, rows: int, *, tokenizer: bool) -> tuple[list[str], list[str]]:
    """A word for each row, and notes."""
    for suffix in _SUFFIXES:
        if (file := path.with_suffix(suffix)).is_file():
            words, notes = _lines(file)
            return _matching(words, rows, file), notes
    file = path.with_name(_TOKENIZER)
    if tokenizer and file.is_file():
        return _matching(_tokens(file), rows, file), []
    names = [path.with_suffix(suffix).name for suffix in _SUFFIXES]
    raise VectorsError(
        f"{path} holds vectors but no words.",
        f"Put the words, one a line, into {names[0]} or {names[1]} beside it"
        + (f", or {_TOKENIZER}." if tokenizer else "."),
    )


def _matching(words: list[str], rows: int, file: Path) -> list[str]:
    if len(words) != rows:
        raise VectorsError(
            f"{file}: number of words ({len(words):,}) does not match number of vectors ({rows:,})."
        )
    return words


def _lines(path: Path) -> tuple[list[str], list[str]]:
    lines = _content(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    words, broken = decode([line.strip() for line in lines])
    return words, replaced_note(broken)


def _tokens(path: Path) -> list[str]:
    """Tokens in the order of their ids, those added to the model's vocabulary included."""
    try:
        tree = json.loads(_content(path))
        vocabulary = tree["model"]["vocab"]
        pairs: list[tuple[Any, Any]] = [
            (token["id"], token["content"]) for token in tree.get("added_tokens") or ()
        ]
        if isinstance(vocabulary, dict):  # WordPiece, BPE and WordLevel: token → id
            pairs += [(number, token) for token, number in vocabulary.items()]
        else:  # Unigram: [token, score] in the order of ids
            pairs += [(number, token) for number, (token, _) in enumerate(vocabulary)]
        tokens = dict(pairs)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise VectorsError(f"{path} is not a tokenizer with a vocabulary: {error!r}.") from error
    if not all(type(n) is int for n in tokens) or set(tokens) != set(range(len(tokens))):
        raise VectorsError(f"{path}: token ids must be 0 to {len(tokens) - 1:,} without gaps.")
    if not all(isinstance(token, str) for token in tokens.values()):
        raise VectorsError(f"{path}: tokens must be text.")
    return [tokens[number] for number in range(len(tokens))]


def _content(path: Path) -> bytes:
    with opened(path) as source:
        pieces = []
        while piece := source.read(BLOCK):
            pieces.append(piece)
    return b"".join(pieces)
