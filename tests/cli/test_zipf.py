"""``lexfield zipf``, ``speech`` and ``layout`` as they are typed."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from lexfield.sample import TEXTS
from tests.cli.conftest import Run

SEA = TEXTS / "voss-sea.txt"
STARS = TEXTS / "quill-stars.txt"
KEYS = {"schema", "results", "notes", "provenance"}


def test_zipf(run: Run, tmp_path: Path) -> None:
    done = run("zipf", SEA, "--plot", tmp_path / "out.png", "--json")
    assert done.code == 0
    assert done.json.keys() == KEYS  # everything is printed once
    assert done.json["schema"] == "lexfield.zipf/1"
    (result,) = done.json["results"]
    assert {"slope", "r2", "fits", "verdict"} <= set(result)
    assert result["name"] == "voss-sea" and result["vectors"] is None
    assert (tmp_path / "out.png").stat().st_size > 10_000


def test_zipf_of_clusters(run: Run, tmp_path: Path) -> None:
    arguments = ("zipf", TEXTS, "--latent", "--clusters", 12, "--seeds", 2)
    done = run(*arguments, "--plot", tmp_path / "out.html", "--json")
    (result,) = done.json["results"]
    assert done.code == 0 and result["space"] == "latent"
    assert len(result["clusters"]) == 12 and len(result["nulls"]) == 2
    done = run(*arguments, "--no-nulls")
    assert "12 clusters of 4,130 sentences" in done.out and "null model" not in done.out
    assert "  far   " not in done.out
    done = run(*arguments, "--no-nulls", "--examples")
    assert done.out.count("  near  ") == done.out.count("  far   ") == 60
    assert "repeated sentences were left out" in done.err


def test_several_corpora(run: Run, tmp_path: Path) -> None:
    done = run("zipf", SEA, STARS, SEA, "--ngram", 1, "--plot", tmp_path / "out.svg")
    assert done.code == 0
    shown = (tmp_path / "out.svg").read_text("utf-8")
    for name in ("voss-sea", "quill-stars", "voss-sea 2"):
        assert f"{name}: " in done.out and f"{name}: slope" in shown
    done = run("zipf", SEA, STARS, "--csv")
    assert [row["name"] for row in csv.DictReader(io.StringIO(done.out))] == [
        "voss-sea",
        "quill-stars",
    ]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (b"word", (), "Only 1 distinct word"),
        (b"all words differ here", (), "equally often"),
        (b"One word. Two words.", ("--latent", "--clusters", "75"), "too few for 75 clusters"),
        (b"One word. Two words.", ("--latent", "--clusters", "1"), "1 clusters are too few"),
        (
            b"One word. Two words.",
            ("--latent", "--clusters", "x"),
            "clusters must be a whole number",
        ),
        (b"Xqzzy wrrgl.", ("--latent",), "no word of this text"),
        (b"One word.", ("--plot", "out.gif"), "does not name a figure"),
        (b"One word.", ("--plot", "nowhere/out.png"), "no folder"),
    ],
)
def test_bad_input(run: Run, text: bytes, arguments: tuple[str, ...], message: str) -> None:
    done = run("zipf", "-", *arguments, stdin=text)
    assert done.code == 2 and done.out == ""
    assert message in done.err and "Traceback" not in done.err and "a fault" not in done.err


def test_other_languages_with_vectors_of_their_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "german.txt").write_text(
        " ".join(
            f"Der {a} {b} {c} im {d}."
            for a in ("Hund", "Fuchs", "Bär", "Wolf")
            for b in ("schläft", "sitzt", "jagt", "frisst")
            for c in ("oft", "selten", "gern", "heute")
            for d in ("Wald", "Garten", "Haus", "Hof", "Feld", "Tal")
        ),
        "utf-8",
    )
    done = run(
        "zipf", tmp_path / "german.txt", "--latent", "--clusters", 10, "--vectors", "own", "--json"
    )
    assert done.code == 0 and done.json["results"][0]["vectors"] == "own"
    assert done.json["results"][0]["figures"]["unembedded"] == 0


def test_speech(run: Run) -> None:
    done = run("speech", SEA, "--json")
    assert done.code == 0
    (result,) = done.json["results"]
    assert done.json.keys() == KEYS
    assert result["shares"][0]["speech"] == "noun"
    assert [row["k"] for row in result["neighbours"]] == [3, 5, 10, 20, 50]
    done = run("speech", SEA, STARS, "--nearest", 2)
    assert "voss-sea: parts of speech" in done.out and "by_chance" in done.out
    assert run("speech", "-", stdin=b"Xqzzy wrrgl.").code == 2


def test_layout(run: Run, tmp_path: Path) -> None:
    done = run(
        "layout", SEA, "--method", "pca", "--words", 50, "--plot", tmp_path / "a.html", "--json"
    )
    assert done.code == 0 and len(done.json["results"]) == 50
    assert done.json["results"][0].keys() == {"word", "x", "y", "speech", "count"}
    assert (tmp_path / "a.html").is_file()
    done = run("layout", SEA, STARS, "--method", "mds", "--words", 20, "--csv")
    assert done.out.startswith("corpus,word,x,y,speech,count\nvoss-sea,")
    assert "too few to lay out" in run("layout", "-", stdin=b"Two words.").err
