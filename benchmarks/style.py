"""Who wrote it: `lexfield attribute` beside cosine Delta and a support vector machine.

books79: every book whose author has another one is attributed from all other books; a book whose
author has no other is a candidate of its own. Excerpts are contiguous words from three random
places; either all books are cut to the same length, or only the book in question. C50: the test
half from the training half; and, for verification, a few texts of some of its authors are known,
and texts of these and of others asked about. Competitors in the same run, with scikit-learn: cosine
Delta over the 2,000 most frequent words with the label of the nearest text, and a linear support
vector machine over character 4-grams (tf-idf). Intervals are 95% bootstraps over books or texts;
books are drawn with all their excerpts. The recipe was chosen on other texts
(docs/decisions/0014-style.md).
"""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from harness import jsonl, rounded, save
from numpy.typing import NDArray

from lexfield import Document
from lexfield.compare.authors import attribute

SIZES: tuple[int | None, ...] = (3000, 10_000, None)
PLACES = 3
DRAWS = 10_000
SHELVES = ((10, 2, 6), (10, 3, 6), (6, 3, 6), (10, 8, 3))  # authors, texts of each, draws
STRANGERS, ASKED = 12, 3  # strangers, and texts of every author that are asked about
EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
Answers = dict[str, NDArray[np.bool_]]


def run(data: Path) -> dict[str, Any]:
    return {
        "books79": [of_books(data / "books79", size) for size in SIZES],
        "books79_from_whole_books": [of_excerpts(data / "books79", size) for size in SIZES[:2]],
        "c50": of_c50(data / "c50"),
        "strangers": of_strangers(data / "c50"),
    }


def read_books(folder: Path, size: int | None, seed: int) -> list[Document]:
    rng = np.random.default_rng(seed)
    found = []
    for record in json.loads((folder / "index.json").read_text("utf-8")):
        key, author = record["key"], record["author"]
        words = (folder / "txt" / f"{key}.txt").read_text("utf-8").split()
        if size is not None:
            if len(words) < size:
                continue
            start = int(rng.integers(0, len(words) - size + 1))
            words = words[start : start + size]
        author = key if author == "unique" else author
        found.append(Document(key, " ".join(words), metadata={"author": author}))
    return found


def of_books(folder: Path, size: int | None) -> dict[str, Any]:
    right: dict[str, list[NDArray[np.bool_]]] = {"ours": [], "delta": [], "svm": []}
    times = []
    for seed in range(PLACES if size else 1):
        books = read_books(folder, size, seed)
        labels = np.array([one.metadata["author"] for one in books])
        asked = [row for row, one in enumerate(labels) if (labels == one).sum() > 1]
        start = time.perf_counter()
        found = attribute(books, "author")
        times.append(time.perf_counter() - start)
        predicted = np.array(found.names)[found.probabilities.argmax(axis=1)]
        texts = [one.text for one in books]
        others = [np.flatnonzero(np.arange(len(books)) != row) for row in asked]
        cases = [(known, np.array([row])) for known, row in zip(others, asked, strict=True)]
        right["ours"].append((predicted == labels)[asked])
        right["delta"].append(delta(texts, labels, cases))
        right["svm"].append(support_vectors(texts, labels, cases))
    return {
        "words": size,
        "books": len(books),
        "asked": len(asked),
        "authors": len(set(labels)),
        "method": found.method.rule,
        "weights": found.method.weights,
        "mean_probability": rounded(found.calibration.mean_probability),
        "calibration_error": rounded(found.calibration.error),
        "seconds": rounded(min(times)),
        **summarise({name: np.stack(rows) for name, rows in right.items()}),
    }


def of_excerpts(folder: Path, size: int | None) -> dict[str, Any]:
    """Excerpts of books, with all other books whole."""
    books = read_books(folder, None, 0)
    rows = {one.id: row for row, one in enumerate(books)}
    labels = np.array([one.metadata["author"] for one in books])
    excerpts = [
        Document(f"{one.id} {seed}", one.text, metadata={**one.metadata, "book": one.id})
        for seed in range(PLACES)
        for one in read_books(folder, size, seed)
        if (labels == one.metadata["author"]).sum() > 1
    ]
    start = time.perf_counter()
    found = attribute(books, "author", excerpts)
    taken = time.perf_counter() - start
    truth = np.array([one.metadata["author"] for one in excerpts])
    predicted = np.array(found.names)[found.probabilities.argmax(axis=1)]
    texts = [one.text for one in (*books, *excerpts)]
    both = np.append(labels, truth)
    cases = [
        (np.delete(np.arange(len(books)), rows[one.metadata["book"]]), np.array([len(books) + row]))
        for row, one in enumerate(excerpts)
    ]
    right = {
        "ours": predicted == truth,
        "delta": delta(texts, both, cases),
        "svm": support_vectors(texts, both, cases),
    }
    return {
        "words": size,
        "asked": len(excerpts) // PLACES,
        "method": found.method.rule,
        "weights": found.method.weights,
        "mean_probability": rounded(float(found.probabilities.max(axis=1).mean())),
        "seconds": rounded(taken),
        **summarise({name: one.reshape(PLACES, -1) for name, one in right.items()}),
    }


def read_c50(folder: Path) -> dict[str, list[Document]]:
    (path,) = folder.glob("*.jsonl.gz")
    halves: dict[str, list[Document]] = {"train": [], "test": []}
    for one in jsonl(path):
        document = Document(one["id"], one["text"], metadata={"author": one["author"]})
        halves[one["split"]].append(document)
    return halves


