"""Time and memory of readers as their input grows: adversarial text of 1, 10 and 100 MB.

A reader is linear if ten times the input takes about ten times as long. Memory is what Python and
NumPy took at most (tracemalloc), over the size of the input.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lexfield.text.normalise import Normalisation
from lexfield.text.segment import mark_sentences, split_words

MB = 1_000_000
TEXTS: dict[str, Callable[[int], str]] = {
    "points": lambda n: "." * n,
    "points and spaces": lambda n: ". " * (n // 2),
    "spaces": lambda n: " " * n,
    "new lines": lambda n: "\n" * n,
    "new lines and spaces": lambda n: "\n " * (n // 2),
    "one word": lambda n: "a" * n,
    "apostrophes": lambda n: "a'" * (n // 2),
    "apostrophes alone": lambda n: "'" * n,
    "numbers": lambda n: "1." * (n // 2),
    "brackets": lambda n: "!" + "(" * (n - 1),
    "closing quotes": lambda n: "!" + "”" * (n // 3),
    "a mark and spaces": lambda n: ("!" + " " * 999) * (n // 1000),
    "marks on one letter": lambda n: "a" + "\u0301" * (n // 2),
    "marks out of order": lambda n: "a" + "\u0315\u0300" * (n // 4),
    "initials": lambda n: "A. " * (n // 3),
    "abbreviations": lambda n: "Dr. Mr. St. " * (n // 12),
    "Han": lambda n: "漢。" * (n // 6),
    "every character": lambda n: "".join(map(chr, range(1, 0xD800))) * (n // 150_000 + 1),
    "random": lambda n: "".join(random.Random(0).choices(" .!?\n'\"()aZ1é漢\u0301’”-", k=n)),
}
NORMALISE = Normalisation()


def seconds_of(text: str) -> float:
    start = time.process_time()
    for _, marked in mark_sentences(text, NORMALISE):
        split_words(marked)
    return time.process_time() - start


def tokenising(sizes: tuple[int, ...]) -> dict[str, Any]:
    """Seconds a MB of each text at each size, and how much worse the largest is than the least."""
    found = {}
    for name, make in TEXTS.items():
        times = {}
        for size in sizes:
            times[size] = seconds_of(make(size * MB)) / size
        rates = {f"{size} MB": round(time_, 4) for size, time_ in times.items()}
        worse = times[max(times)] / max(times[min(times)], 0.005)
        found[name] = {**rates, "worse": round(worse, 2)}
    return found


def read_at(name: str, shape: str, size: int) -> dict[str, float]:
    """A target of the fuzzer with a large input of its kind, in MB: seconds and memory a byte."""
    from lexfield.errors import LexfieldError
    from tests.fault.targets import TARGETS, no_flushing

    read = TARGETS[name].read
    data = LARGE[name][shape](size * MB)
    with no_flushing():
        for measured in (False, True):
            if measured:
                tracemalloc.start(1)
            start = time.process_time()
            with contextlib.suppress(LexfieldError):
                read(data)
            if not measured:
                taken = time.process_time() - start
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "seconds a 100 kB": round(taken / len(data) * 100_000, 4),
        "memory over size": round((memory - 8 * MB) / len(data), 2),
    }


def _rows(n: int) -> bytes:
    import numpy as np

    count = n // 408
    rows = np.ones((count, 100), "<f4")
    words = (f"w{i:06d} ".encode() for i in range(count))
    body = b"".join(word + row.tobytes() for word, row in zip(words, rows, strict=True))
    return b"%d 100\n" % count + body


def _fasttext(n: int) -> bytes:
    from tests.fault.artefacts import fasttext_model

    return fasttext_model([f"w{number}" for number in range(n // 21)], dims=1, buckets=9)


def _tensors(n: int) -> bytes:
    one = '"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    head = "{" + ",".join(one % number for number in range(n // 59)) + "}"
    return struct.pack("<Q", len(head)) + head.encode()


def _zip(n: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(n // 100):
            archive.writestr(str(number), b"")
    return out.getvalue()


def _records(record: bytes) -> Callable[[int], bytes]:
    return lambda n: record * (n // len(record))


def _numbered(line: bytes) -> Callable[[int], bytes]:
    """Lines that differ by their number, which stands for each %d."""
    count = line.count(b"%d")
    return lambda n: b"".join(line % ((i,) * count) for i in range(n // (len(line) + 4 * count)))


# For each target the shapes that are hardest for it: one large thing, or very many small ones.
LARGE: dict[str, dict[str, Callable[[int], bytes]]] = {
    "word2vec bin": {"100 numbers a word": _rows},
    "vectors as text": {
        "100 numbers a word": lambda n: _numbered(b"w%d" + b" 0.125" * 100 + b"\n")(n),
        "3 numbers a word": _numbered(b"w%d 0.125 -2.5 3e-5\n"),
    },
    "fastText bin": {"1 number a word": _fasttext},
    "safetensors": {"many tensors": _tensors},
    "jsonl": {
        "one text": lambda n: b'{"text": "' + b"a b. " * (n // 5) + b'"}',
        "small texts": _records(b'{"text":"a"}\n'),
        "small values": lambda n: b'{"text": "a", "x": [' + b"[]," * (n // 3) + b"0]}",
    },
    "csv": {
        "one text": lambda n: b"text\n" + b'"' + b'a ""b"". ' * (n // 9) + b'"\n',
        "one text of empty lines": lambda n: b'text\n"' + b"\n" * n + b'"\n',
        "small texts": lambda n: b"text\n" + b"a few words\n" * (n // 12),
    },
    "TREC and queries": {
        "a line a query": _numbered(b"q%d Q0 d%d 1 2.5 r\n"),
        "a query": _numbered(b"q Q0 d%d 1 2.5 r\n"),
        "judgements, a line a query": _numbered(b"q%d 0 d%d 1\n"),
        "queries": _numbered(b'{"_id": "%d", "text": "some words to look for"}\n'),
    },
    "zip": {"small entries": _zip},
    "bag queries": {"many words": lambda n: b'3*a + 2*"b c" - ' * (n // 16) + b"d"},
    "specs": {"nested": lambda n: b"fuse(" * (n // 5)},
    "manifest": {
        "nested": lambda n: b"m" + b"[" * n,
        "small values": lambda n: b'm{"schema": [' + b"[]," * (n // 3) + b"0]}",
    },
    "plain text": {
        "a book": _records(b"It was the best of times, it was the worst of times. "),
        "one word": _records(b"a"),
        "initials": _records(b"A. b "),
        "different words": _numbered(b"w%d "),
        "a word a sentence": _records(b"A! "),
        "a word a sentence, not ASCII": _records("É! ".encode()),
    },
}


def long(folder: Path) -> dict[str, Any]:
    tokens = tokenising((1, 10, 100))
    print(json.dumps(tokens, indent=1), flush=True)
    readers = {
        f"{name}: {shape}": read_at(name, shape, 10) for name in LARGE for shape in LARGE[name]
    }
    worst = max(one["worse"] for one in tokens.values())
    return {"tokenising": tokens, "worst": worst, "readers": readers}
