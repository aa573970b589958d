"""Hare et al., section 4.4.2: the questionnaire, its published totals, and its 100 queries again.

published  The figures printed in the text beside those that follow from the published totals, with
           intervals, strengths and what the study could see. Totals are all there is: who answered
           what was not published.
simulated  As many participants answer the paper's own questions by the strengths fitted to its
           totals, through the whole path of `lexfield study`; are the published shares found again,
           and how much wider do intervals get when tastes differ (spread τ)?
queries    The same 100 queries asked of our own methods on the books at hand: how many make a
           question, how different the methods' suggestions are, and how many are the paper's own.
calibrated How often 95% intervals hold the truth, over many simulated studies.

    python reproduce/questionnaire.py --data ../shared/data [--only published]
    python reproduce/questionnaire.py --data ../shared/data --study paper.db

The second form prints the shares of a study made with `lexfield study import database.json` beside
the published ones.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from published_totals import (
    Totals,
    add_published,
    published_shares,
    published_strengths,
    read_totals,
    wilson,
)
from scipy.optimize import brentq

from lexfield import Corpus, Index
from lexfield.evaluate.variety import unique_share
from lexfield.results import format_rows
from lexfield.study.analyse import GroupAnalysis, analyse
from lexfield.study.build import import_study, new_study, read_queries
from lexfield.study.database import Answer, Study
from lexfield.study.design import PAPER_BASELINES as BASELINES
from lexfield.study.design import PAPER_TARGETS as TARGETS
from lexfield.study.design import Design
from lexfield.study.simulate import choose, simulate

HERE = Path(__file__).parent
OUT = HERE / "results" / "questionnaire.json"
PARTS = ("published", "simulated", "queries", "calibrated")
RESULTS = {"choose3": "choose-3-results.json", "head2head": "head-to-head-results.json"}
SPREADS = (0.0, 0.5, 1.0)
STUDIES = 100  # for calibration
THETA = {"a": 0.6, "b": 0.3, "c": 0.0, "d": -0.3, "e": -0.6}
# As printed in section 4.4.2: per cent chosen; preferred, and more varied, over all baselines.
PRINTED: dict[str, dict[tuple[str, str, str], int]] = {
    "choose3": {
        ("useful", "set_cover", method): value
        for method, value in zip(("set_cover", *BASELINES), (57, 63, 61, 58, 61), strict=True)
    },
    "head2head": {("helpful", "set_cover", "all"): 44, ("varied", "set_cover", "all"): 47},
}
# our method → the paper's
SAME = {
    "setcover": "set_cover",
    "mean(plain=true)": "embedding_average",
    "wmd": "word_movers_distance",
    "jaccard": "jaccard",
    "edit": "edit_distance",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--study", type=Path, help="Compare this study with the published totals.")
    options = parser.parse_args()
    if options.study:
        return print("\n".join(beside_published(options.study, options.data)))
    works = {
        "published": published, "simulated": simulated, "queries": queries,
        "calibrated": calibrated,
    }  # fmt: skip
    for part in [options.only] if options.only else PARTS:
        with TemporaryDirectory() as folder:
            found = works[part](options.data, Path(folder))
        result = json.loads(OUT.read_text("utf-8")) if OUT.is_file() else {}
        result[part] = found
        OUT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(json.dumps({part: found}, indent=1, ensure_ascii=False))


def beside_published(path: Path, data: Path) -> list[str]:
    """Return the shares of a study of the paper's questions, with the published ones."""
    with Study(path) as study:
        published = published_shares(totals_of(data, study.design.kind), study.design)
        rows = add_published(analyse(study).to_dicts(), published)
    return format_rows([rounded(row) for row in rows] or [rounded(row) for row in published], 100)


def paper(data: Path, folder: Path, kind: str, name: str = "paper") -> Path:
    path = folder / f"{name}-{kind}.db"
    import_study(data / "survey" / "database.json", path, kind).close()
    return path


def totals_of(data: Path, kind: str) -> Totals:
    return read_totals(data / "survey" / RESULTS[kind], kind)


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, 3 if k == "score" else 2) if isinstance(v, float) else v
            for k, v in row.items()}  # fmt: skip