def of_strangers(folder: Path) -> dict[str, Any]:
    """Is the likeliest author the author at all? As if half of all texts were by strangers."""
    test = read_c50(folder)["test"]
    shelves, cases = [], []
    for authors, texts, draws in SHELVES:
        drawn = [verify(test, authors, texts, seed) for seed in range(draws)]
        p, right, ours = (np.concatenate(part) for part in zip(*drawn, strict=True))
        cases.append((p, right, np.where(ours, 0.5 / ours.sum(), 0.5 / (~ours).sum())))
        means = {
            name: {
                "mean": rounded(float(p[own].mean())),
                "high": rounded(float((p[own] >= 0.9).mean())),
            }
            for name, own in (("theirs", ours), ("strangers", ~ours))
        }
        shelves.append({"authors": authors, "texts": texts, **means})
    p, right, weight = (np.concatenate(part) for part in zip(*cases, strict=True))
    bins = []
    for low, high in pairwise(EDGES):
        own = (p >= low) & ((p < high) | (high == 1))
        mean, true = (float(np.average(one[own], weights=weight[own])) for one in (p, right))
        case = {"low": low, "high": high, "texts": int(own.sum())}
        bins.append({**case, "mean_probability": rounded(mean), "right": rounded(true)})
    return {"shelves": shelves, "bins": bins}


def verify(test: list[Document], authors: int, texts: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    by: dict[str, list[Document]] = {}
    for one in test:
        by.setdefault(one.metadata["author"], []).append(one)
    known, asked = [], []
    for number, name in enumerate(rng.permutation(sorted(by))[: authors + STRANGERS].tolist()):
        order = [by[name][row] for row in rng.permutation(len(by[name]))]
        known += order[:texts] if number < authors else []
        asked += order[texts : texts + ASKED]
    found = attribute(known, "author", asked, verify=True)
    assert found.verification is not None
    best = found.probabilities.argmax(axis=1)
    p = found.verification.probabilities[np.arange(len(best)), best]
    truth = np.array([one.metadata["author"] for one in asked])
    new = np.array([not left for left in found.left_out])  # no copies of known texts
    right = np.array(found.names)[best] == truth
    return p[new], right[new], np.isin(truth, found.names)[new]


def of_c50(folder: Path) -> dict[str, Any]:
    train, test = read_c50(folder).values()
    start = time.perf_counter()
    found = attribute(train, "author", test)
    taken = time.perf_counter() - start
    labels = np.array([one.metadata["author"] for one in (*train, *test)])
    predicted = np.array(found.names)[found.probabilities.argmax(axis=1)]
    known = np.arange(len(train))
    texts = [one.text for one in (*train, *test)]
    cases = [(known, np.arange(len(train), len(texts)))]
    right = {
        "ours": predicted == labels[len(train) :],
        "delta": delta(texts, labels, cases),
        "svm": support_vectors(texts, labels, cases),
    }
    return {
        "known": len(train),
        "asked": len(test),
        "method": found.method.rule,
        "weights": found.method.weights,
        "mean_probability": rounded(float(found.probabilities.max(axis=1).mean())),
        "cross_validated": rounded(found.calibration.accuracy),
        "seconds": rounded(taken),
        **summarise({name: one[None] for name, one in right.items()}),
    }


def delta(texts: list[str], labels: Any, cases: Any) -> NDArray[np.bool_]:
    """Nearest text by cosine Delta; words are chosen and standardised on all texts."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import StandardScaler, normalize

    counted = CountVectorizer(token_pattern=r"(?u)\b\w[\w']*", max_features=2000)
    counts = counted.fit_transform(texts).toarray().astype(float)
    shares = counts / np.array([[len(text.split())] for text in texts])
    unit = normalize(StandardScaler().fit_transform(shares))
    near = unit @ unit.T
    found = [labels[known[near[np.ix_(rows, known)].argmax(axis=1)]] for known, rows in cases]
    return np.concatenate(
        [one == labels[rows] for one, (_, rows) in zip(found, cases, strict=True)]
    )


def support_vectors(texts: list[str], labels: Any, cases: Any) -> NDArray[np.bool_]:
    """A linear support vector machine over character 4-grams.

    If there are few texts, their vectors are rotated first, which changes no result but is faster.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    counted = TfidfVectorizer(analyzer="char", ngram_range=(4, 4), sublinear_tf=True, min_df=2)
    vectors = counted.fit_transform(texts)
    if len(cases) > 1:
        values, axes = np.linalg.eigh((vectors @ vectors.T).toarray())
        vectors = axes * np.sqrt(np.maximum(values, 0))
    right = []
    for known, rows in cases:
        model = LinearSVC(random_state=0).fit(vectors[known], labels[known])
        right.append(model.predict(vectors[rows]) == labels[rows])
    return np.concatenate(right)


def summarise(right: Answers) -> dict[str, Any]:
    """Shares with intervals, and how much ours is above the better competitor."""
    rng = np.random.default_rng(0)
    cases = next(iter(right.values())).shape[1]
    drawn = rng.integers(0, cases, (DRAWS, cases))
    means = {name: one.mean(axis=0) for name, one in right.items()}
    best = max(("delta", "svm"), key=lambda name: float(means[name].mean()))
    above = means["ours"] - means[best]
    shares = {
        name: {"right": rounded(float(one.mean())), "interval": interval(one[drawn].mean(axis=1))}
        for name, one in means.items()
    }
    gain = {"than": best, "points": rounded(100 * float(above.mean()))}
    return {**shares, "above": {**gain, "interval": interval(100 * above[drawn].mean(axis=1))}}


def interval(values: Any) -> list[float]:
    return [rounded(float(one)) for one in np.quantile(values, [0.025, 0.975])]


if __name__ == "__main__":
    result = run(Path(__file__).parents[2] / "shared" / "data")
    save("style", result)
    print(json.dumps(result, indent=1))
