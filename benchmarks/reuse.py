"""Text reuse: plagdet on planted passages beside other tools, chance, short answers, and speed.

    python benchmarks/reuse.py --data DATA [PART…] [--resume FOLDER]

Parts: books, planted, unrelated, answers; some of them are printed, all of them saved. With a
folder, a run that was stopped goes on, and its parts can be measured at the same time.
``reuse_sets`` says how the sets are made; passages are
planted into books that nothing was chosen on.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import json
import re
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from harness import rounded, save
from reuse_sets import HOST, KINDS, Case, Span, make_cases, plagdet, read_books

import lexfield as lx
from lexfield.progress import silent
from lexfield.text.corpus import Corpus
from lexfield.text.normalise import Normalisation
from lexfield.text.segment import sentence_spans, word_spans
from lexfield.vectors.means import embed_texts

CASES = 12  # pairs of texts per kind
SLOW = 1  # of them for a tool that takes minutes
SEED = 17
Found = list[tuple[Span, Span]]
Keep = Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]
_NORMALISE = Normalisation()


def find_ours(a: str, b: str) -> Found:
    found = lx.reuse(lx.Document("a", a), lx.Document("b", b))
    return [((p.a.start, p.a.end), (p.b.start, p.b.end)) for p in found.pairs]


def _merge(blocks: Found, gap: int = 300) -> Found:
    """Join neighbours within so many characters, as all these tools need: they return pieces."""
    merged: Found = []
    for x, y in sorted(blocks):
        for number, (u, v) in enumerate(merged):
            near_a = x[0] - u[1] <= gap and u[0] - x[1] <= gap
            if near_a and y[0] - v[1] <= gap and v[0] - y[1] <= gap:
                merged[number] = (
                    (min(u[0], x[0]), max(u[1], x[1])), (min(v[0], y[0]), max(v[1], y[1]))
                )  # fmt: skip
                break
        else:
            merged.append((x, y))
    return merged


def _cut_words(text: str) -> tuple[list[str], list[Span]]:
    spans = word_spans(text)
    return [_NORMALISE(text[s:e]) for s, e in spans], spans


def find_difflib(a: str, b: str, least: int = 6) -> Found:
    """The longest common blocks of words in the same order."""
    (words, spans), (others, places) = _cut_words(a), _cut_words(b)
    blocks = difflib.SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    found = []
    for block in blocks:
        if block.size >= least:
            i, j = block.a + block.size - 1, block.b + block.size - 1
            found.append(((spans[block.a][0], spans[i][1]), (places[block.b][0], places[j][1])))
    return _merge(found)


def find_shingles(a: str, b: str, size: int = 5) -> Found:
    """All shared runs of words (as passim and TextPAIR begin)."""
    (words, spans), (others, places) = _cut_words(a), _cut_words(b)
    known: dict[tuple[str, ...], list[int]] = {}
    for j in range(len(others) - size + 1):
        known.setdefault(tuple(others[j : j + size]), []).append(j)
    blocks = [
        ((spans[i][0], spans[i + size - 1][1]), (places[j][0], places[j + size - 1][1]))
        for i in range(len(words) - size + 1)
        for j in known.get(tuple(words[i : i + size]), ())
    ]
    return [one for one in _merge(blocks) if one[0][1] - one[0][0] >= 50]


def find_minhash(a: str, b: str, width: int = 30, step: int = 10, hashes: int = 64) -> Found:
    """Windows of words with similar sets, by MinHash: half of the hashes agree."""
    random = np.random.default_rng(0)
    factors = random.integers(1, 2**31, hashes, dtype=np.uint64) | np.uint64(1)
    signatures, places = [], []
    for text in (a, b):
        words, spans = _cut_words(text)
        keys = np.array([crc32(word.encode()) & (2**31 - 1) for word in words], np.uint64)
        mixed = (keys[:, None] * factors) % np.uint64(2**31 - 1)
        starts = range(0, max(1, len(words) - width + 1), step)
        signatures.append(np.array([mixed[i : i + width].min(axis=0) for i in starts]))
        ends = [min(i + width, len(spans)) - 1 for i in starts]
        places.append([(spans[i][0], spans[e][1]) for i, e in zip(starts, ends, strict=True)])
    blocks = []
    for i, row in enumerate(signatures[0]):
        agree = (signatures[1] == row).mean(axis=1)
        blocks += [(places[0][i], places[1][j]) for j in np.flatnonzero(agree >= 0.5).tolist()]
    return _merge(blocks)


def find_by_vectors(embed: Callable[[list[str]], np.ndarray], least: float) -> Callable[..., Found]:
    """Pairs of sentences with a high cosine."""

    def find(a: str, b: str) -> Found:
        spans = [[s for s in sentence_spans(t) if s[1] - s[0] > 30] for t in (a, b)]
        left, right = (
            embed([t[s:e] for s, e in own]) for t, own in zip((a, b), spans, strict=True)
        )
        rows, columns = np.nonzero(left @ right.T >= least)
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return _merge([(spans[0][i], spans[1][j]) for i, j in pairs])

    return find


def _encode(texts: list[str]) -> np.ndarray:
    from lexfield.vectors.sources import _encode as encode  # not from the cache

    vectors = np.asarray(encode(texts, silent), np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


TOOLS: dict[str, Callable[[str, str], Found]] = {
    "lexfield reuse": find_ours,
    "difflib": find_difflib,
    "shingles of 5 words": find_shingles,
    "MinHash of windows": find_minhash,
    "sentence vectors": find_by_vectors(lambda texts: embed_texts(texts), 0.8),
    "sentence encoder": find_by_vectors(_encode, 0.75),
}


def _measure_tool(name: str, cases: Sequence[Case]) -> dict[str, Any]:
    find, asked = TOOLS[name], cases[:SLOW] if name == "sentence encoder" else cases
    start = time.process_time()  # of all threads, as other work runs on the machine
    found = [find(case.a, case.b) for case in asked]
    spent = (time.process_time() - start) / len(asked)
    scores = plagdet([case.truth for case in asked], found)
    return {k: rounded(v) for k, v in {**scores, "processor seconds": spent}.items()}


def measure_planted(data: Path, keep: Keep) -> dict[str, Any]:
    for kind in KINDS:  # compiled, and everything loaded
        find_ours(*next((case.a, case.b) for case in make_cases(data, kind, True, 1)))
    result: dict[str, Any] = {"cases": CASES}
    for kind in KINDS:
        cases = make_cases(data, kind, False, CASES, SEED)
        result[kind] = {
            name: keep(f"{kind}, {name}", partial(_measure_tool, name, cases))
            for name in TOOLS
            if name != "sentence encoder" or kind == "reworded"  # it takes minutes per case
        }
    return result


def measure_unrelated(data: Path, _: Keep) -> dict[str, Any]:
    """Passages with a chance below some limits among all pairs of books, 20,000 words of each."""
    books = {**read_books(data, True), **read_books(data, False)}
    cut = {name: " ".join(text.split()[5_000 : 5_000 + HOST]) for name, text in books.items()}
    found = lx.reuse([lx.Document(name, text) for name, text in cut.items() if text], chance=1)
    limits = (1.0, 0.1, 0.01, 0.001)
    return {
        "pairs": found.documents * (found.documents - 1) // 2,
        "passages below": {limit: sum(p.chance < limit for p in found.pairs) for limit in limits},
        "below 0.01": [
            [pair.a.document, pair.b.document, rounded(pair.chance), pair.a.text, pair.b.text]
            for pair in found.pairs
            if pair.chance < 0.01
        ],
    }


def _describe_answer(answer: str, source: str) -> list[float]:
    """Shares of an answer's words that are identical in a passage, or another form or similar; the
    longest identical run (logarithm); the share of the other words that the source has too; and the
    share of aligned words that were moved."""
    words, spans = _cut_words(answer)
    starts = np.array([start for start, _ in spans])
    identical, near, moved = (np.zeros(len(starts), bool) for _ in range(3))
    longest = 0
    for pair in lx.reuse(lx.Document("a", answer), lx.Document("b", source), chance=1).pairs:
        for step in pair.alignment:
            if step.a is None or step.b is None:
                continue
            own = (starts >= step.a[0]) & (starts < step.a[1])
            if step.op == "identical":
                identical |= own
                longest = max(longest, int(own.sum()))
            else:
                near |= own
            moved |= own & step.moved
    near &= ~identical
    aligned = identical | near
    known = np.isin(words, _cut_words(source)[0])
    return [
        float(identical.mean()),
        float(near.mean()),
        float(np.log1p(longest)),
        float((known & ~aligned).sum() / max(1, (~aligned).sum())),
        float(moved.sum() / max(1, aligned.sum())),
    ]


def _describe_by_ngrams(answer: str, source: str) -> list[float]:
    """The features of Clough and Stevenson (2011): containment of the sets of n-grams of 1 to 5
    words, and the longest common subsequence, as shares of the answer."""
    a, b = _cut_words(answer)[0], _cut_words(source)[0]
    shares = []
    for n in range(1, 6):
        own, other = (set(zip(*(x[k:] for k in range(n)), strict=False)) for x in (a, b))
        shares.append(len(own & other) / max(1, len(own)))
    row = np.zeros(len(b) + 1, np.int64)
    for word in a:
        same = np.append(False, np.array(b) == word)
        row = np.maximum.accumulate(np.maximum(row, np.where(same, np.roll(row, 1) + 1, 0)))
    return [*shares, float(row[-1] / len(a))]


def _list_classifiers(sets: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Four classifiers of all features, and one that chooses its kind and its features by
    cross-validation of what it learns from, so that nothing is chosen on what is measured."""
    from sklearn.compose import ColumnTransformer
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    columns = [ColumnTransformer([("scale", StandardScaler(), list(own))]) for own in sets]
    models = {
        "naive Bayes": GaussianNB(),
        "logistic regression": LogisticRegression(max_iter=1000),
        "linear discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "support vectors": SVC(),
    }
    fixed = {n: Pipeline([("columns", columns[0]), ("model", m)]) for n, m in models.items()}
    inner = StratifiedKFold(5, shuffle=True, random_state=1)
    grid = {"columns": columns, "model": list(models.values())}
    return {**fixed, "chosen": GridSearchCV(fixed["naive Bayes"], grid, cv=inner)}


