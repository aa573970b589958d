"""Several models of one corpus, alike but for the seed: by gensim's word2vec or fastText.

Each model is trained on one thread, so that a seed gives the same vectors at every run and on every
number of cores; the cores are used by training models side by side, in processes. What a seed
changes is where the vectors begin and which words are drawn as negative examples.
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

_FEWEST = 20  # words
_LONGEST = 10_000  # words of a line, which gensim cuts by itself


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
    """Train ``models`` models for each number of dimensions and keep them in ``folder``.

    They are skip-gram models with five negative examples; words that occur less than ``least``
    times have no vector. Model i has the seed ``seed + i``. Models that are there already stay
    unless ``replace``.
    """
    need("gensim", "train")
    if not replace and (Path(folder) / "CURRENT").exists():
        raise InputError(
            f"There are models at {folder} already; they were left as they are.",
            "Choose another name, or replace them with --replace (in Python: replace=True).",
        )
    settings = {"algorithm": algorithm, "window": window, "least": least, "epochs": epochs}
    _check(corpus, models, dimensions, seed, settings)
    # the folder is opened first: that it cannot be written should not be found out at the end
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
            for dims in sorted(set(dimensions), reverse=True)  # the long ones first
            for own in range(seed, seed + models)
        ]
        for _ in map_tasks("lexfield.vectors.train:train_one", tasks, progress=progress):
            pass
        _keep(out, tasks)
        out.meta.update(settings, tokens=len(corpus.tokens), name=Path(folder).name)
    return Models.open(folder)


def _check(
    corpus: Corpus, models: int, dimensions: Sequence[int], seed: int, settings: dict[str, Any]
) -> None:
    check(1 <= models <= 100, "models", "between 1 and 100", models)
    check(
        len(dimensions) > 0 and all(1 <= dims <= 2000 for dims in dimensions),
        "dimensions", "between 1 and 2000", dimensions,
    )  # fmt: skip
    algorithm = settings["algorithm"]
    check(algorithm in ("word2vec", "fasttext"), "algorithm", "word2vec or fasttext", algorithm)
    for name in ("window", "least", "epochs"):
        check(1 <= settings[name] <= 100_000, name, "at least 1", settings[name])
    check(0 <= seed < 2**31, "seed", "between 0 and 2³¹", seed)
    kept = int((corpus.vocabulary.counts >= settings["least"]).sum())
    if kept < _FEWEST:
        raise InputError(
            f"Only {kept} words occur at least {settings['least']} times: vectors cannot be trained"
            " on so little text.",
            "Take a longer text, or words that occur less often.",
        )


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
    """Train a model on a file with a sentence a line, in the process of a worker."""
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
        seed=seed + 1,  # gensim takes 0 and 1 for the same
        workers=1,
    ).wv
    np.save(out, np.asarray(trained.vectors, np.float32))
    Path(words).write_text("\n".join(trained.index_to_key), "utf-8")
    return len(trained.index_to_key)


def _write_text(corpus: Corpus, path: Path) -> None:
    """Sentences as lines of words; long ones are cut where gensim would drop the rest."""
    words = list(corpus.vocabulary.words)
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
        for row in range(len(corpus.token_offsets) - 1):
            own = corpus.sentence_tokens(row).tolist()
            for start in range(0, len(own), _LONGEST):
                file.write(" ".join(words[i] for i in own[start : start + _LONGEST]) + "\n")


def _keep(out: Writer, tasks: Sequence[dict[str, Any]]) -> None:
    lists = {Path(task["words"]).read_text("utf-8") for task in tasks}
    assert len(lists) == 1, "models of one text have the same words in the same order"
    words = lists.pop().split("\n")
    out.strings("words", words)
    for task in tasks:
        out.array(array_name(task["dims"], task["seed"]), np.load(task["out"]))
    out.meta["models"] = sorted([task["dims"], task["seed"]] for task in tasks)
    out.meta["words"] = len(words)
