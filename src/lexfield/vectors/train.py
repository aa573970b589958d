"""Several models of one corpus that differ only in the seed, by gensim's word2vec or fastText.

Each model is trained on one thread, so that a seed leads to the same vectors on any number of
cores; several models are trained at once, in processes. The seed determines the initial vectors and
the negative examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from lexfield.engine import map_tasks
from lexfield.errors import InputError, check, need
from lexfield.progress import Progress, silent
from lexfield.store.folder import Writer, write
from lexfield.text.corpus import Corpus
from lexfield.vectors.models import KIND, Models, array_name
from lexfield.vectors.ppmi import count_frequent

_LONGEST = 10_000  # words per line; gensim drops the rest of longer ones


def train(
    corpus: Corpus,
    folder: str | Path,
    *,
    models: int = 5,
    dimensions: Sequence[int] = (100,),
    algorithm: Literal["word2vec", "fasttext"] = "word2vec",
    window: int = 5,
    least: int = 5,
    epochs: int = 5,
    seed: int = 0,
    replace: bool = False,
    progress: Progress = silent,
) -> Models:
    """Train ``models`` models per number of dimensions and store them in ``folder``.

    They are skip-gram models with five negative examples; words that occur fewer than ``least``
    times have no vector. Model i has the seed ``seed + i``. Existing models are only overwritten
    with ``replace``.
    """
    need("gensim", "train")
    if not replace and (Path(folder) / "CURRENT").exists():
        raise InputError(
            f"There are models at {folder} already; they were not changed.",
            "Choose another name, or overwrite them with --replace (in Python: replace=True).",
        )
    settings = {"algorithm": algorithm, "window": window, "least": least, "epochs": epochs}
    _check(corpus, models, dimensions, seed, settings)
    # The folder is opened first, so that a missing permission is reported before training.
    with write(folder, KIND) as out, TemporaryDirectory(prefix="lexfield-") as temporary:
        text = Path(temporary) / "text"
        _write_text(corpus, text)
        tasks = [
            {
                "text": str(text),
                "out": f"{temporary}/{array_name(dims, own)}.npy",
                "words": f"{temporary}/words.{dims}.{own}",
                "dims": dims,
                "seed": own,
                **settings,
            }
            for dims in sorted(set(dimensions), reverse=True)  # the slowest first
            for own in range(seed, seed + models)
        ]
        for _ in map_tasks("lexfield.vectors.train:train_one", tasks, progress=progress):
            pass
        _store(out, tasks)
        out.meta.update(settings, tokens=len(corpus.tokens), name=Path(folder).name)
    return Models.open(folder)


def _check(
    corpus: Corpus, models: int, dimensions: Sequence[int], seed: int, settings: dict[str, Any]
) -> None:
    check(1 <= models <= 100, "models", "between 1 and 100", models)
    is_valid = len(dimensions) > 0 and all(1 <= dims <= 2000 for dims in dimensions)
    check(is_valid, "dimensions", "between 1 and 2000", dimensions)
    algorithm = settings["algorithm"]
    check(algorithm in ("word2vec", "fasttext"), "algorithm", "word2vec or fasttext", algorithm)
    for name in ("window", "least", "epochs"):
        check(1 <= settings[name] <= 100_000, name, "at least 1", settings[name])
    check(0 <= seed < 2**31, "seed", "between 0 and 2³¹", seed)
    count_frequent(corpus, settings["least"])


def train_one(
    text: str,
    out: str,
    words: str,
    dims: int,
    seed: int,
    algorithm: str,
    window: int,
    least: int,
    epochs: int,
) -> int:
    """Train a model on a file with a sentence per line; runs in a worker process."""
    models = need("gensim.models", "train")
    kind: Any = models.FastText if algorithm == "fasttext" else models.Word2Vec
    trained = kind(
        corpus_file=text,
        vector_size=dims,
        window=window,
        min_count=least,
        sg=1,
        negative=5,
        epochs=epochs,
        seed=seed + 1,  # gensim treats 0 and 1 alike
        workers=1,
    ).wv
    np.save(out, np.asarray(trained.vectors, np.float32))
    Path(words).write_text("\n".join(trained.index_to_key), "utf-8")
    return len(trained.index_to_key)


def _write_text(corpus: Corpus, path: Path) -> None:
    """Write a sentence per line; long ones are split where gensim would drop the rest."""
    words = list(corpus.vocabulary.words)
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
        for row in range(len(corpus.token_offsets) - 1):
            own = corpus.sentence_tokens(row).tolist()
            for start in range(0, len(own), _LONGEST):
                file.write(" ".join(words[i] for i in own[start : start + _LONGEST]) + "\n")


def _store(out: Writer, tasks: Sequence[dict[str, Any]]) -> None:
    lists = {Path(task["words"]).read_text("utf-8") for task in tasks}
    assert len(lists) == 1, "models of one text have the same words in the same order"
    words = lists.pop().split("\n")
    out.strings("words", words)
    for task in tasks:
        out.array(array_name(task["dims"], task["seed"]), np.load(task["out"]))
    out.meta["models"] = sorted([task["dims"], task["seed"]] for task in tasks)
    out.meta["words"] = len(words)
