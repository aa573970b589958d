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
    quick = (*known, "--features", "mfw(300)")  # less to choose from
    disputed = tmp_path / "disputed.txt"
    disputed.write_text((TEXTS / "voss-sea.txt").read_text("utf-8")[:3000], "utf-8")
    found = run(*quick, "--text", disputed, "--json").json
    (one,) = found["results"]
    assert one["label"] == "voss" and one["probability"] > 0.5
    assert set(one) == {
        "id", "label", "probability", "words", "accuracy", "interval", "candidates", "evidence",
    }  # fmt: skip
    assert "what speaks for voss rather than" in run(*quick, "--text", disputed).out
    assert "if it is one of these" in run(*quick, "--text", disputed).out
    assert "--verify asks whether any of them is" in found["notes"][-1]
    folder = run(*quick, "--text", TEXTS, "--reject", 0.97, "--json").json
    assert len(folder["results"]) == 64
    assert {one["label"] is None for one in folder["results"]} == {True, False}
    assert run(*quick, "--text", "-", stdin=disputed.read_bytes()).code == 0
    assert run(*quick, "--text", tmp_path / "no.txt").code == 2
    assert run(*quick, "--plot", tmp_path / "sure.gif").code == 2


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


def test_five_short_texts_make_nothing_certain(run: Run, tmp_path: Path) -> None:
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
    files = sorted(tmp_path.glob("*.txt"))
    known = ("attribute", *files, "--metadata", tmp_path / "by.csv", "--by", "author")
    (found,) = run(*known, "--text", tmp_path / "new.text", "--json").json["results"]
    assert 0.5 <= found["probability"] < 0.95
    refused = run("attribute", *files, "--by", "author")
    assert refused.code == 2 and "have no metadata" in refused.err and "--metadata" in refused.err


def test_rolling(run: Run, tmp_path: Path) -> None:
    """Two hands in one text: the change is found about where it is."""
    known = tmp_path / "known"
    known.mkdir()
    for path in TEXTS.glob("*.txt"):
        if path.stem not in ("voss-sea", "belmonte-sea"):
            (known / path.name).write_bytes(path.read_bytes())
    parts = [(TEXTS / f"{name}-sea.txt").read_text("utf-8") for name in ("voss", "belmonte")]
    text = tmp_path / "text.txt"
    text.write_text("\n".join(parts), "utf-8")
    border = len(parts[0].split())
    picture = tmp_path / "hands.png"
    by = ("--known", known, "--metadata", METADATA, "--window", 200)
    found = run("rolling", text, *by, "--plot", picture, "--json").json
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert any(
        (one["before"], one["after"]) == ("voss", "belmonte") and one["low"] < border < one["high"]
        for one in found["changes"]
    )
    assert found["results"][1]["start"] == 100
    (first, *_) = found["changes"]
    place = f"near word {first['near']} (between {first['low']} and {first['high']}): "
    assert place in run("rolling", text, *by).out
    assert run("rolling", text, "--known", known, "--window", 10**6).code == 2
    german = "und der die das nicht ein ich sie mit auf dem Haus am See " * 80
    quick = (*by, "--features", "mfw(100)")
    text.write_text(german, "utf-8")
    strange = run("rolling", text, *quick)
    assert strange.out.count("not judged") == 11 and "one hand" not in strange.out
    text.write_text(german + parts[0], "utf-8")  # only what is judged has a hand
    mixed = run("rolling", text, *quick, "--plot", tmp_path / "mixed.html", "--json").json
    labels = [one["label"] for one in mixed["results"]]
    assert labels[0] is None and labels[-1] is not None
    assert all(one["low"] >= 1000 for one in mixed["changes"])
    page = (tmp_path / "mixed.html").read_text("utf-8")
    assert "words 0 to 200:" not in page and f"to {len(text.read_text().split()):,}:" in page


def test_a_draft_that_is_no_file_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The sea was calm that night.")
    assert run("index", tmp_path / "a.txt", "-o", tmp_path / "i").code == 0
    refused = run("inspire", tmp_path / "i", tmp_path)
    assert refused.code == 2 and "is not a file with text" in refused.err
