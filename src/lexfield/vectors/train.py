"""Word vectors from a corpus itself.

``train``: several models that differ only in the seed, by gensim's word2vec or fastText. Each is
trained on one thread, so that a seed leads to the same vectors on any number of cores; several are
trained at once, in processes. The seed determines the initial vectors and the negative examples.

``train_ppmi``: positive pointwise mutual information, then a truncated SVD (Levy, Goldberg and
Dagan 2015). Words that occur together within a window are counted, contexts are smoothed by the
power 0.75, and the rows of U·√Σ are the vectors. This needs nothing but the text, is fast and
deterministic, and on small texts does as well as a neural model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np

from lexfield.engine import map_tasks
from lexfield.errors import InputError, check, list_names, need
from lexfield.progress import Progress, silent
from lexfield.results import JsonObject
from lexfield.store.folder import Writer, write
from lexfield.text.corpus import Corpus
from lexfield.text.language_data import find_code, name_language
from lexfield.vectors.models import KIND, Models, array_name
from lexfield.vectors.sources import ENCODER, ENCODER_LANGUAGES, has_encoder
from lexfield.vectors.wordvectors import WordVectors

OWN, AUTO = "own", "auto"
_MOST_ENCODED = 50_000  # words that are encoded without being asked for
_NEAR, _MOST_NOTED = 0.75, 100  # similarity to the nearest word; words that are checked for it
_SMOOTH = 0.75
_FEWEST = 20  # words
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
    check(seed < 2**31, "seed", "below 2³¹", seed)
    _count_frequent(corpus, least)
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
    kind = models.FastText if algorithm == "fasttext" else models.Word2Vec
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


def _store(out: Writer, tasks: Sequence[JsonObject]) -> None:
    lists = {Path(task["words"]).read_text("utf-8") for task in tasks}
    assert len(lists) == 1, "models of one text have the same words in the same order"
    words = lists.pop().split("\n")
    out.strings("words", words)
    for task in tasks:
        out.array(array_name(task["dims"], task["seed"]), np.load(task["out"]))
    out.meta["models"] = sorted([task["dims"], task["seed"]] for task in tasks)
    out.meta["words"] = len(words)


def train_ppmi(corpus: Corpus, *, dims: int = 100, window: int = 5) -> WordVectors:
    """Return vectors of all words that occur at least twice."""
    from scipy.sparse import coo_matrix
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    check(dims >= 1, "dims", "at least 1", dims)
    check(window >= 1, "window", "at least 1", window)
    size = _count_frequent(corpus, 2)  # ids are sorted by falling count
    lengths = np.diff(corpus.token_offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    counts = coo_matrix((size, size), dtype=np.float64).tocsr()
    for step in range(1, window + 1):
        left, right = corpus.tokens[:-step], corpus.tokens[step:]
        keep = (sentence[:-step] == sentence[step:]) & (left < size) & (right < size)
        ones = np.ones(int(keep.sum()))
        counts += coo_matrix((ones, (left[keep], right[keep])), (size, size)).tocsr()
    counts = (counts + counts.T).tocoo()
    words = np.asarray(counts.sum(axis=1)).ravel()
    contexts = words**_SMOOTH
    contexts /= contexts.sum()
    with np.errstate(divide="ignore"):
        information = np.log(counts.data / words[counts.row]) - np.log(contexts[counts.col])
    keep = information > 0
    matrix = coo_matrix(
        (information[keep], (counts.row[keep], counts.col[keep])), (size, size)
    ).tocsr()
    with threadpool_limits(1):  # the same vectors at any number of cores
        left, values, _ = randomized_svd(matrix, min(dims, size - 1), random_state=0)
    vectors = (left * np.sqrt(values)).astype(np.float32)
    used = np.flatnonzero(np.abs(vectors).sum(axis=1) > 0)  # a word without neighbours has none
    names = [corpus.vocabulary.words[int(row)] for row in used]
    return WordVectors(names, vectors[used], name="own")


def choose_vectors(
    vectors: WordVectors | str | Path, corpus: Corpus, language: str
) -> tuple[WordVectors | str | Path, list[str]]:
    """Return the vectors for a corpus, and notes: ``"own"`` are trained on it, and ``"auto"`` are
    the built-in ones for English and those of the encoder for other languages it knows."""
    name = str(vectors)
    if name == OWN:
        return train_ppmi(corpus), []
    if name != AUTO:
        return vectors, note_unknown_language(language) if name == ENCODER else []
    if language in ("en", "english", "none") or not has_encoder():
        return "default", []
    if find_code(language) not in ENCODER_LANGUAGES:
        return "default", []
    if len(corpus.vocabulary) > _MOST_ENCODED:
        minutes = 1 + len(corpus.vocabulary) // 200_000
        return "default", [
            f"the built-in vectors are English; to encode these {len(corpus.vocabulary):,} words"
            f" instead, which takes {minutes} minutes or more: --vectors encoder"
        ]
    return ENCODER, []


def note_unknown_language(language: str) -> list[str]:
    """Return a note if the multilingual encoder does not know a language."""
    code = find_code(language)
    if not code or code in ENCODER_LANGUAGES:
        return []
    return [
        f"the multilingual encoder does not know {name_language(code).title()}, so what it says"
        " about the meaning of these texts is weak; bm25 works as in any language."
        f" {_name_languages()}"
    ]


def _name_languages() -> str:
    """Return a sentence that names the languages of the encoder."""
    names = sorted(name_language(code).title() for code in ENCODER_LANGUAGES)
    shown = ", ".join(names).replace("Chinese", "Chinese (in both scripts)")
    return f"It knows {shown}"


def note_far_words(known: WordVectors, words: Sequence[str]) -> list[str]:
    """Return a note on words that the encoder puts together from parts, if no word is very near.

    Most are of languages that it does not know, or too rare, and their neighbours are nonsense.
    """
    if known.name != ENCODER:
        return []
    parts = [word for word in words[:_MOST_NOTED] if word.lower() not in known]
    far = [word for word in parts if known.nearest(word, 1)[0].similarity < _NEAR]
    if not far:
        return []
    return [
        f"the encoder hardly knows {list_names(far)}, so the neighbours may be nonsense."
        f" {_name_languages()}"
    ]


def _count_frequent(corpus: Corpus, least: int) -> int:
    """Count the words that occur at least ``least`` times; raise InputError if they are too few."""
    count = int((corpus.vocabulary.counts >= least).sum())
    if count < _FEWEST:
        raise InputError(
            f"Only {count} words occur at least {least} times: the text is too short to train"
            " vectors.",
            f"Choose a longer text, or rarer words: at least {_FEWEST} words are needed.",
        )
    return count
