"""attribute, inspire, methods and reproduce, as they are typed."""

from __future__ import annotations

from pathlib import Path

from lexfield.sample import METADATA, TEXTS
from tests.cli.conftest import Run


def test_attribute(run: Run, tmp_path: Path) -> None:
    known = ("attribute", TEXTS, "--metadata", METADATA, "--by", "author")
    picture = tmp_path / "sure.png"
    whole = run(*known, "--plot", picture)
    assert whole.code == 0
    assert "of 64 right" in whole.out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    disputed = tmp_path / "disputed.txt"
    disputed.write_text((TEXTS / "voss-sea.txt").read_text("utf-8")[:3000], "utf-8")
    found = run(*known, "--text", disputed, "--json").json
    assert found["predicted"] == "voss"
    assert found["results"][0]["probability"] == found["probability"] > 0.5
    assert "words that speak for it" in run(*known, "--text", disputed).out
    assert run(*known, "--text", "-", stdin=disputed.read_bytes()).code == 0
    assert run(*known, "--text", tmp_path / "no.txt").code == 2
    assert run(*known, "--plot", tmp_path / "sure.gif").code == 2


def test_inspire(run: Run, tmp_path: Path) -> None:
    index = tmp_path / "sample.idx"
    assert run("index", TEXTS, "-o", index).code == 0
    shown = run("inspire", index, "The boat came home before the storm.", "-k", 3)
    assert shown.out.startswith("after: The boat came home before the storm.\n  1. ")
    assert shown.out.count("takes up:") == 3
    draft = tmp_path / "draft.txt"
    draft.write_text("A lamp. The boat came home before the storm.", "utf-8")
    found = run("inspire", index, draft, "-k", 3, "--json").json
    assert found["asked"] == "The boat came home before the storm."
    assert found["results"][0]["text"] in shown.out
    assert run("inspire", index, "-", stdin=draft.read_bytes()).code == 0
    assert run("inspire", index, " ").code == 2


def test_methods(run: Run) -> None:
    assert "Kusner" in run("methods").out
    assert [row["name"] for row in run("methods", "kusner", "--json").json["results"]] == ["wmd"]
    assert run("methods", "nothing").code == 2


def test_reproduce(run: Run) -> None:
    listed = run("reproduce", "lecture", "--list")
    assert listed.code == 0
    assert "lecture-examples" in listed.out
    assert run("reproduce", "nothing").code == 2


def test_on_a_tie_the_nearer_label_comes_first(run: Run, tmp_path: Path) -> None:
    """Five texts say too little to be sure: the probabilities are equal, the distances are not."""
    texts = {
        "a1": "The sea and the ship and the storm.",
        "a2": "A kitchen with bread and rice.",
        "b1": "The garden of roses in the rain.",
        "b2": "Stars over the quiet school.",
        "b3": "A machine that never stops.",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(f"{text} " * 9)
    rows = "".join(f"{name},{name[0]}\n" for name in texts)
    (tmp_path / "by.csv").write_text(f"id,author\n{rows}")
    (tmp_path / "new.text").write_text("The garden of roses in the rain. " * 8)
    known = ("attribute", *sorted(tmp_path.glob("*.txt")), "--metadata", tmp_path / "by.csv")
    found = run(*known, "--by", "author", "--text", tmp_path / "new.text", "--json").json
    first, second = found["results"]
    assert first["probability"] >= second["probability"]
    if first["probability"] == second["probability"]:
        assert first["nearest"] <= second["nearest"]
    assert found["predicted"] == "b"


def test_a_draft_that_is_no_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The sea was calm that night.")
    assert run("index", tmp_path / "a.txt", "-o", tmp_path / "i").code == 0
    refused = run("inspire", tmp_path / "i", tmp_path)
    assert refused.code == 2 and "is not a file with text" in refused.err