def published(data: Path, folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for kind, printed in PRINTED.items():
        with Study(paper(data, folder, kind)) as study:
            totals = totals_of(data, kind)
            rows = published_shares(totals, study.design)
            for row in rows:
                key = (row["group"], row["target"], row["method"])
                row["printed"] = printed.get(key)
                row["differs_from_chance"] = not row["low"] <= row["chance"] <= row["high"]
            asked = totals.answers
            result[kind] = {
                "participants": totals.participants,
                "answers": asked,
                "answers_a_participant": round(asked / totals.participants, 1),
                "shares": [rounded(row) for row in rows],
                "strengths": [rounded(r) for r in published_strengths(totals, study.design)],
            }
    result["says"] = [
        "All printed figures follow from the totals; they are those of the plain set cover only.",
        "A second, weighted set cover was asked about in half of the questions and is not in the"
        " text: 55% chosen, 37% preferred, 43% more varied.",
        "The text reads the shares as what chance gives. Taken as independent answers, the plain"
        " set cover's 57% is below 60%, the mean's 63% above, and 44% below 50%; 47% is not.",
        "One student's answers are alike, so the true intervals are wider; by how much cannot be"
        " known from totals (see simulated: what spreads of taste would do).",
    ]
    return result


def simulated(data: Path, folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for kind in RESULTS:
        with Study(paper(data, folder, kind, "totals")) as study:
            totals = totals_of(data, kind)
            shares = published_shares(totals, study.design)
            scores = published_strengths(totals, study.design, draws=100)
        mean = totals.answers / totals.participants
        quits = quitting(mean)
        for spread in SPREADS:
            rows = []
            for group in {row["group"]: None for row in shares}:
                theta = {r["method"]: r["score"] for r in scores if r["group"] == group}
                path = paper(data, folder, kind, f"{group}-{spread}")
                with Study(path, durable=False) as study:
                    simulate(study, totals.participants, theta, spread=spread, answers=quits)
                    found = analyse(study)
                own = add_published(found.to_dicts(), shares)
                rows += [row for row in own if row["group"] == group]
            result[f"{kind}, spread {spread:g}"] = compare(rows, shares)
    return result


def quitting(mean: float, questions: int = 100) -> float:
    """What ``answers`` must be for so many answers on average, when no more can be asked."""
    found: float = brentq(lambda a: a * (1 - (1 - 1 / a) ** questions) - mean, 1.01, 1e5)
    return found


def compare(rows: list[dict[str, Any]], shares: list[dict[str, Any]]) -> dict[str, Any]:
    """How many published shares lie in our intervals, and how wide those are beside theirs."""
    theirs = {(row["group"], row["target"], row["method"]): row for row in shares}
    inside, ratios = 0, []
    for row in rows:
        other = theirs[row["group"], row["target"], row["method"]]
        inside += row["low"] <= other["per_cent"] <= row["high"]
        ratio = (row["high"] - row["low"]) / (other["high"] - other["low"])
        ratios.append(ratio * (row["asked"] / other["asked"]) ** 0.5)
    return {
        "shares": len(rows),
        "published_inside_ours": inside,
        "width_beside_independent": round(sum(ratios) / len(ratios), 2),
        "largest_difference": round(max(abs(row["difference"]) for row in rows), 2),
    }


def queries(data: Path, folder: Path) -> dict[str, Any]:
    books = json.loads((data / "books79" / "index.json").read_text("utf-8"))
    metadata = folder / "levels.csv"
    lines = [f"{book['key']},{book['reading_level']}" for book in books]
    metadata.write_text("id,reading_level\n" + "\n".join(lines) + "\n", "utf-8")
    texts = [data / "books79" / "txt" / f"{book['key']}.txt" for book in books]
    index = Index.build(Corpus.read(texts, metadata=metadata), folder / "books.idx")
    asked = read_queries(data / "survey" / "queries.json")
    result: dict[str, Any] = {"sentences": len(index.rows())}
    for kind in RESULTS:
        start = time.perf_counter()
        study = new_study(
            index, asked, folder / f"{kind}.db", kind, by="reading_level",
            targets=("ideas", "setcover"),
        )  # fmt: skip
        result[kind] = {
            "questions": len(study.queries),
            "left_out": study.about["left_out"],
            "seconds": round(time.perf_counter() - start, 1),
        }
    ours = {study.queries[q].text: lists for q, lists in study.suggestions.items()}
    with Study(paper(data, folder, "head2head")) as theirs:
        result["suggestions"] = overlap(ours, theirs)
    result["says"] = [
        "The paper's own suggestions give its Table 3 (89.6, 72.0, 42.2, 56.4, 93.2% unique) but"
        " for the copies that we take out of its lists.",
        "Few sentences are the same: six of its 79 books are not at hand, sentences are cut by"
        " other rules, and the vectors are others (fastText there, ours here); methods that count"
        " words or letters agree most, set cover, which chooses among many nearly equal sentences,"
        " least.",
    ]
    return result


def overlap(ours: dict[str, Any], theirs: Study) -> dict[str, Any]:
    """For each method: how unique its suggestions are, ours and theirs; how many are the same."""
    both = [q for q, query in theirs.queries.items() if query.text in ours]
    numbers: dict[str, int] = {}

    def rows(lists: dict[str, Any], methods: tuple[str, ...]) -> dict[str, list[int]]:
        return {m: [numbers.setdefault(t, len(numbers)) for _, t in lists[m]] for m in methods}

    found = [rows(ours[theirs.queries[q].text], tuple(SAME)) for q in both]
    paper_rows = [rows(theirs.suggestions[q], tuple(SAME.values())) for q in both]
    unique = unique_share({m: [one[m] for one in found] for m in SAME})
    paper_unique = unique_share({m: [one[m] for one in paper_rows] for m in SAME.values()})
    return {
        mine: {
            "unique_per_cent": round(100 * unique[mine], 1),
            "papers_unique_per_cent": round(100 * paper_unique[yours], 1),
            "also_suggested_by_the_papers_per_cent": round(
                100
                * sum(
                    len(set(a[mine]) & set(b[yours]))
                    for a, b in zip(found, paper_rows, strict=True)
                )
                / sum(len(a[mine]) for a in found),
                1,
            ),
        }
        for mine, yours in SAME.items()
    }


def calibrated(data: Path, folder: Path) -> dict[str, Any]:
    """Share of 95% intervals that hold the truth: strengths (τ = 0) and shares, ours and naive."""
    result: dict[str, Any] = {}
    for kind, people, spread in product(RESULTS, (10, 40), (0.0, 0.7)):
        design = Design(kind, ("a",), ("b", "c", "d", "e"))
        rng = Random(99)
        many = [one for _ in range(6000) for one in answers(design, rng, spread, 8)]
        truth = {share.method: share.per_cent for share in group(design, many, 100).shares()}
        held: dict[str, list[bool]] = {"shares": [], "shares_if_independent": [], "strengths": []}
        for _ in range(STUDIES):
            found = [one for _ in range(people) for one in answers(design, rng, spread, 20)]
            part = group(design, found, 1000)
            for share in part.shares():
                low, high = wilson(share.chosen, share.asked)
                held["shares"].append(share.low <= truth[share.method] <= share.high)
                held["shares_if_independent"].append(low <= truth[share.method] <= high)
            for one in part.strengths([]) if spread == 0 else []:
                held["strengths"].append(one.low <= THETA[one.method] <= one.high)
        result[f"{kind}, {people} participants, spread {spread:g}"] = {
            name: round(100 * sum(values) / len(values), 1)
            for name, values in held.items()
            if values
        }
    return result


def group(design: Design, found: list[list[Answer]], draws: int) -> GroupAnalysis:
    numbered = [
        replace(answer, participant=person) for person, own in enumerate(found) for answer in own
    ]
    return GroupAnalysis("g", design, numbered, draws, 0.95, len(numbered))


def answers(design: Design, rng: Random, spread: float, mean: int) -> list[list[Answer]]:
    """What one participant answers, by the model of ``simulate``."""
    own = {method: theta + spread * rng.gauss(0, 1) for method, theta in THETA.items()}
    found: list[Answer] = []
    while len(found) < 100:
        offered = ["a", *(design.baselines if design.kind == "choose3" else rng.choice("bcde"))]
        chosen = choose([own[method] for method in offered], design.choose, rng)
        found.append(Answer(0, "g", 1, tuple(offered), tuple((0,) for _ in offered), chosen))
        if rng.random() < 1 / mean:
            break
    return [found]


assert set(SAME.values()) <= {*TARGETS, *BASELINES}

if __name__ == "__main__":
    main()
