"""The latent estimators: against slow code to 1e-9, one pair and all pairs alike."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import lexfield as lx
from lexfield.compare.clouds import find_radii, list_neighbours
from lexfield.compare.counts import count_texts
from lexfield.compare.labels import leave_one_out
from lexfield.compare.pair import divergence, knn_divergence
from lexfield.compare.pairs import pairs
from lexfield.errors import InputError
from tests.compare import oracle

VARIANTS: list[dict[str, Any]] = [
    {"measure": "kl"},
    {"measure": "kl", "estimator": "equal_radius"},
    {"measure": "renyi", "alpha": 0.3},
    {"measure": "renyi", "alpha": 1.5},
    {"measure": "hellinger"},
    {"measure": "js"},
]
names = [str(list(v.values())) for v in VARIANTS]


def vectors(words: int = 60, dims: int = 4, seed: int = 5) -> lx.WordVectors:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(words, dims)).astype(np.float32)
    matrix[7] = matrix[3]  # two words with one vector are one point
    return lx.WordVectors([f"w{i}" for i in range(words)], matrix, name="test")


VECTORS = vectors()
texts = st.lists(st.integers(0, 59), min_size=12, max_size=60).map(
    lambda ids: [f"w{i}" for i in ids]
)


def points(text: list[str]) -> list[tuple[float, ...]]:
    return [tuple(VECTORS[word].astype(float).tolist()) for word in text]


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
@settings(max_examples=15)
@given(a=texts, b=texts, k=st.integers(2, 4), d=st.sampled_from([1.0, 4.0]))
def test_two_texts_are_compared_as_the_formulas_say(
    variant: dict[str, Any], a: list[str], b: list[str], k: int, d: float
) -> None:
    assume(min(len(set(points(a))), len(set(points(b)))) > k)
    assume(sorted(points(a)) != sorted(points(b)))  # that is 0, and not estimated
    got = divergence(a, b, space="latent", k=k, dimension=d, vectors=VECTORS, **variant)
    expected = oracle.divergence(points(a), points(b), k=k, d=d, **variant)
    assert got.raw == pytest.approx(expected, abs=1e-9)
    most = {"js": math.log(2), "hellinger": 1.0}.get(variant["measure"], math.inf)
    assert got.possible == (-1e-9 <= expected <= most + 1e-9)
    assert got.value == pytest.approx(expected if got.possible else math.nan, nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("variant", VARIANTS, ids=names)
@settings(max_examples=8)
@given(documents=st.lists(texts, min_size=2, max_size=6))
def test_all_pairs_are_the_pairs(variant: dict[str, Any], documents: list[list[str]]) -> None:
    assume(all(len(set(points(text))) > 5 for text in documents))
    assume(len({str(sorted(points(text))) for text in documents}) == len(documents))
    options = {**variant, "vectors": VECTORS, "dimension": 4.0}
    together = pairs(count_texts(documents), "latent", k=[2, 5], **options)
    for i, a in enumerate(documents):
        for j, b in enumerate(documents):
            for k in (2, 5):
                if i != j:
                    alone = divergence(a, b, space="latent", k=k, **options)
                    assert together[k][i, j] == pytest.approx(alone.value, nan_ok=True, abs=1e-9)
                    assert together.estimates[k][i, j] == pytest.approx(alone.raw, abs=1e-9)


@given(a=texts, b=texts)
@settings(max_examples=10)
def test_types_count_every_word_once(a: list[str], b: list[str]) -> None:
    once = [sorted(set(points(text))) for text in (a, b)]
    assume(min(map(len, once)) > 3 and once[0] != once[1])
    got = divergence(a, b, space="latent", points="types", dimension=4, vectors=VECTORS)
    assert got.raw == pytest.approx(oracle.divergence(*once, k=3, d=4), abs=1e-9)
    assert (got.n, got.m) == (len(once[0]), len(once[1]))


@pytest.mark.parametrize("d", [1, 3])
def test_the_entropy_of_a_gaussian(d: int) -> None:
    x, y = gaussians(4000, d, 0)
    found = knn_divergence(x, y, k=5).entropy
    assert found == pytest.approx((d / 2 * (1 + np.log(2 * np.pi)),) * 2, abs=0.06)


def test_a_text_does_not_diverge_from_itself() -> None:
    text = [f"w{i % 50}" for i in range(3000)]
    for measure in ("kl", "js", "renyi", "hellinger"):
        for space in ("categorical", "latent"):
            found = divergence(text, text, measure, space, vectors=VECTORS)
            assert found.value == 0 and "same words" in found.notes[-1]
    other = [*text, "w55", "w56"]
    both = pairs(count_texts([text, text, other]), "latent", vectors=VECTORS)
    assert both[3][0, 1] == 0 and both[3][0, 2] != 0
    assert both.notes[0] == "documents that use the same words equally often: 0 and 1"


@given(a=texts, b=texts)
@settings(max_examples=20)
def test_kl_is_the_limit_of_renyi_at_one(a: list[str], b: list[str]) -> None:
    assume(min(len(set(points(a))), len(set(points(b)))) > 3)
    assume(sorted(points(a)) != sorted(points(b)))
    options: dict[str, Any] = {"space": "latent", "vectors": VECTORS}
    closed = divergence(a, b, **options).raw
    assert divergence(a, b, limit=False, **options).raw == pytest.approx(closed, abs=1e-3)
    both = pairs(count_texts([a, b]), "latent", limit=False, vectors=VECTORS)
    assert both.estimates[3][0, 1] == pytest.approx(closed, abs=1e-3)


def test_words_explain_kl_and_their_parts_sum_to_it() -> None:
    a = [f"w{i % 30}" for i in range(50)]
    b = [f"w{i % 25 + 20}" for i in range(70)]
    for estimator in ("plain", "equal_radius"):
        found = divergence(a, b, space="latent", vectors=VECTORS, estimator=estimator)
        parts = sum(reason.contribution for reason in found.explanation.reasons)
        assert parts == pytest.approx(found.raw, abs=1e-9)
    shared = {r.query: r for r in found.explanation.reasons}["w21"]
    assert shared.distance == 0 and shared.match.startswith("w21, ")


def test_a_run_that_was_stopped_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    many = vectors(words=400)
    counts = count_texts([[f"w{i}" for i in rng.integers(0, 400, 300)] for _ in range(4)])
    options: dict[str, Any] = {"k": [2, 3], "vectors": many, "memory": 1e-6}
    whole = pairs(counts, "latent", **options)

    def stop(done: int, total: int | None) -> None:
        seen.append(done)
        if done == 9 and len(seen) < 12:
            raise KeyboardInterrupt

    seen: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        pairs(counts, "latent", resume=tmp_path / "run", progress=stop, **options)
    again = pairs(counts, "latent", resume=tmp_path / "run", progress=stop, **options)
    assert seen[9] == 10  # not from the start
    for k in (2, 3):
        assert (again.estimates[k] == whole.estimates[k]).all()
    with pytest.raises(InputError, match="other"):
        pairs(counts, "latent", resume=tmp_path / "run", k=4, vectors=many)


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    many = vectors(words=300, dims=40)
    counts = count_texts([[f"w{i}" for i in rng.integers(0, 300, 200)] for _ in range(3)])
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("LEXFIELD_THREADS", threads)
        found.append(pairs(counts, "latent", vectors=many, memory=1e-6).estimates[3])
    assert (found[0] == found[1]).all()


def test_approximate_neighbours_come_close() -> None:
    pytest.importorskip("faiss")
    rng = np.random.default_rng(1)
    many = vectors(words=3000, dims=20)
    counts = count_texts([[f"w{i}" for i in rng.integers(0, 3000, 900)] for _ in range(3)])
    exact = pairs(counts, "latent", vectors=many).estimates[3]
    near = pairs(counts, "latent", vectors=many, approximate=True).estimates[3]
    assert near == pytest.approx(exact, abs=0.5) and (near != exact).any()


@given(st.integers(0, 99))
def test_points_with_short_lists_look_at_all_the_others(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, counts = rng.normal(size=(40, 3)), csr_matrix(rng.integers(0, 3, size=(2, 40)))
    a, b = counts.toarray()
    mine = np.flatnonzero(a)
    whole = find_radii(rows, list_neighbours(rows, 39), mine, a, b, 3)
    for size in (1, 6, 12):
        for long, short in zip(
            whole, find_radii(rows, list_neighbours(rows, size), mine, a, b, 3), strict=True
        ):
            np.testing.assert_allclose(short, long, rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_identical_distributions_differ_by_nothing(d: int) -> None:
    rng = np.random.default_rng(d)
    found = knn_divergence(rng.normal(size=(5000, d)), rng.normal(size=(5000, d)), k=5)
    assert abs(found.raw) < 0.05


def gaussians(n: int, d: int, seed: int) -> tuple[Any, Any]:
    """Two clouds whose KL divergence is a half."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    y[:, 0] += 1
    return x, y


