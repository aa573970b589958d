"""The paper's questionnaire: its own files where they are at hand, made-up ones elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lexfield.errors import ReadError
from lexfield.study.analyse import analyse
from lexfield.study.build import import_study
from lexfield.study.design import PAPER_BASELINES as BASELINES
from lexfield.study.design import PAPER_TARGETS as TARGETS
from lexfield.study.strengths import Offer
from tests.conftest import import_reproduce

published = import_reproduce("published_totals")


def database(queries: int = 3) -> dict[str, Any]:
    return {
        str(q): {
            "query": f"Query {q}?",
            "difficulty": "middle",
            **{m: {str(i): f"{m} {q} {i}" for i in range(5)} for m in (*TARGETS, *BASELINES)},
        }
        for q in range(queries)
    }


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


CHOOSE3 = {
    "num_responses": 4,
    "num_answered_weighted": 10,
    "num_answered_unweighted": 20,
    "set_cover": {"included_count_unweighted": 10},
    "weighted_set_cover": {"included_count_weighted": 5},
    **{
        m: {"included_count_weighted": w, "included_count_unweighted": u}
        for m, w, u in zip(BASELINES, (7, 6, 6, 6), (15, 12, 11, 12), strict=True)
    },
}


def test_import(tmp_path: Path) -> None:
    source = write(tmp_path / "d.json", database())
    results = write(tmp_path / "r.json", CHOOSE3)
    study = import_study(source, tmp_path / "s.db", "choose3")
    assert study.design.targets == TARGETS and len(study.queries) == 3
    assert study.suggestions[2]["jaccard"][4][1] == "jaccard 1 4"
    one = study.join()
    for place in range(3):
        assert study.answer(one, place, [0, 1, 2])
    totals = published.read_totals(results, "choose3")
    assert (totals.participants, totals.answers) == (4, 30)
    shares = published.published_shares(totals, study.design)
    first = published.add_published(analyse(study).to_dicts(), shares)[0]
    assert first["published"] == 50 and first["difference"] == first["per_cent"] - 50


def test_suggestions_of_other_programs(tmp_path: Path) -> None:
    entries = {"0": {"query": "Why?", "mine": ["One.", "Two."], "theirs": {"1": "B.", "0": "A."}}}
    source = write(tmp_path / "d.json", entries)
    study = import_study(
        source, tmp_path / "s.db", "head2head", targets=["mine"], baselines=["theirs"]
    )
    (lists,) = study.suggestions.values()
    assert [text for _, text in lists["mine"]] == ["One.", "Two."]
    assert [text for _, text in lists["theirs"]] == ["A.", "B."]
    with pytest.raises(ReadError, match="has no 'set_cover'.*target and baseline"):
        import_study(source, tmp_path / "t.db")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "no entries by number"),
        ({"0": 5}, "has no 'query'"),
        ({"0": {**database()["0"], "jaccard": "x"}}, None),
        ({"0": {k: v for k, v in database()["0"].items() if k != "jaccard"}}, "has no 'jaccard'"),
        ({"0": {**database()["0"], "jaccard": {"0": 5}}}, "is not a text"),
        ({"0": {**database()["0"], "jaccard": {"first": "x"}}}, "not a whole number"),
    ],
)
def test_bad_databases(tmp_path: Path, value: Any, message: str | None) -> None:
    source = write(tmp_path / "d.json", value)
    if message is None:  # a method without suggestions: no question can be made
        with pytest.raises(ValueError, match="No question"):
            import_study(source, tmp_path / "s.db")
        return
    with pytest.raises(ReadError, match=message):
        import_study(source, tmp_path / "s.db")


@pytest.mark.parametrize("value", [[], {}, {"num_responses": 1}, {**CHOOSE3, "jaccard": {}}])
def test_bad_totals(tmp_path: Path, value: Any) -> None:
    for kind in ("choose3", "head2head"):
        with pytest.raises(ReadError, match="does not hold the totals"):
            published.read_totals(write(tmp_path / "r.json", value), kind)
    with pytest.raises(ReadError, match="not a count"):
        published.read_totals(
            write(tmp_path / "r.json", {**CHOOSE3, "num_responses": -1}), "choose3"
        )


def test_wilson_by_hand() -> None:
    # z = 1.95996: (0.5 ± …) for 5 of 10 is 23.66 to 76.34
    assert published.wilson(5, 10) == pytest.approx((23.66, 76.34), abs=0.01)
    assert published.wilson(0, 10)[0] == pytest.approx(0, abs=1e-9)


def test_redrawn_totals_add_up() -> None:
    import numpy as np

    offers = [Offer((0, 1, 2, 3), 3), Offer((1, 2), 1)]
    drawn = published.redraw(
        offers, np.array([100.0, 50.0]), np.array([0.0, 1.0, 0.0, -1.0]), 500, 0
    )
    assert (drawn.sum(1) == 350).all()
    assert drawn[:, 1].mean() > drawn[:, 2].mean() > drawn[:, 3].mean()


def test_the_papers_own(shared_data: Path, tmp_path: Path) -> None:
    """The figures printed in section 4.4.2 follow from the published totals."""
    survey = shared_data / "survey"
    for kind, name in (("choose3", "choose-3"), ("head2head", "head-to-head")):
        study = import_study(survey / "database.json", tmp_path / f"{kind}.db", kind)
        assert len(study.queries) == 100 and study.about["left_out"] == 0
        totals = published.read_totals(survey / f"{name}-results.json", kind)
        rows = published.published_shares(totals, study.design)
        found = {(r["group"], r["target"], r["method"]): round(r["per_cent"]) for r in rows}
        if kind == "choose3":
            printed = dict(zip(("set_cover", *BASELINES), (57, 63, 61, 58, 61), strict=True))
            assert {m: found["useful", "set_cover", m] for m in printed} == printed
        else:
            assert found["helpful", "set_cover", "all"] == 44
            assert found["varied", "set_cover", "all"] == 47
        assert study.question(study.join()) is not None
