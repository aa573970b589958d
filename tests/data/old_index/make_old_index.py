"""Write ``indexes.tar.xz``: indexes of lexfield 0.1, and what searches of them returned.

Run it with the code of commit 834ee88, the last that wrote the inverted index twice:

    git worktree add /tmp/old 834ee88
    PYTHONPATH=/tmp/old/src python tests/data/old_index/make_old_index.py
"""

# mypy: ignore-errors
import json
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from lexfield.search.shard_build import build_sharded
from questions import answer

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.text.normalise import Normalisation
from lexfield.vectors.wordvectors import WordVectors

HERE = Path(__file__).parent
TEXTS = [
    "The old cat sat by the fire. It was sleeping while the storm passed over the sea.",
    "A ship sailed into the storm. The sailors were singing at sea, and nobody slept.",
    "Dogs barked at the cats near the harbour. The cats ran home to the fire.",
    "She was reading a letter from the harbour. Her brother sails ships at sea.",
    "The captain reads the weather in the stars. A storm comes before the morning.",
    "Nobody reads letters by the fire in the morning. The old dogs sleep there.",
]
LATER = ["The singing captain loved his ship and his sleeping dog by the sea."]


def documents(texts: list[str], first: int = 0) -> list[Document]:
    return [
        Document(
            str(number), text, f"file {number}", {"kind": "even" if number % 2 == 0 else "odd"}
        )
        for number, text in enumerate(texts, first)
    ]


def vectors(corpus: Corpus) -> WordVectors:
    words = sorted(corpus.vocabulary)
    matrix = np.random.default_rng(7).standard_normal((len(words), 8)).astype(np.float32)
    return WordVectors(words, matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        tarfile.open(HERE / "indexes.tar.xz", "w:xz") as tar,
    ):
        write_all(Path(folder))
        for path in sorted(Path(folder).iterdir()):
            tar.add(path, path.name)


def write_all(folder: Path) -> None:
    answers = {}
    for stem in ("none", "english"):
        how = Normalisation(stem=stem)
        corpus = Corpus.of(documents(TEXTS), normalisation=how)
        known = vectors(Corpus.of(documents([*TEXTS, *LATER])))
        index = Index.build(corpus, folder / f"plain-{stem}", vectors=known)
        index.add(documents(LATER, len(TEXTS)), vectors=known)
        index.delete(["4"])
        answers[f"plain-{stem}"] = answer(index)
    every = documents([*TEXTS, *LATER])
    sharded = build_sharded(
        every, folder / "shards-english", shards=2, vectors=known, normalisation=how
    )
    answers["shards-english"] = answer(sharded)
    (folder / "answers.json").write_text(json.dumps(answers) + "\n")


if __name__ == "__main__":
    main()
