"""``zipf``: its names, its results, its refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.ranks.clusters import NullModel
from lexfield.ranks.fit import Fit
from lexfield.ranks.zipf import write_verdict, zipf
from lexfield.verbs.ranks import ZipfFit
from lexfield.verbs.results import to_builtins


def test_the_name_is_a_function_whatever_was_imported() -> None:
    import lexfield.ranks.zipf  # noqa: F401

    assert callable(zipf) and lx.zipf.__name__ == "zipf"


def test_nothing_is_called_complete_before_it_is(sample: lx.Corpus) -> None:
    told: list[tuple[int, int | None]] = []
    zipf(
        sample, space="latent", clusters=10, seeds=2, draws=0,
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert len(told) > 4 and all(total is None or done < total for done, total in told)


def test_words(sample: lx.Corpus) -> None:
    found = zipf(sample, draws=20, name="sample")
    assert found.counts.tolist() == sample.vocabulary.counts.tolist()
    assert found.slope == pytest.approx(-1.065, abs=0.01) and found.r2 > 0.95
    assert list(found.fits) == [
        "line",
        "mandelbrot",
        "power_law",
        "lognormal",
        "exponential",
        "truncated_power_law",
    ]
    assert "than Zipf's 1" in found.verdict and "slope -1.065" in repr(found)
    assert found.exponent is not None and found.exponent.interval[0] > 1
    whole = json.loads(json.dumps(to_builtins(ZipfFit.of(found)), allow_nan=False))
    assert whole["ranks"][0] == {"rank": 1, "count": int(found.counts[0]), "label": "the"}
    assert whole["figures"]["tokens"] == len(sample.tokens)


def test_latent(sample: lx.Corpus, tmp_path: Path) -> None:
    found = zipf(sample, space="latent", clusters=30, seeds=2, draws=10, robustness=True)
    assert found.counts.sum() == found.figures.sentences == 4130
    assert len(found.counts) == 30 and (np.diff(found.counts) <= 0).all()
    assert found.slope in found.slopes and len(found.slopes) == 2
    assert [null.model for null in found.nulls] == ["shuffled", "gaussian"]
    assert [row.k for row in found.robustness] == list(range(10, 51, 5))
    same = next(row for row in found.robustness if row.k == 30)
    assert (same.low, same.high) == (min(found.slopes), max(found.slopes))
    assert found.clusters is not None and len(found.clusters[0].nearest) == 5
    assert found.labels[0] == " ".join(found.clusters[0].words)
    json.dumps(to_builtins(ZipfFit.of(found)), allow_nan=False)
    again = zipf(sample, space="latent", clusters=30, seeds=2, draws=10, nulls=False)
    assert again.slopes == found.slopes and again.nulls == []
    assert found.plot(tmp_path / "clusters.svg").read_text("utf-8").startswith("<?xml")


def test_automatic_number_and_vectors_of_the_text_itself(sample: lx.Corpus) -> None:
    found = zipf(
        sample, space="latent", clusters="auto", vectors="own", seeds=1, nulls=False, draws=0
    )
    assert found.vectors == "own" and found.choices is not None
    assert len(found.counts) == found.choices[0].k


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("word", {}, "Only 1 distinct word"),
        ("one two", {}, "Only 2 distinct words"),
        ("every word here differs", {}, "occur equally often"),
        ("word", {"ngram": 2}, "Only 0 distinct 2-grams"),
        ("", {}, "no words"),
        ("Red cats. Blue dogs. Old hens.", {"space": "latent"}, "too few for 75 clusters"),
        (
            "Red cats. Blue dogs. Old hens.",
            {"space": "latent", "clusters": 1},
            "1 clusters are too few",
        ),
        (
            "Red cats. Blue dogs. Old hens.",
            {"space": "latent", "clusters": 2},
            "2 clusters are too few",
        ),
        ("Red cats. Blue dogs. Old hens.", {"space": "latent", "clusters": 3}, "nothing to rank"),
        (
            "Red cats. Blue dogs. Old hens.",
            {"space": "latent", "clusters": "auto"},
            "too few distinct sentences",
        ),
        ("Xqzzy wrrgl. Qqqq.", {"space": "latent", "clusters": 3}, "have no word of this text"),
        ("A b.", {"space": "latent", "vectors": "own"}, "too short to train"),
        ("A b.", {"space": "latent", "ngram": 2}, "ngram must be 1"),
    ],
)
def test_refusals(text: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        zipf(lx.Corpus.of([text]), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "value"), [("clusters", "many"), ("clusters", 10_001), ("ngram", 0), ("seeds", 0)]
)
def test_options_are_checked_by_their_declaration(option: str, value: object) -> None:
    with pytest.raises(InputError, match=f"{option} must be"):
        lx.zipf("A b.", **{option: value})  # type: ignore[arg-type]


def test_texts_in_any_form() -> None:
    text = "a a a b b c d e"
    expected = ZipfFit.of(zipf(lx.Corpus.of([text])))
    assert ZipfFit.of(zipf(text)) == ZipfFit.of(zipf([text])) == expected
    with pytest.raises(InputError, match="A corpus is made of texts"):
        zipf(5)  # type: ignore[arg-type]


def test_few_ranks_are_no_law() -> None:
    found = zipf(lx.Corpus.of(["a a a b b c d e"]))
    assert "Too few words to judge" in found.verdict
    assert list(found.fits) == ["line", "mandelbrot"]
    assert "no distribution is fitted" in found.notes[0]


def fits(p: float, ratio: float, other: float, r2: float = 0.99) -> dict[str, Fit]:
    return {
        "line": Fit("line", {"slope": -1.02, "intercept": 1.0}, 50, r2=r2),
        "power_law": Fit("power_law", {"alpha": 2.0, "xmin": 3}, 40, p=p),
        "lognormal": Fit("lognormal", {}, 40, ratio=ratio, p=other),
    }


def test_verdicts() -> None:
    said = write_verdict("word", 50, fits(0.5, 2.0, 0.01), [], [])
    assert "close to Zipf's −1" in said and "plausible" in said and "lognormal fits worse" in said
    said = write_verdict("word", 50, fits(0.01, -2.0, 0.01, 0.5), [], [])
    assert "not lie on a line" in said and "implausible" in said and "lognormal fits better" in said
    assert "cannot be distinguished" in write_verdict("word", 50, fits(0.5, 0.1, 0.9), [], [])
    null = NullModel("gaussian", -0.2, 0.9, [-0.2], -0.8, -0.9, -0.7, 0.001)
    assert "steeper than for a Gaussian" in write_verdict(
        "cluster", 50, fits(0.5, 0, 1), [-1, -1], [null]
    )
    null = NullModel("shuffled", -0.9, 0.9, [-0.9], -0.1, -0.3, 0.1, 0.3)
    assert "cannot be distinguished from shuffled" in write_verdict(
        "cluster", 50, fits(0.5, 0, 1), [-1], [null]
    )
    assert "law" in write_verdict("word", 9, fits(0.5, 2.0, 0.01), [], [])


def test_counting_words_loads_no_vectors_unless_they_are_given(
    sample: lx.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = lx.WordVectors(["the", "sea"], np.eye(2, dtype=np.float32))
    given = zipf(sample, draws=0, vectors=own)
    assert given.figures.unembedded is not None and given.figures.unembedded > 100

    def load(*_: object, **__: object) -> lx.WordVectors:
        raise AssertionError("vectors are loaded")

    monkeypatch.setattr(lx.WordVectors, "load", load)
    found = zipf(sample, draws=0)
    assert found.vectors is None and found.figures.unembedded is None
    assert found.slope == given.slope
