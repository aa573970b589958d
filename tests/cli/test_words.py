"""``threshold``, ``near --models``, ``vectors train`` and ``uncertainty`` as they are typed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from lexfield.sample import TEXTS
from tests.cli.conftest import Run


@pytest.fixture
def sets(tmp_path: Path) -> list[Path]:
    """Three small models of the same words."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(120, 6))
    paths = []
    for number in range(3):
        path = tmp_path / f"m{number}.vec"
        rows = base + rng.normal(scale=0.1, size=base.shape)
        lines = [f"w{i} " + " ".join(f"{x:.4f}" for x in row) for i, row in enumerate(rows)]
        path.write_text("120 6\n" + "\n".join(lines) + "\n", "utf-8")
        paths.append(path)
    return paths


def test_threshold(run: Run, sets: list[Path], tmp_path: Path) -> None:
    done = run("threshold", sets[0], "--json")
    assert done.code == 0 and done.json["schema"] == "lexfield.threshold/1"
    assert done.json["synonyms"] == 1.6 and done.json["deviation"] == 3.1
    low, high = done.json["interval"]
    assert 0 < low < done.json["threshold"] < high <= 1
    assert len(done.json["curve"]) == 101 and done.json["error"] == 0
    assert done.json["results"][0]["threshold"] == done.json["threshold"]
    several = run("threshold", *sets, "--plot", tmp_path / "t.svg", "--json").json
    assert [row["vectors"] for row in several["results"]] == ["3 models", "m0", "m1", "m2"]
    assert several["results"][1]["threshold"] == done.json["threshold"]
    assert "3 models: 0." in (tmp_path / "t.svg").read_text("utf-8")


def test_threshold_by_hand_and_by_sample(run: Run, sets: list[Path]) -> None:
    more = run("threshold", sets[0], "--synonyms", 4, "--deviation", 1)
    assert more.code == 0
    assert "4 ± 1 synonyms per word\n" in more.out and "similarity" in more.out
    plain = run("threshold", sets[0])
    assert "1.6 ± 3.1 synonyms per word, as counted in WordNet" in plain.out
    drawn = run("threshold", sets[0], "--sample", 60, "--limit", 100)
    assert "standard error" in drawn.out and "100 words" in drawn.out


def test_threshold_beside_an_installed_wordnet(
    run: Run, sets: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{part}").write_text(f"1 03 n 03 a{part} 0 b 0 c 0 000 | x\n", "utf-8")
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    done = run("threshold", sets[0], "--json").json
    # four terms with b and c; b and c with the other one and those four
    assert done["wordnet"]["terms"] == 6
    assert done["wordnet"]["synonyms"] == pytest.approx((4 * 2 + 2 * 5) / 6)
    assert done["wordnet"]["threshold"] < done["threshold"]
    assert "3.00 ± 1.41 in the installed WordNet" in run("threshold", sets[0]).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--synonyms", 0), "synonyms must be a number above 0 and at most 1,000."),
        (("--synonyms", 500), "120 words are too few"),
        (("--plot", "picture.txt"), "does not name a figure"),
        (("nowhere.vec",), "no vectors called 'nowhere.vec'"),
    ],
)
def test_bad_thresholds(
    run: Run, sets: list[Path], arguments: tuple[object, ...], message: str
) -> None:
    done = run("threshold", sets[0], *arguments)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err


def test_near_with_several_sets(run: Run, sets: list[Path]) -> None:
    arguments = ("near", "w3", *(part for path in sets for part in ("--models", path)))
    done = run(*arguments, "-k", 3, "--json")
    assert done.code == 0 and len(done.json["results"]) == 3
    first = done.json["results"][0]
    assert set(first) == {
        "word", "similarity", "distance", "deviation", "share", "best_rank", "worst_rank",
    }  # fmt: skip
    assert 0 < first["deviation"] < 0.2 and first["best_rank"] == 1
    shown = run(*arguments, "w5", "-k", 2).out
    assert f"{first['similarity']:.2f} ± {first['deviation']:.2f}" in shown
    assert "of 3 models" in shown and shown.count("\n") == 5
    missing = run(*arguments[:1], "xyzzy", *arguments[2:])
    assert missing.code == 1 and "no word 'xyzzy'" in missing.err


