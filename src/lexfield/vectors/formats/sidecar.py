"""The words of a matrix, from a file next to it: one word per line, or a ``tokenizer.json``."""

from __future__ import annotations

import json
from pathlib import Path

from lexfield.errors import VectorsError
from lexfield.vectors.formats.common import BLOCK, BOM, WordList, open_source

_SUFFIXES = (".txt", ".words")
_TOKENIZER = "tokenizer.json"


def read_words(path: Path, rows: int, *, tokenizer: bool) -> tuple[list[str], list[str]]:
    """Return a word per row, and notes."""
    files = [path.with_suffix(suffix) for suffix in _SUFFIXES]
    file = next((file for file in files if file.is_file()), path.with_name(_TOKENIZER))
    notes: list[str] = []
    if file in files:
        words, notes = _read_lines(file)
    elif tokenizer and file.is_file():
        words = _read_tokens(file)
    else:
        raise VectorsError(
            f"{path} holds vectors but no words.",
            f"Put the words, one per line, into {files[0].name} or {files[1].name} next to it"
            + (f", or {_TOKENIZER}." if tokenizer else "."),
        )
    check_count(file, len(words), rows)
    return words, notes


def check_count(file: object, words: int, rows: int) -> None:
    if words != rows:
        raise VectorsError(
            f"{file}: number of words ({words:,}) does not match number of vectors ({rows:,})."
        )


def _read_lines(path: Path) -> tuple[list[str], list[str]]:
    lines = _read_bytes(path).removeprefix(BOM).split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    words = WordList()
    words.add([line.strip() for line in lines])
    return words.words, words.notes()


def _read_tokens(path: Path) -> list[str]:
    """Return tokens in the order of their ids, including those added to the vocabulary."""
    try:
        tree = json.loads(_read_bytes(path))
        vocabulary = tree["model"]["vocab"]
        tokens = {token["id"]: token["content"] for token in tree.get("added_tokens") or ()}
        if isinstance(vocabulary, dict):  # WordPiece, BPE and WordLevel: token → id
            tokens |= {number: token for token, number in vocabulary.items()}
        else:  # Unigram: [token, score] in the order of ids
            tokens |= {number: token for number, (token, _) in enumerate(vocabulary)}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise VectorsError(f"{path} is not a tokenizer with a vocabulary: {error!r}.") from error
    if not all(type(n) is int for n in tokens) or set(tokens) != set(range(len(tokens))):
        raise VectorsError(f"{path}: token ids must be 0 to {len(tokens) - 1:,} without gaps.")
    if not all(isinstance(token, str) for token in tokens.values()):
        raise VectorsError(f"{path}: tokens must be text.")
    return [tokens[number] for number in range(len(tokens))]


def _read_bytes(path: Path) -> bytes:
    with open_source(path) as source:
        return b"".join(iter(lambda: source.read(BLOCK), b""))
