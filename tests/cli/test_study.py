"""``lexfield study`` as it is typed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from lexfield.sample import METADATA, TEXTS
from lexfield.study.build import Lengths, draw_queries
from tests.cli.conftest import Run
from tests.study.test_paper import database


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from lexfield.search.index import Index
    from lexfield.text.corpus import Corpus

    path = tmp_path_factory.mktemp("cli-study") / "s.idx"
    Index.build(Corpus.read(TEXTS, metadata=METADATA), path)
    return path


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.txt"
    path.write_text("The boat came home.\nShe baked bread.\nStars are bright.\nHe ran away.\n")
    return path


def test_the_whole_path(run: Run, index: Path, queries: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.db"
    made = run("study", "new", index, "--kind", "choose3", "--queries", queries, "-o", study)
    assert made.code == 0 and "4 questions (choose3)" in made.out
    took = run("study", "run", study, stdin=b"1\n\n\n\n1 2 3\nq\n")
    assert took.code == 0 and "Answers saved: 1" in took.out
    code = took.out.split("--code ")[1].split()[0]
    again = run("study", "run", study, "--code", code, stdin=b"345\n")
    assert again.code == 0 and "Answers saved: 2" in again.out
    found = run("study", "analyse", study, "--json").json
    assert found["schema"] == "lexfield.study.analyse/1"
    assert (found["kind"], found["participants"], found["answers"]) == ("choose3", 1, 2)
    assert [row["asked"] for row in found["results"]] == [2] * 5
    assert {"strengths", "agreement", "power", "positions", "background"} <= set(found)
    table = run("study", "analyse", study).out
    assert "Bradley–Terry scores" in table and "Krippendorff" in table


@pytest.mark.parametrize("kind", ["choose3", "head2head"])
def test_simulate(run: Run, index: Path, queries: Path, tmp_path: Path, kind: str) -> None:
    study = tmp_path / "study.db"
    run("study", "new", index, "--kind", kind, "--queries", queries, "-o", study)
    done = run(
        "study", "run", study, "--simulate", 40, "--strength", "ideas=1.5", "--seed", 3
    )  # fmt: skip
    assert done.code == 0 and "40 simulated participants" in done.out
    found = run("study", "analyse", study, "--json", "--draws", 500).json
    assert found["simulated"] and "these participants are simulated" in found["notes"]
    for group in found["agreement"]:
        best = next(row for row in found["strengths"] if row["group"] == group)
        assert best["method"] == "ideas" and best["low"] > 0
    refused = run("study", "serve", study, "--no-browser")
    assert refused.code == 2 and "contains simulated participants" in refused.err
    csv = run("study", "analyse", study, "--csv").out
    assert csv.startswith("group,target,method,chosen,asked,per_cent,low,high,chance\n")


def test_import(run: Run, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps(database()))
    study = tmp_path / "paper.db"
    made = run("study", "import", tmp_path / "d.json", "-o", study, "--json")
    assert made.code == 0 and made.json["results"][0]["questions"] == 3
    assert made.json["results"][0]["targets"] == ["set_cover", "weighted_set_cover"]
    chosen = ("--target", "jaccard", "--baseline", "edit_distance", "--kind", "head2head")
    made = run("study", "import", tmp_path / "d.json", *chosen, "-o", tmp_path / "two.db")
    assert made.code == 0 and "on jaccard beside edit_distance" in made.out
    found = run("study", "analyse", study)
    assert found.code == 1 and "nobody has answered yet" in found.err


def test_nobody_answered(run: Run, index: Path, queries: Path, tmp_path: Path) -> None:
    run("study", "new", index, "--queries", queries, "-o", tmp_path / "s.db")
    found = run("study", "analyse", tmp_path / "s.db")
    assert found.code == 1 and "nobody has answered yet" in found.err


def test_bad_input(run: Run, index: Path, queries: Path, tmp_path: Path) -> None:
    study = tmp_path / "s.db"
    for arguments, message in (
        (("new", index, "--queries", tmp_path / "none", "-o", study), "does not exist"),
        (("new", index, "--kind", "best", "--queries", queries, "-o", study), "is not one of"),
        (("new", index, "--queries", queries, "-o", queries), "would be overwritten"),
        (("new", index, "--queries", queries, "--baseline", "x", "-o", study), "method named 'x'"),
        (("new", index, "--queries", queries, "--longest", 2, "-o", study), "lengths must be"),
        (("import", queries, "-o", study), "is not JSON"),
        (("import", queries, "--results", queries, "-o", study), "No such option"),
        (("run", study), "There is no study at"),
        (("run", queries), "is not a study"),
        (("run", study, "--strength", "a=1"), "--strength goes with --simulate"),
        (("run", study, "--simulate", 2, "--code", "x"), "either --code or --simulate"),
        (("serve", study), "There is no study at"),
        (("analyse", study), "There is no study at"),
        (("analyse", study, "--draws", 1), "from 100 to 100,000"),
    ):
        done = run("study", *arguments)
        assert done.code == 2 and message in done.err and "Traceback" not in done.err, arguments
    run("study", "new", index, "--queries", queries, "-o", study)
    assert "is not a strength" in run("study", "run", study, "--simulate", 2, "--strength", "x").err
    open_to_all = run("study", "serve", study, "--host", "0.0.0.0", "--no-browser", "--no-token")
    assert open_to_all.code == 2 and "a token is needed" in open_to_all.err
    assert "No participant has" in run("study", "run", study, "--code", "zzzz").err


def test_queries_drawn_by_level(run: Run, index: Path, tmp_path: Path) -> None:
    asked = ["--sample", 7, "--by", "level", "--seed", 5]
    made = run("study", "new", index, *asked, "-o", tmp_path / "a.db", "--json").json["results"]
    assert made[0]["questions"] + made[0]["left_out"] == 7
    from lexfield.search.index import Index

    opened = Index.open(index)
    drawn = draw_queries(opened, 7, "level", Lengths(), 5)
    levels = Counter(query.level for query in drawn)
    assert sum(levels.values()) == 7 and max(levels.values()) - min(levels.values()) <= 1
    assert len({query.text for query in drawn}) == 7
    assert drawn == draw_queries(opened, 7, "level", Lengths(), 5)
    assert all(len(query.text.split()) >= 5 for query in draw_queries(opened, 9, None, Lengths()))
    both = run("study", "new", index, "--sample", 3, "--queries", "x", "-o", tmp_path / "b.db")
    assert both.code == 2 and "either --queries" in both.err