def test_train_and_what_follows(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason="the extra train is not installed")
    folder = tmp_path / "models"
    done = run(
        "vectors", "train", TEXTS / "voss-sea.txt", TEXTS / "voss-stars.txt", "-o", folder,
        "--models", 2, "--dimensions", 8, "--dimensions", 12, "--epochs", 2, "--least", 3, "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert [row["dims"] for row in done.json["results"]] == [8, 12]
    assert run("verify", folder).code == 0
    assert (
        run("near", "sea", "--models", folder, "--dims", 8, "-k", 2).out.count("of 2 models") == 2
    )
    assert run("near", "sea", "--dims", 8).code == 2
    again = run("vectors", "train", TEXTS / "voss-sea.txt", "-o", folder)
    assert again.code == 2 and "--replace" in again.err
    assert run("threshold", folder, "--limit", 50, "--json").json["words"] == 50
    wrong = run("near", "sea", "--models", folder, "--dims", 9)
    assert wrong.code == 2 and "no models of 9 dimensions" in wrong.err
    found = run("threshold", folder, "--json").json
    assert [row["dims"] for row in found["results"]] == [8, 8, 8, 12, 12, 12]
    done = run("vectors", "uncertainty", folder, "--plot", tmp_path / "u.svg", "--json")
    assert done.code == 0
    assert {row["models"] for row in done.json["results"]} == {"8 dimensions", "12 dimensions"}
    assert "12 dimensions" in (tmp_path / "u.svg").read_text("utf-8")
    again = run("vectors", "uncertainty", folder, "--step", 0)
    assert again.code == 2 and "step must be a number from 0.001 to 1." in again.err


def test_bag_writes_sets_and_multisets(run: Run) -> None:
    text = b"If police police police police police, then police police police police police"
    shown = run("bag", "-", "--ngram", 2, stdin=text).out.splitlines()
    assert shown[:3] == [
        "4 types, 11 tokens",
        "set       {police police, if police, police then, then police}",
        "multiset  {police police: 8, if police: 1, police then: 1, then police: 1}",
    ]
    assert shown[5].split() == ["police", "police", "8", "0.7273"]


def test_kwic(run: Run, tmp_path: Path) -> None:
    done = run("kwic", TEXTS / "voss-sea.txt", "sea", "the dark", "--window", 3, "--json")
    assert done.code == 0 and done.json["schema"] == "lexfield.kwic/1"
    assert {row["match"].lower() for row in done.json["results"]} == {"sea", "the dark"}
    assert set(done.json["results"][0]) == {"document", "sentence", "left", "match", "right"}
    assert run("index", TEXTS / "voss-sea.txt", "-o", tmp_path / "my.idx").code == 0
    from_index = run("kwic", tmp_path / "my.idx", "sea", "the dark", "--window", 3, "--json")
    assert from_index.json["results"] == done.json["results"]
    shown = run("kwic", TEXTS / "voss-sea.txt", "sea", "-k", 2, "--sort", "right")
    shown_lines = shown.out.lower().splitlines()
    column = max(line.index(" sea") for line in shown_lines)
    assert [line[column : column + 4] for line in shown_lines] == [" sea"] * 2  # below each other
    assert "voss-sea: the first 2 of" in shown.err
    every = run("kwic", TEXTS, "sea", "-k", 1, "--json").json
    assert {row["document"] for row in every["results"]} == set(every["totals"])
    assert max(every["totals"].values()) > 1  # real, whatever the limit


def test_kwic_without_a_match(run: Run) -> None:
    done = run("kwic", TEXTS / "voss-sea.txt", "xyzzy", "--json")
    assert done.code == 1 and done.json["results"] == []
    assert done.json["notes"] == ["'xyzzy' does not occur"]
    assert run("kwic", TEXTS / "voss-sea.txt", "xyzzy").out == ""
    wrong = run("kwic", "nowhere", "sea")
    assert wrong.code == 2 and "nowhere" in wrong.err


def test_keyness(run: Run, tmp_path: Path) -> None:
    sea, stars = TEXTS / "voss-sea.txt", TEXTS / "quill-stars.txt"
    done = run("keyness", sea, stars, "--plot", tmp_path / "k.svg", "--json")
    assert done.code == 0 and done.json["schema"] == "lexfield.keyness/1"
    first = done.json["results"][0]
    assert {"g2", "p", "log_ratio", "diff", "count_a", "count_b", "more_in"} <= set(first)
    assert first["p"] <= 0.05 and done.json["tested"] >= done.json["found"]
    shown = (tmp_path / "k.svg").read_text("utf-8")
    assert "Words that distinguish voss-sea from quill-stars" in shown
    only = run("keyness", sea, stars, "--only", "B", "--p", 1, "--correction", "none", "--json")
    assert {row["more_in"] for row in only.json["results"]} == {"B"}
    shown = run("keyness", sea, stars).out
    assert shown.startswith("A is voss-sea, B is quill-stars: ") and "% change" in shown
    same = run("keyness", sea, sea)
    assert same.code == 1 and "no word differs" in same.err and same.out == ""
    short = run("keyness", sea, "-", stdin=b"...")
    assert short.code == 2 and "B has no words" in short.err


@pytest.mark.parametrize("word", ["chien", "hond", "gato", "livre", "stadt", "puede"])
def test_a_foreign_word_is_not_looked_up_in_english_vectors(run: Run, word: str) -> None:
    done = run("near", word)
    assert done.code == 1 and not done.out.strip()
    assert "in the English vectors" in done.err and "--vectors encoder" in done.err
    assert run("near", word, "--allow-unknown").out


def test_english_words_and_names_are_looked_up(run: Run) -> None:
    words = "taller kinder lest manga smartphone dublin einstein fernando".split()
    done = run("near", *words, "--json")
    assert done.code == 0 and not [note for note in done.json["notes"] if "only as" in note]


def test_a_foreign_word_with_a_capital_is_a_name(run: Run) -> None:
    assert run("near", "castillo").code == 1
    done = run("near", "Castillo", "--json")
    assert done.code == 0 and done.json["results"]
    (note,) = done.json["notes"]
    assert note.startswith("'Castillo' is taken as a name") and "--vectors encoder" in note
    assert "taken as a name" in run("near", "Stadt").err  # as are German nouns


def test_bag_keeps_capitals_and_phrases(run: Run, tmp_path: Path) -> None:
    """Exercise 4 of the lecture notes."""
    lines = ["John misses Mary", "Mary misses Misses Chives", "I hate chives with a passion",
             "I love passion fruit"]  # fmt: skip
    text, other = tmp_path / "a.txt", tmp_path / "b.txt"
    text.write_text(".\n\n".join(lines) + ".\n")
    other.write_text("Mary misses John.\n")
    phrases = ["--phrase", "Misses Chives", "--phrase", "passion fruit"]
    found = run("bag", text, "--keep-case", *phrases, "--json").json
    counts = {row["type"]: row["count"] for row in found["results"]}
    assert counts["misses"] == 2 and counts["Misses Chives"] == 1 and counts["chives"] == 1
    assert counts["passion"] == 1 and counts["passion fruit"] == 1 and "fruit" not in counts
    both = run("bag", other, "--other", text, "--operation", "difference", "--json").json
    assert both["included"] and both["results"] == []
    rest = run("bag", text, "--other", other, "--operation", "intersection", "--json").json
    assert {row["type"] for row in rest["results"]} == {"john", "mary", "misses"}
    assert not rest["included"]


def test_threshold_of_one_word(run: Run, sets: list[Path]) -> None:
    shown = run("threshold", *sets, "--synonyms", 1, "--word", "w0", "--json").json
    (curve,) = shown["word_curves"]
    rows = [np.loadtxt(path, skiprows=1, usecols=range(1, 7)) for path in sets]
    units = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in rows]
    cosines = np.array([unit[1:] @ unit[0] for unit in units])
    mean, deviation = cosines.mean(axis=0), cosines.std(axis=0, ddof=1)
    expected = norm.sf((0.5 - mean) / np.maximum(deviation, 1e-9)).sum()
    assert curve["word"] == "w0"
    assert curve["curve"][50]["neighbours"] == pytest.approx(expected, abs=0.03)
    assert run("threshold", *sets, "--word", "nowhere").code == 2
