"""What is fuzzed: every reader of bytes or text that may come from somebody else.

A target takes bytes and either returns or raises an error of ours. Seeds are good inputs, from
which a fuzzer goes on.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lexfield.bags.algebra import parse_algebra
from lexfield.errors import LexfieldError
from lexfield.evaluate.trec import read_qrels, read_queries, read_run
from lexfield.search.method import format_method
from lexfield.search.registry import parse
from lexfield.serve.uploads import Sent, keep
from lexfield.store.files import block_sums, canonical_json
from lexfield.store.folder import Store, verify
from lexfield.study.build import read_queries as read_study_queries
from lexfield.study.database import Study
from lexfield.text.corpus import Corpus
from lexfield.text.formats import pdf
from lexfield.text.formats.archive import Bounds
from lexfield.text.read import Reader
from lexfield.text.source import Source
from lexfield.vectors.files import read_vectors
from tests.documents import DOCUMENTS, pack
from tests.fault.artefacts import fasttext_model, make_study

FOLDER = Path(
    tempfile.mkdtemp(prefix="fuzz", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
)
WORDS = ["a", "né", "日本", "123"]
ROWS = np.arange(12, dtype="<f4").reshape(4, 3) / 7
LINES = "".join(
    f"{w} {' '.join(map(str, r.tolist()))}\n" for w, r in zip(WORDS, ROWS, strict=True)
).encode()


@dataclass(frozen=True)
class Target:
    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    runs: int  # in a long run


def in_file(name: str, data: bytes) -> Path:
    path = FOLDER / name
    path.write_bytes(data)
    return path


def _vectors(format: str | None) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        path = in_file("x.data", data)
        in_file("x.txt", "\n".join(WORDS).encode())
        file = read_vectors(path, format=format)
        different = np.unique(np.fromiter(map(hash, file.words), np.int64, len(file.words)))
        assert len(file.words) == len(file.matrix) == len(different)
        assert file.matrix.dtype == np.float32 and np.isfinite(file.matrix).all()
        return file.compose and file.compose("größer")

    return read


def _word2vec() -> list[bytes]:
    rows = zip(WORDS, ROWS, strict=True)
    whole = b"4 3\n" + b"".join(w.encode() + b" " + r.tobytes() for w, r in rows)
    return [whole, whole[:-5], b"2 1\na \0\0\0\0\nb \0\0\x80\x3f\n"]


def _text_vectors() -> list[bytes]:
    return [b"4 3\n" + LINES, LINES, gzip.compress(LINES, mtime=0), b"a b 1e3 nan -inf\n c  1 2\n"]


def _fasttext() -> list[bytes]:
    return [fasttext_model(["boat", "né"], 2, 5), fasttext_model(["x"], 1, 1)]


def _safetensors() -> list[bytes]:
    heads = [
        {"e": {"dtype": "F32", "shape": [4, 3], "data_offsets": [0, 48]}},
        {"embeddings": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]},
         "mapping": {"dtype": "I64", "shape": [4], "data_offsets": [12, 44]},
         "weights": {"dtype": "F64", "shape": [4], "data_offsets": [44, 76]},
         "__metadata__": {"a": "b"}},
    ]  # fmt: skip
    texts = [json.dumps(head).encode() for head in heads]
    return [struct.pack("<Q", len(text)) + text + bytes(76) for text in texts]


def _numpy() -> list[bytes]:
    npy, npz, packed = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(npy, ROWS)
    np.savez(npz, words=np.array(WORDS), vectors=ROWS)
    np.savez_compressed(packed, words=np.array(WORDS), vectors=ROWS)
    return [npy.getvalue(), npz.getvalue(), packed.getvalue()]


def _documents(name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        encoding = None if len(data) % 16 == 0 else "utf-8"  # a guess takes long
        return sum(len(d.text) for d in Reader(in_file(name, data), encoding=encoding))

    return read


def _pdf(data: bytes) -> object:
    """Read by a process that goes on to the next; whatever ends it must be reported as damage."""
    return sum(len(d.text) for d in pdf.read(Source(in_file("x.pdf", data))))


def _entries(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(DOCUMENTS[name]())) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


def _inside(name: str, part: str) -> Target:
    """Bytes as the main part of a good package; changes of packed ones fail at its checksum."""
    entries, read = _entries(name), _documents(f"x{name[1:]}")
    return Target(
        lambda data: read(pack({**entries, part: data}, zipfile.ZIP_STORED)),
        lambda: [entries[part]],
        100_000,
    )


def _corpus(data: bytes) -> object:
    corpus = Corpus.read(in_file("x.txt", data))
    some = corpus.sentences[:1000]
    return sum(map(len, some)), corpus.tokens.sum(), sum(map(len, corpus.vocabulary))


def _parquet() -> list[bytes]:
    import pyarrow as pa
    from pyarrow import parquet

    found = []
    for kind in ("none", "snappy", "zstd"):
        out = io.BytesIO()
        table = pa.table({"id": ["a", "b"], "text": ["One text.", "Another é"], "n": [1, 2]})
        parquet.write_table(table, out, compression=kind)
        found.append(out.getvalue())
    return found


def _zip(data: bytes) -> object:
    return keep([Sent("sent.zip", data)], FOLDER, Bounds(entries=50, unpacked=1_000_000))


def _zips() -> list[bytes]:
    found = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            archive.writestr("a/one.txt", "One text. " * 9)
            archive.writestr("../b.csv", "id,text\n1,x\n")
        found.append(out.getvalue())
    return [*found, gzip.compress(b"hello " * 20, mtime=0)]


def _trec(data: bytes) -> object:
    path = in_file("x.run", data)
    read: Callable[[Path], object]
    for read in (read_run, read_qrels, read_queries, read_study_queries):
        with suppress(LexfieldError):
            read(path)
    return None


def _algebra(data: bytes) -> object:
    text = data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")
    return parse_algebra(text)


def _spec(data: bytes) -> object:
    method = parse(data.decode("utf-8", "replace"))
    assert parse(format_method(method)) == method
    return method


def _manifest(data: bytes) -> object:
    """Bytes as a manifest whose checksum is right, or as the pointer, or as an array."""
    import xxhash

    which, body = data[:1], data[1:]
    root = FOLDER / "store"
    (root / "000001").mkdir(parents=True, exist_ok=True)
    array = body if which == b"a" else _array_file()
    entry = {"bytes": len(array), "xxh3": block_sums(array)}
    kept = {"schema": 1, "kind": "thing", "meta": {}, "files": {"a.npy": entry}}
    manifest = body if which == b"m" else canonical_json(kept)
    (root / "000001" / "a.npy").write_bytes(array)
    (root / "000001" / "manifest.json").write_bytes(manifest)
    pointer = {"generation": "000001", "manifest": xxhash.xxh3_64_hexdigest(manifest)}
    (root / "CURRENT").write_bytes(body if which == b"c" else canonical_json(pointer))
    store = Store.open(root)
    verify(root)
    return [store.array(name[:-4]).sum() for name in store._files]


def _array_file() -> bytes:
    out = io.BytesIO()
    np.save(out, ROWS)
    return out.getvalue()


def _manifests() -> list[bytes]:
    entry = {"bytes": len(_array_file()), "xxh3": block_sums(_array_file())}
    kept = {"schema": 1, "kind": "thing", "meta": {}, "files": {"a.npy": entry}}
    pointer = {"generation": "000001", "manifest": "0" * 16}
    return [b"m" + canonical_json(kept), b"a" + _array_file(), b"c" + canonical_json(pointer)]


def _study(data: bytes) -> object:
    with Study(in_file("x.db", data)) as study:
        return study.participants(), study.answers(), study.suggestions


def _studies() -> list[bytes]:
    path = FOLDER / "seed.db"
    path.unlink(missing_ok=True)
    make_study(path, 1, 1)
    return [path.read_bytes()]


def _records() -> list[bytes]:
    return [
        b'{"id": "a", "text": "One."}\n{"id": 2, "text": null, "x": [1, {"y": 2}]}\n',
        '\ufeff{"text": "\\ud800 é"}\r\n'.encode(),
        gzip.compress(b'{"text": "a"}\n', mtime=0),
    ]


def _tables() -> list[bytes]:
    return [b'id,text\n1,"a ""b"" c"\n2,d\n', b"text\r\nx\r\n", "text\nü\n".encode("utf-16")]


TARGETS: dict[str, Target] = {
    "word2vec bin": Target(_vectors("word2vec-bin"), _word2vec, 300_000),
    "vectors as text": Target(_vectors(None), _text_vectors, 200_000),
    "fastText bin": Target(_vectors("fasttext-bin"), _fasttext, 200_000),
    "safetensors": Target(_vectors("safetensors"), _safetensors, 200_000),
    "NumPy": Target(_vectors("numpy"), _numpy, 100_000),
    "jsonl": Target(_documents("x.jsonl"), _records, 150_000),
    "csv": Target(_documents("x.csv"), _tables, 150_000),
    "parquet": Target(_documents("x.parquet"), _parquet, 50_000),
    "zip": Target(_zip, _zips, 100_000),
    "TREC and queries": Target(_trec, lambda: [b"q1 Q0 d1 1 2.5 run\n", b"q1 0 d1 1\n",
                                               b'{"_id": "1", "text": "x"}\n'], 300_000),
    "bag queries": Target(_algebra, lambda: [b'3*a + 2*"b c" - 0.5*d', "“x y” .5*z-y".encode()],
                          600_000),
    "specs": Target(_spec, lambda: [b"setcover(r=10, penalty=0.5)", b"fuse(ideas, topic)",
                                    b"translation(threshold=0.6, by=none)"], 600_000),
    "manifest": Target(_manifest, _manifests, 150_000),
    "study": Target(_study, _studies, 20_000),
    "plain text": Target(_corpus, lambda: ["Mr. X came. “No!” he said…".encode(), b"\xff\xfea\0",
                                           b"a\xe9b"], 60_000),
}  # fmt: skip


TARGETS |= {
    name: Target(_documents(f"x{name[1:]}"), lambda made=made: [made()], 50_000)  # type: ignore[misc]
    for name, made in DOCUMENTS.items()
}
TARGETS |= {
    part: _inside(name, part)
    for name, part in (
        ("a.docx", "word/document.xml"), ("a.odt", "content.xml"), ("a.epub", "O/b.opf")
    )
}  # fmt: skip
TARGETS["a.pdf"] = Target(_pdf, lambda: [DOCUMENTS["a.pdf"]()], 50_000)


@contextmanager
def no_flushing() -> Iterator[None]:
    """Files in memory need not be flushed; a fuzzer writes very many."""
    import os

    real, os.fsync = os.fsync, lambda handle: None  # type: ignore[assignment]
    try:
        yield
    finally:
        os.fsync = real
