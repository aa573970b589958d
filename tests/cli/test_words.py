"""``lexfield threshold`` as it is typed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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
    assert "4 ± 1 synonyms a word\n" in more.out and "similarity" in more.out
    plain = run("threshold", sets[0])
    assert "1.6 ± 3.1 synonyms a word, as counted in WordNet" in plain.out
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
    assert "3.00 ± 1.41 in the WordNet that is installed" in run("threshold", sets[0]).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--synonyms", 0), "synonyms must be above 0"),
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
