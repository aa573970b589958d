"""One small thing of each kind that lexfield keeps on disk, and a use of everything in it.

``Artefact.use`` opens it anew, asks all it can be asked, and gives a digest of the answers: the
same as before, or an error of ours; anything else is a fault.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lexfield.index.learn_metric import learn_metric
from lexfield.search.index import Index
from lexfield.study.database import Study, create
from lexfield.study.design import Design, StudyQuery
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.vectors import sources
from lexfield.vectors.wordvectors import WordVectors

METHODS = (
    "ideas", "setcover", "mean", "wmd", "jaccard", "edit", "bow", "count", "frequency", "bm25",
    "lm", "translation(threshold=0.6)",
)  # fmt: skip
QUERY = "The old boat came home before the storm"
_PARTS = (
    "The boat came home before the storm.", "A grey ship sailed over the cold sea.",
    "The farmer ploughed his dry field alone.", "Rain fell on the roof all night.",
    "She baked bread and sold it in the square.", "The cat slept near the warm oven.",
    "Two children lost their way in the wood.", "An old man lit the lamp in the tower.",
    "The train was late, as it was every winter.", "Nobody answered the letter from the bank.",
    "Stars burned above the quiet harbour.", "The doctor drove through snow to the village.",
)  # fmt: skip


@dataclass(frozen=True)
class Artefact:
    """root: what ``use`` is given. part: what the names of the files begin with that are damaged;
    "" for all that are of no part.

    has_unused_bytes: in an SQLite file, damage to bytes that belong to no row may go unnoticed.
    """

    name: str
    root: Path
    use: Callable[[Path], str]
    part: str = ""
    has_unused_bytes: bool = False

    def files(self) -> list[Path]:
        """Every file of the part, but for locks and markers, which are empty."""
        if self.root.is_file():
            return [self.root]
        return [
            path
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
            and path.stat().st_size
            and (path.name.startswith(self.part) if self.part else "@" not in path.name)
        ]


def documents(first: int, count: int) -> list[Document]:
    """Short texts, each its own; the group of a text is what a metric is learned from."""
    return [
        Document(
            f"d{n}",
            " ".join(_PARTS[(n * k + n // 5) % len(_PARTS)] for k in (1, 5, 7)) + f" Number {n}.",
            f"source {n}",
            {"group": f"g{n % 4}"},
        )
        for n in range(first, first + count)
    ]


def make_index(path: Path) -> Index:
    """Two segments and a deletion."""
    index = Index.build(Corpus.of(documents(0, 16)), path)
    index.add(documents(16, 4))
    index.delete(["d3"])
    return index


def digest(*values: Any) -> str:
    text = json.dumps(values, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def answers(index: Index, methods: tuple[str, ...] = METHODS, query: str = QUERY) -> Any:
    """What every method says, with reasons, of sentences and of documents."""
    return [
        index.search(query, method, 3, unit=unit).to_dicts(explain=unit == "document")
        for method in methods
        for unit in ("sentence", "document")
    ]


def use_index(path: Path) -> str:
    index = Index.open(path)
    texts = [(d.id, d.text, d.source, dict(d.metadata)) for d in index.corpus.documents]
    return digest(answers(index), index.info(), texts)


def use_topics(path: Path) -> str:
    index = Index.open(path)
    model = index.search(QUERY, "topic", 3).to_dicts()
    return digest(model, index.like("d1", "topic", 3).to_dicts())


def use_metric(path: Path) -> str:
    index = Index.open(path, metric="m")
    found = answers(index, ("mean", "ideas", "wmd"))
    return digest(
        found, sources.load_vectors(path / "metrics" / "m").matrix.tobytes().hex()[:10_000]
    )


def use_vectors(path: Path) -> str:
    vectors = WordVectors.load(path)
    near = vectors.nearest("harbour", 5).to_dicts()
    return digest(vectors.words, vectors.matrix.tobytes().hex(), near, vectors["shipyard"].tolist())


def use_study(path: Path) -> str:
    with Study(path) as study:
        people = study.participants()
        asked = [study.question(one) for one in people]
        answered = [study.count_answers(one) for one in people]
        shown = {str(query): lists for query, lists in study.suggestions.items()}
        return digest(study.facts, shown, people, asked, answered, study.answers())


def fasttext_model(words: list[str], dims: int = 8, buckets: int = 50) -> bytes:
    """A fastText model: subwords too are kept with a vector set."""
    rng = np.random.default_rng(0)
    head = struct.pack(
        "<2i12id", 793712314, 12, dims, 5, 5, 1, 5, 1, 2, 2, buckets, 3, 5, 100, 1e-4
    )
    head += struct.pack("<3i2q", len(words), len(words), 0, 100, -1)
    head += b"".join(word.encode() + b"\0" + struct.pack("<qb", 9, 0) for word in words)
    rows = rng.normal(size=(len(words) + buckets, dims)).astype("<f4")
    head += struct.pack("<?2q", 0, *rows.shape) + rows.tobytes()
    return head + struct.pack("<?2q", 0, 1, dims) + bytes(4 * dims)


def make_study(path: Path, people: int = 4, answered: int = 5) -> None:
    methods = ("ideas", "mean", "wmd", "jaccard", "edit")
    queries = [StudyQuery(f"What of number {n}?") for n in range(6)]
    lists = [{m: [f"{m} {i} of {n}." for i in range(4)] for m in methods} for n in range(6)]
    design = Design("choose3", methods[:1], methods[1:], 0)
    with create(path, design, queries, lists, {"source": "fault"}) as study:
        for _ in range(people):
            one = study.join(simulated=True)
            for place in range(answered):
                study.answer(one, place, [0, 2, 3])


def make_all(folder: Path) -> list[Artefact]:
    """All of them, in a folder; ``LEXFIELD_HOME`` should be a folder of the caller's."""
    words = sorted({word.strip(".,").lower() for part in _PARTS for word in part.split()})
    (folder / "model.bin").write_bytes(fasttext_model(words))
    sources.import_file(folder / "model.bin", "small")
    index = folder / "x.idx"
    made = make_index(index)
    made.fit_topics(4, passes=2)
    learn_metric(made, "group", "m", shrinkage=0.5)
    make_study(folder / "study.db")
    vectors = sources.find_home() / "vectors" / "small"
    return [
        Artefact("index", index, use_index),
        Artefact("vector set", vectors, use_vectors),
        Artefact("topic model", index, use_topics, "topics@"),
        Artefact("learned metric", index, use_metric, "metrics@"),
        Artefact("study database", folder / "study.db", use_study, has_unused_bytes=True),
    ]
