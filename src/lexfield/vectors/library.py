"""Vector sets by name: the embedded one, those of extras, and what the user imported.

Imported sets live in ``LEXFIELD_HOME`` (by default the user's data folder) as stores. A file that
is loaded by path is kept there too, under a digest of its path, size and time, so that it is parsed
once.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from lexfield.errors import CorruptError, InputError, NotAStoreError, StoreError, check, list_names
from lexfield.progress import Progress, silent
from lexfield.store.folder import Store, Writer, discard, write
from lexfield.vectors.formats.fasttext import Subwords
from lexfield.vectors.load import VectorFile, read_vectors
from lexfield.vectors.wordvectors import VectorSet, WordVectors

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_BUILT_IN = ("default", "glove")


def home() -> Path:
    """Where imported vectors are kept."""
    if folder := os.environ.get("LEXFIELD_HOME"):
        return Path(folder)
    from platformdirs import user_data_path

    return user_data_path("lexfield")


def load(
    source: str | Path, *, limit: int | None = None, progress: Progress = silent
) -> WordVectors:
    """A set by name, by folder, or by file."""
    check(limit is None or limit >= 1, "limit", "at least 1", limit)
    name = str(source)
    if name in _BUILT_IN:
        from lexfield.vectors import builtin

        return _limited(getattr(builtin, name)(), limit)
    if (folder := imported_folder(name)) is not None:
        return _limited(_open(folder), limit)
    path = Path(source)
    if (metric := find_metric(path)) is not None:
        return _limited(_under_metric(metric), limit)
    if (path / "CURRENT").is_file():
        return _limited(_open(path), limit)
    if path.exists():
        return _load_file(path, limit, progress)
    known = list_names(entry.name for entry in listing())
    raise InputError(
        f"There are no vectors called {name!r}, and no such file.", f"Known by name: {known}."
    )


def find_metric(path: Path) -> Store | None:
    """The metric at a path such as ``my.idx/metrics/NAME``: a part of the index, not a folder."""
    index = path.parent.parent
    if path.parent.name != "metrics" or not (index / "CURRENT").is_file():
        return None
    return Store.open(index).part(f"metrics/{path.name}")


def absolute(source: str) -> str:
    """The name of a set as it is, and a path so that it can be found from every folder."""
    path = Path(source)
    return str(path.resolve()) if path.exists() or find_metric(path) else source


def import_file(
    path: str | Path, name: str, *, limit: int | None = None, progress: Progress = silent
) -> WordVectors:
    """Read a vector file and keep it under a name."""
    if not _NAME.fullmatch(name) or name in _BUILT_IN:
        raise InputError(
            f"{name!r} cannot be the name of a vector set.",
            "Use letters, digits, '.', '_' and '-'; 'default' and 'glove' are taken.",
        )
    file = read_vectors(path, limit=limit, progress=progress)
    folder = _imported() / name
    with write(folder, "vectors") as out:
        _save(file, name, out)
    return _open(folder)


def listing() -> list[VectorSet]:
    """All sets that have a name."""
    from lexfield.vectors.builtin import available

    sets = list(available())
    if _imported().is_dir():
        for folder in sorted(_imported().iterdir()):
            try:
                meta = Store.open(folder, "vectors").meta
            except StoreError as error:
                sets.append(VectorSet(folder.name, None, None, f"unusable: {error.message}"))
            else:
                sets.append(VectorSet(folder.name, meta["words"], meta["dims"], str(folder)))
    return sets


def imported_folder(name: str) -> Path | None:
    """Return the folder of an imported set, which another import may replace; None if no such."""
    folder = _imported() / name
    return folder if _NAME.fullmatch(name) and folder.is_dir() else None


def _imported() -> Path:
    return home() / "vectors"


def _load_file(path: Path, limit: int | None, progress: Progress) -> WordVectors:
    """Parse a file, or map the copy that an earlier load has left."""
    stat = path.stat()
    key = f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}|{limit}"
    folder = home() / "cache" / hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
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
        vectors = _from_file(file, path.stem)
        vectors.notes.append(f"no copy was kept for the next load: {error}")
        return vectors
    return _open(folder)


def _save(file: VectorFile, name: str, out: Writer) -> None:
    out.strings("words", file.words)
    out.array("matrix", file.matrix)
    out.meta.update(
        name=name,
        words=len(file.words),
        dims=int(file.matrix.shape[1]),
        format=file.format,
        notes=file.notes,
    )
    if file.subwords:
        arrays, numbers = file.subwords.arrays()
        for key, values in arrays.items():
            out.array(f"subwords.{key}", values)
        out.meta["subwords"] = {"arrays": sorted(arrays), "numbers": numbers}


def _open(folder: Path) -> WordVectors:
    store = Store.open(folder)
    if store.kind != "vectors":
        raise NotAStoreError(f"{folder} holds a {store.kind}, not vectors.")
    compose = None
    if saved := store.meta.get("subwords"):
        arrays = {key: store.array(f"subwords.{key}") for key in saved["arrays"]}
        compose = Subwords.from_arrays(arrays, saved["numbers"]).vector
    return WordVectors(
        list(store.strings("words")),
        store.array("matrix"),
        name=store.meta["name"],
        notes=store.meta["notes"],
        compose=compose,
    )


def _under_metric(store: Store) -> WordVectors:
    """The set that a metric was learned on, mapped by it."""
    source = store.meta["vectors"]["source"]
    if source in (None, "encoder"):
        raise InputError(
            f"The metric {store.meta['name']!r} was learned on vectors that are no file or set"
            " of their own.",
            "Search its index under it instead: lexfield search IDX TEXT --metric NAME",
        )
    return load(source).mapped(store.array("words.map"), f"{source} under {store.meta['name']}")


def _from_file(file: VectorFile, name: str) -> WordVectors:
    compose = file.subwords.vector if file.subwords else None
    return WordVectors(file.words, file.matrix, name=name, notes=file.notes, compose=compose)


def _limited(vectors: WordVectors, limit: int | None) -> WordVectors:
    if limit is None or limit >= len(vectors):
        return vectors
    return WordVectors(
        vectors.words[:limit], vectors.matrix[:limit], name=vectors.name, notes=vectors.notes
    )