@pytest.mark.parametrize(("d", "low"), [(1, 0.9), (2, 0.88), (5, 0.7)])
def test_gaussians_are_estimated_from_below_and_better_with_more_points(d: int, low: float) -> None:
    few, many = (
        np.mean([knn_divergence(*gaussians(n, d, s), k=5).value for s in range(runs)])
        for n, runs in ((1000, 4), (8000, 2))
    )
    assert abs(0.5 - many) < abs(0.5 - few) + 0.01
    assert low * 0.5 < many < 1.06 * 0.5


@pytest.mark.parametrize("d", [5, 10])
def test_extrapolation_at_least_halves_the_error(d: int) -> None:
    plain, better = [], []
    for seed in range(4):
        x, y = gaussians(2500, d, seed)
        plain.append(knn_divergence(x, y, k=5).value)
        better.append(knn_divergence(x, y, k=5, estimator="extrapolated").value)
    assert abs(0.5 - np.mean(better)) < abs(0.5 - np.mean(plain)) / 2


def test_intervals_hold_the_value_and_p_tells_alike_from_unlike() -> None:
    x, y = gaussians(400, 2, 3)
    unlike = knn_divergence(x, 2 * y, k=5, interval=0.95, p=True, resamples=60)
    assert unlike.interval is not None and unlike.interval[0] < unlike.value < unlike.interval[1]
    assert unlike.p is not None and unlike.p < 0.05
    alike = knn_divergence(x[:200], x[200:], k=5, p=True, resamples=60)
    assert alike.p is not None and alike.p > 0.05


