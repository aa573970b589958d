"""The same damage done to what others save: each peer as its manual shows, loaded and asked.

A peer counts as having seen the damage if it raises anything at all. What it does not see is the
same answer as before, another answer, or the end of the process.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tests.fault.artefacts import Artefact, digest, documents
from tests.fault.rot import Damage, damaged, sample
from tests.fault.trials import run_trials, tally

Use = Callable[[Path], str]
_ROWS, _DIMS, _K = 400, 32, 10


def vectors() -> Any:
    return np.random.default_rng(0).normal(size=(_ROWS, _DIMS)).astype(np.float32)


def texts() -> list[str]:
    return [document.text for document in documents(0, 200)]


def _safetensors(path: Path) -> Use:
    from safetensors.numpy import load_file, save_file

    save_file({"vectors": vectors()}, path / "x.safetensors")
    return lambda at: digest(load_file(at / "x.safetensors")["vectors"].tobytes().hex())


def _faiss(path: Path) -> Use:
    import faiss

    index = faiss.IndexHNSWFlat(_DIMS, 16)
    index.add(vectors())
    faiss.write_index(index, str(path / "x.faiss"))

    def use(at: Path) -> str:
        distances, rows = faiss.read_index(str(at / "x.faiss")).search(vectors()[:50], _K)
        return digest(rows.tolist(), distances.tolist())

    return use


def _hnswlib(path: Path) -> Use:
    import hnswlib

    index = hnswlib.Index(space="l2", dim=_DIMS)
    index.init_index(max_elements=_ROWS)
    index.add_items(vectors(), num_threads=1)
    index.save_index(str(path / "x.bin"))

    def use(at: Path) -> str:
        loaded = hnswlib.Index(space="l2", dim=_DIMS)
        loaded.load_index(str(at / "x.bin"))
        rows, distances = loaded.knn_query(vectors()[:50], k=_K, num_threads=1)
        return digest(rows.tolist(), distances.tolist())

    return use


def _usearch(path: Path) -> Use:
    from usearch.index import Index

    index = Index(ndim=_DIMS, metric="l2sq")
    index.add(np.arange(_ROWS), vectors())
    index.save(str(path / "x.usearch"))

    def use(at: Path) -> str:
        loaded = Index.restore(str(at / "x.usearch"))
        found = loaded.search(vectors()[:50], _K, exact=True)
        return digest(found.keys.tolist(), found.distances.tolist())

    return use


def _bm25s(path: Path) -> Use:
    import bm25s

    tokens = bm25s.tokenize(texts(), show_progress=False)
    model = bm25s.BM25(corpus=texts())
    model.index(tokens, show_progress=False)
    model.save(str(path / "bm25"), corpus=texts())

    def use(at: Path) -> str:
        loaded = bm25s.BM25.load(str(at / "bm25"), load_corpus=True)
        asked = bm25s.tokenize(texts()[:50], show_progress=False)
        rows, scores = loaded.retrieve(asked, k=_K, show_progress=False, n_threads=0)
        return digest([[one["text"] for one in row] for row in rows], scores.tolist())

    return use


def _gensim(path: Path) -> Use:
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(_DIMS)
    keyed.add_vectors([f"word{n}" for n in range(_ROWS)], vectors())
    keyed.save(str(path / "x.kv"))

    def use(at: Path) -> str:
        loaded = KeyedVectors.load(str(at / "x.kv"))
        near = [loaded.most_similar(f"word{n}", topn=_K) for n in range(50)]
        return digest(near, loaded.vectors.tobytes().hex(), loaded.index_to_key)

    return use


def _joblib(path: Path) -> Use:
    import joblib

    joblib.dump({"vectors": vectors(), "words": texts()}, path / "x.joblib")

    def use(at: Path) -> str:
        loaded = joblib.load(at / "x.joblib")
        return digest(loaded["vectors"].tobytes().hex(), loaded["words"])

    return use


def _tantivy(path: Path) -> Use:
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("text", stored=True).build()
    index = tantivy.Index(schema, path=str(path))
    writer = index.writer(num_threads=1)
    for text in texts():
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()

    def use(at: Path) -> str:
        opened = tantivy.Index.open(str(at))
        searcher = opened.searcher()
        found = []
        for word in ("boat", "storm", "harbour", "bread", "snow"):
            hits = searcher.search(opened.parse_query(word, ["text"]), 50).hits
            found.append([(score, searcher.doc(at)["text"]) for score, at in hits])
        return digest(found)

    return use


def _sqlite(path: Path) -> Use:
    with closing(sqlite3.connect(path / "x.db")) as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
        connection.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts()])
        connection.commit()

    def use(at: Path) -> str:
        with closing(sqlite3.connect(at / "x.db")) as opened:
            found = [
                opened.execute(
                    "SELECT rowid, text, bm25(t) FROM t WHERE t MATCH ? ORDER BY 3, 1", (word,)
                ).fetchall()
                for word in ("boat", "storm", "harbour", "bread", "snow")
            ]
        return digest(found)

    return use


PEERS: dict[str, Callable[[Path], Use]] = {
    "safetensors": _safetensors,
    "faiss": _faiss,
    "hnswlib": _hnswlib,
    "usearch": _usearch,
    "bm25s": _bm25s,
    "gensim": _gensim,
    "joblib": _joblib,
    "tantivy": _tantivy,
    "SQLite FTS5": _sqlite,
}


def damage_peer(name: str, folder: Path, count: int, seed: int = 0) -> dict[str, Any]:
    """Bits of a peer's files flipped; ImportError where it is not installed."""
    folder.mkdir()
    use = PEERS[name](folder)
    before = use(folder)
    assert use(folder) == before
    files = Artefact(name, folder, use).files()
    files = [path for path in files if path.stat().st_size]
    copies = {path: path.read_bytes() for path in files}

    def repair() -> None:
        for path, data in copies.items():
            path.write_bytes(data)

    def one(damage: Damage) -> str:
        with damaged(damage):
            try:
                return "same" if use(folder) == before else "wrong"
            except BaseException as error:  # Rust's panics are no Exceptions
                return f"detected {type(error).__name__}"

    trials = sample(files, count, True, seed)
    words = run_trials(trials, one, repair=repair, seconds=30)
    result = {"flips": len(trials), "bytes": sum(map(len, copies.values())), **tally(words)}
    return {**result, "unseen": 1 - result.get("detected", 0) / len(trials)}


def main() -> None:
    """``python -m tests.fault.peers NAME FOLDER COUNT``: its result as JSON, the last line."""
    name, folder, count = sys.argv[1:]
    print("\n" + json.dumps(damage_peer(name, Path(folder), int(count))), flush=True)
    os._exit(0)  # what a peer does at the end is no matter


if __name__ == "__main__":
    main()
