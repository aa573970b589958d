"""Which format a file is in, by its first bytes; its name only tells fastText's text apart."""

from __future__ import annotations

import struct

from lexfield.errors import VectorsError
from lexfield.vectors.formats.common import Source
from lexfield.vectors.formats.fasttext_bin import MAGIC
from lexfield.vectors.formats.npy import NPY_MAGIC, ZIP_MAGICS
from lexfield.vectors.formats.text import BOM, HEADER

_SAMPLE = 1 << 16
_TEXT = bytes([*b"\t\r", *range(0x20, 0x7F)])


def detect(source: Source) -> str:
    """The name of the format; the source is left at its beginning."""
    head = source.read(_SAMPLE)
    source.seek(0)
    if not head.strip():
        raise VectorsError(f"{source} is empty." if not head else f"{source} is blank.")
    if head.startswith(NPY_MAGIC) or head.startswith(ZIP_MAGICS):
        return "numpy"
    if head[:4] == struct.pack("<i", MAGIC):
        return "fasttext-bin"
    if head[0] == 0x80 and head[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        raise pickled(source)
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= source.size - 8:
        return "safetensors"
    first, _, rest = head.removeprefix(BOM).partition(b"\n")
    if HEADER.fullmatch(first):
        if _looks_like_text(rest.partition(b"\n")[0]):
            return "fasttext-vec" if ".vec" in source.path.suffixes else "word2vec-text"
        return "word2vec-bin"
    if b"\0" in head:
        raise VectorsError(
            f"{source} is in no format that lexfield knows.",
            "It reads word2vec, GloVe, fastText, safetensors and NumPy files.",
        )
    return "glove"


def pickled(source: Source) -> VectorsError:
    """The refusal of a pickle, with the line that turns gensim's into something readable."""
    name = source.path.name
    load = "Word2Vec.load" if source.path.suffix == ".model" else "KeyedVectors.load"
    vectors = ".wv" if source.path.suffix == ".model" else ""
    return VectorsError(
        f"{source} is a pickle, which can run code when it is opened; lexfield reads none.",
        "If gensim wrote it, export it: gensim.models."
        f'{load}("{name}"){vectors}.save_word2vec_format("{source.path.stem}.bin", binary=True)',
    )


def _looks_like_text(row: bytes) -> bool:
    """Whether the row after a header is text: printable, with a number among its fields."""
    fields = row.split(b" ")[1:]
    if b"".join(fields).translate(None, _TEXT):
        return False
    for field in fields or row.split()[1:]:
        try:
            float(field)
        except ValueError:
            continue
        return True
    return not row.strip()
