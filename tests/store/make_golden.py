"""Write small stores of the current release, with answers, for ``test_versions.py``.

    python -m tests.store.make_golden tests/store/data/golden-0.2.tar.xz

Run it once per release, with the code of that release, and never again.
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import open_index
from lexfield.index.learn_metric import learn_metric
from lexfield.search.index import Index
from lexfield.store.manifest import root_of
from lexfield.text.document import Document
from lexfield.topics.lda import Filters
from lexfield.vectors.wordvectors import WordVectors

QUERY = "the boat in the storm"
METHODS = ("bm25", "lm", "count", "jaccard", "mean", "wmd", "topic")
_WORDS = "boat storm sea harbour bread oven flour baker lamp light window night".split()


def make_documents() -> list[Document]:
    """Return texts of three kinds."""
    rng = np.random.default_rng(3)
    found = []
    for number in range(12):
        kind = _WORDS[4 * (number % 3) :][:4]
        sentences = [" ".join(["the", *rng.choice(kind, 3), "and", *rng.choice(_WORDS, 2)])
                     for _ in range(3)]  # fmt: skip
        text = " ".join(f"{one.capitalize()}." for one in sentences)
        found.append(Document(f"d{number}", text, metadata={"group": f"g{number % 3}"}))
    return found


def ask(index: Any, method: str) -> list[list[Any]]:
    return [[hit.id, round(hit.score, 5)] for hit in index.search(QUERY, method, 3)]


def make(folder: Path) -> None:
    matrix = np.random.default_rng(4).standard_normal((len(_WORDS), 8)).astype(np.float32)
    vectors = WordVectors(_WORDS, matrix, name="golden")
    documents = make_documents()
    plain = Index.build(documents[:10], folder / "plain.idx", vectors=vectors)
    plain.add(documents[10:], vectors=vectors)
    plain.delete(["d3"])
    plain.fit_topics(2, passes=2, filters=Filters(min_count=1, max_share=1, min_length=1))
    learn_metric(plain, "group", "m", shrinkage=0.5)
    build_sharded(documents, folder / "sharded.idx", shards=2, vectors=vectors)
    answers: dict[str, Any] = {}
    for name in ("plain.idx", "sharded.idx"):
        index = open_index(folder / name)
        methods = METHODS if name == "plain.idx" else ("bm25", "lm", "mean", "wmd")
        answers[name] = {method: ask(index, method) for method in methods}
        answers[name]["root"] = root_of(folder / name)
    answers["plain.idx"]["mean under m"] = ask(open_index(folder / "plain.idx", "m"), "mean")
    (folder / "answers.json").write_text(json.dumps(answers, indent=1))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, tarfile.open(sys.argv[1], "w:xz") as archive:
        make(Path(folder))
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.name != ".lock":
                data = path.read_bytes()
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