def measure_answers(data: Path, _: Keep, repeats: int = 5) -> dict[str, Any]:
    """Clough and Stevenson's corpus: accuracy of four and of two classes, in stratified 10-fold
    cross-validation that is repeated; the interval is that of the answers that are right. The
    authors name the accuracy of a classifier of their choice, not of one chosen within the folds.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    with open(data / "reuse/clough-stevenson.csv", encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) >= 3 and re.fullmatch(r"\d", row[2])]
    four = np.array([int(row[2]) for row in rows])
    result: dict[str, Any] = {"answers": len(rows), "repeats": repeats}
    described = {
        "passages": (_describe_answer, (range(5), range(3))),
        "n-grams": (_describe_by_ngrams, (range(6), (4, 5))),
    }
    for name, (describe, sets) in described.items():
        features = np.array([describe(row[0], row[1]) for row in rows])
        for label, classes in (("four classes", four), ("two classes", (four > 0).astype(int))):
            for model, classifier in _list_classifiers(sets).items():
                right = np.zeros(len(rows))
                for repeat in range(repeats):
                    folds = StratifiedKFold(10, shuffle=True, random_state=repeat)
                    guessed = cross_val_predict(classifier, features, classes, cv=folds)
                    right += (guessed == classes) / repeats
                drawn = np.random.default_rng(0).choice(right, (10_000, len(right))).mean(axis=1)
                every = (right.mean(), *np.quantile(drawn, (0.025, 0.975)))
                result[f"{name}, {label}, {model}"] = [rounded(float(x)) for x in every]
    return result


def measure_books(data: Path, _: Keep) -> dict[str, Any]:
    """All pairs of the books: seconds, processor time and memory, reading included."""
    start, used = time.perf_counter(), time.process_time()
    corpus = Corpus.read(data / "books79/txt")
    found = lx.reuse(corpus)
    return {
        "books": len(corpus),
        "words": len(corpus.tokens),
        "passages": len(found.pairs),
        "seconds": rounded(time.perf_counter() - start),
        "processor seconds": rounded(time.process_time() - used),
        "peak MB": rounded(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
        "load": "other work on the machine",
    }


PARTS = {
    "books": measure_books,  # first: memory is that of the whole run so far
    "planted": measure_planted,
    "unrelated": measure_unrelated,
    "answers": measure_answers,
}


def run(
    data: Path, parts: Sequence[str] = tuple(PARTS), folder: Path | None = None
) -> dict[str, Any]:
    def keep(name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what an earlier run measured, or else measure and save it."""
        path = None if folder is None else folder / f"{name}.json"
        if path is not None and path.exists():
            return dict(json.loads(path.read_text("utf-8")))
        measured = measure()
        print(name, json.dumps(measured, ensure_ascii=False), flush=True)
        if path is not None:
            path.write_text(json.dumps(measured), "utf-8")
        return measured

    return {part: keep(part, partial(PARTS[part], data, keep)) for part in parts}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="print these only")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="go on from what it holds")
    options = parser.parse_args()
    if options.resume is not None:
        options.resume.mkdir(parents=True, exist_ok=True)
    measured = run(options.data, options.parts or tuple(PARTS), options.resume)
    if not options.parts:  # what is saved is one run of everything
        save("reuse", measured)