def test_the_intrinsic_dimension_of_a_plane_is_two() -> None:
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(1500, 2)) @ rng.normal(size=(2, 30))
    flat = knn_divergence(plane[:700], plane[700:], dimension="intrinsic").raw
    assert flat == pytest.approx(
        knn_divergence(plane[:700], plane[700:], dimension=2).raw, abs=0.05
    )


def test_principal_axes_keep_what_lies_on_them() -> None:
    rng = np.random.default_rng(0)
    matrix = np.hstack([rng.normal(size=(60, 2)), np.zeros((60, 3))]).astype(np.float32)
    flat = lx.WordVectors([f"w{i}" for i in range(60)], matrix)
    a, b = [f"w{i}" for i in range(0, 40)], [f"w{i}" for i in range(20, 60)]
    options: dict[str, Any] = {"space": "latent", "vectors": flat, "dimension": 2}
    whole = divergence(a, b, **options).raw
    assert divergence(a, b, reduce="pca(2)", **options).raw == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        ("w1 w2 w3", "w1 w2 w3 w4 w5", {}, "distinct points"),
        ("zzz", "w1 w2 w3 w4 w5", {}, "no word of the vectors"),
        ("", "w1 w2", {}, "has no words"),
        ("w1", "w2", {"k": 0}, "k must be"),
        ("w1", "w2", {"estimator": "best"}, "estimator"),
        ("w1", "w2", {"estimator": "equal_radius", "measure": "js"}, "measure"),
        ("w1", "w2", {"n": 2}, "n must be 1"),
        ("w1 w2 w3 w4 w5", "w1 w2 w3 w4 w6", {"dimension": "flat"}, "dimension"),
        ("w1 w2 w3 w4 w5", "w1 w2 w3 w4 w6", {"reduce": "pca(99)"}, "reduce"),
        ("w1", "w2", {"dimensions": 3}, "Did you mean 'dimension'"),
    ],
)
def test_bad_input_is_told(a: str, b: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        divergence(a, b, space="latent", vectors=VECTORS, **options)


def test_broken_vectors_are_named() -> None:
    broken = vectors()
    broken.matrix[3] = np.nan
    text = " ".join(f"w{i}" for i in range(10))
    with pytest.raises(InputError, match="'w3'"):
        divergence(text, text, space="latent", vectors=broken)


def test_documents_that_are_too_short_are_named() -> None:
    long = " ".join(f"w{i}" for i in range(20))
    corpus = lx.Corpus.of([lx.Document("long", long), lx.Document("other", long + " w30"),
                           lx.Document("short", "w1 w2"), lx.Document("empty", "")])  # fmt: skip
    found = pairs(corpus, "latent", k=[2, 5], vectors=VECTORS)
    assert found.ids == ["long", "other"]
    assert any("short" in note for note in found.notes)
    assert any("empty" in note for note in found.notes)
    assert np.isfinite(found.estimates[5]).all()


@pytest.fixture(scope="module")
def wide() -> tuple[lx.WordVectors, list[list[str]]]:
    """Vectors of 256 dimensions, and twelve texts of unequal length."""
    rng = np.random.default_rng(0)
    known = lx.WordVectors(
        [f"w{i}" for i in range(900)], rng.normal(size=(900, 256)).astype(np.float32), name="wide"
    )
    lengths = [4000, *range(150, 700, 50)]
    return known, [[f"w{int(i)}" for i in rng.zipf(1.2, 9 * n) if i < 900][:n] for n in lengths]


@pytest.mark.parametrize("measure", ["hellinger", "js"])
def test_an_impossible_estimate_is_no_number(
    wide: tuple[lx.WordVectors, list[list[str]]], measure: str
) -> None:
    known, documents = wide
    options: dict[str, Any] = {"space": "latent", "measure": measure, "vectors": known}
    found = divergence(documents[0], documents[1], interval=0.9, resamples=20, **options)
    assert math.isnan(found.value) and not found.possible and found.interval is None
    assert found.raw < 0
    assert str(found) == f"{measure} (latent) –"
    assert found.to_dict()["value"] is None and found.to_dict()["possible"] is False
    assert any("no value" in note and "spread" in note for note in found.notes)
    bounded = divergence(documents[0], documents[1], estimator="spread", **options)
    assert 0 < bounded.value < 1


def test_nothing_is_ranked_by_impossible_estimates(
    wide: tuple[lx.WordVectors, list[list[str]]], tmp_path: Path
) -> None:
    known, documents = wide
    found = pairs(count_texts(documents), "latent", measure="js", vectors=known)
    assert all(record["value"] is None for record in found.to_dicts())
    assert any("132 of 132 pairs have no value" in note for note in found.notes)
    assert "nan" not in found._repr_html_()
    for kind in ("map", "heat"):
        with pytest.raises(InputError, match="no label, ranking or map.*spread"):
            found.plot(tmp_path / "x.png", kind)
    with pytest.raises(InputError, match="no label, ranking or map"):
        leave_one_out(found.matrix, ["a", "b"] * 6)
    labeler = lx.DivergenceLabeler(space="latent", measure="js", options={"vectors": known})
    labeler.fit(documents[:8], ["a", "b"] * 4)
    for ask in (labeler.predict, labeler.predict_proba):
        with pytest.raises(InputError, match="no label, ranking or map"):
            ask(documents[8:])


def test_a_hub_is_named() -> None:
    texts = [[f"w{i}"] * 3 + ["w50"] for i in range(11)]
    hub = pairs(count_texts([["w50", *(f"w{i}" for i in range(11))], *texts]), measure="js")
    assert any("0 is the nearest of 11 of 12 documents" in note for note in hub.notes)
    twins = [[f"w{i // 2}", f"w{20 + i}"] for i in range(12)]
    assert pairs(count_texts(twins), measure="js").notes == []
