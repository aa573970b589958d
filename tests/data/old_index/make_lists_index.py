"""Write ``lists.tar.xz``: an index whose lists are all bytes, and what searches of it returned.

Run it with the code of commit 5373feaf, the last that wrote such lists:

    git worktree add /tmp/old 5373feaf
    PYTHONPATH=/tmp/old/src python tests/data/old_index/make_lists_index.py
"""

# mypy: ignore-errors
import json
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from questions import answer

from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors

HERE = Path(__file__).parent
WORDS = "cat cats sat fire sleeping storm sea ship ships sailed letter letters reading old".split()


def main() -> None:
    draw = np.random.default_rng(5)
    shares = np.arange(len(WORDS), 0, -1) / sum(range(len(WORDS) + 1))
    texts = [" ".join(draw.choice(WORDS, draw.integers(1, 9), p=shares)) + "." for _ in range(150)]
    matrix = draw.standard_normal((len(WORDS), 8)).astype(np.float32)
    known = WordVectors(WORDS, matrix / np.linalg.norm(matrix, axis=1, keepdims=True))
    with tempfile.TemporaryDirectory() as folder:
        index = Index.build(Corpus.of(texts, language="en"), Path(folder) / "lists", vectors=known)
        index.delete(["7", "20"])
        (Path(folder) / "answers.json").write_text(json.dumps(answer(index)) + "\n")
        with tarfile.open(HERE / "lists.tar.xz", "w:xz") as tar:
            for path in sorted(Path(folder).iterdir()):
                tar.add(path, path.name)


if __name__ == "__main__":
    main()
