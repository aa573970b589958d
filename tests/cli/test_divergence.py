"""compare, pairs and label as they are typed."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from lexfield.sample import METADATA, TEXTS
from tests.cli.conftest import Run

SEA, GARDEN = TEXTS / "pell-sea.txt", TEXTS / "carter-garden.txt"


def test_compare_says_how_much_how_surely_and_why(run: Run, tmp_path: Path) -> None:
    done = run(
        "compare", SEA, GARDEN, "--explain", "--interval", "0.9", "--p", "--resamples", "30",
        "--plot", tmp_path / "bars.png", "--json",
    )  # fmt: skip
    found = done.json
    low, high = found["interval"]
    assert low < found["value"] < high
    assert found["unit"] == "nats" and found["p"] < 0.05
    (result,) = found["results"]
    reasons = result["explanation"]["reasons"]
    assert sum(r["contribution"] for r in reasons) == pytest.approx(found["value"])
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    plain = run("compare", SEA, GARDEN, "--explain")
    assert plain.out.startswith("kl (categorical)") and "per 1,000 in A" in plain.out
    bits = run("compare", SEA, GARDEN, "--bits", "--json").json
    assert bits["value"] == pytest.approx(found["value"] / np.log(2))


def test_compare_names_the_file_at_fault(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    done = run("compare", SEA, empty)
    assert done.code == 2 and str(empty) in done.err
    assert run("compare", SEA, SEA).out.startswith("kl (categorical) 0.0000")


def test_compare_in_the_latent_space(run: Run) -> None:
    done = run(
        "compare", SEA, GARDEN, "--space", "latent", "--neighbour", "3", "--explain", "--json"
    )
    (result,) = done.json["results"]
    assert result["space"] == "latent" and result["explanation"]["additive"]
    assert all(r["match"] for r in result["explanation"]["reasons"])
    for estimator in ("equal_radius", "spread"):
        assert run("compare", SEA, GARDEN, "--space", "latent", "--estimator", estimator).code == 0
    reduced = run(
        "compare", SEA, GARDEN, "--space", "latent", "--estimator", "extrapolated",
        "--reduce", "pca(5)", "--dimension", "5",
    )  # fmt: skip
    assert reduced.code == 0
    shared = run("compare", SEA, GARDEN, "--smoothing", "shared")
    assert "words that only one text holds are ignored" in shared.err


def test_pairs_keeps_matrices_and_draws(run: Run, tmp_path: Path) -> None:
    out, plot, heat = tmp_path / "m.npz", tmp_path / "map.png", tmp_path / "heat.svg"
    done = run(
        "pairs", TEXTS, "--space", "latent", "-k", "3,5", "-o", out, "--resume", tmp_path / "run",
        "--csv",
    )  # fmt: skip
    assert done.code == 0
    kept = np.load(out)
    assert sorted(kept.files) == ["ids", "k3", "k5"] and kept["k3"].shape == (64, 64)
    assert len(done.out.splitlines()) == 1 + 2 * 64 * 63
    shown = run(
        "pairs", TEXTS, "--measure", "hellinger", "--plot", plot, "--heat", heat,
        "--metadata", METADATA, "--by", "author",
    )  # fmt: skip
    assert shown.out.startswith("Hellinger distance")
    assert plot.read_bytes().startswith(b"\x89PNG") and heat.read_bytes().startswith(b"<?xml")
    shared = run("pairs", TEXTS, "--smoothing", "shared")
    assert "only one text of a pair holds are ignored" in shared.err


def test_impossible_estimates_are_shown_as_none_and_never_ranked(run: Run, tmp_path: Path) -> None:
    latent = ("--space", "latent", "--measure", "js")
    one = run("compare", SEA, GARDEN, *latent)
    assert one.code == 0 and one.out == "js (latent) –\n"
    assert "no value" in one.err and "spread" in one.err
    body = run("compare", SEA, GARDEN, *latent, "--json").json["results"][0]
    assert body["value"] is None and body["possible"] is False
    for at in (SEA, GARDEN, *sorted(Path(TEXTS).glob("*-stars.txt"))[:2]):
        shutil.copy(at, tmp_path)
    (tmp_path / "about.csv").write_text(
        "id,kind\n" + "".join(f"{at.stem},{n % 2}\n" for n, at in enumerate(tmp_path.glob("*.txt")))
    )
    texts = sorted(tmp_path.glob("*.txt"))
    table = run("pairs", *texts, *latent)
    assert table.code == 0 and "–" in table.out and "no value" in table.err
    assert None in {
        pair["value"] for pair in run("pairs", *texts, *latent, "--json").json["results"]
    }
    label = ("label", *texts, "--metadata", tmp_path / "about.csv", "--by", "kind", *latent)
    for asked in (label, ("pairs", *texts, *latent, "--plot", tmp_path / "x.png")):
        refused = run(*asked)
        assert refused.code == 2 and "--estimator spread" in refused.err


def test_label_tells_what_it_gets_right_and_why(run: Run) -> None:
    found = run(
        "label", TEXTS, "--metadata", METADATA, "--by", "author", "--measure", "hellinger",
        "--text", "olufsen-sea", "--json",
    ).json  # fmt: skip
    assert found["documents"] == 64 and found["accuracy"] > 3 / 8  # one in eight by chance
    assert sum(sum(row.values()) for row in found["confusion"].values()) == 64
    assert len(found["evidence"]["nearest"]) == 5 and found["evidence"]["words"]
    shown = run("label", TEXTS, "--metadata", METADATA, "--by", "genre", "--rule", "vote")
    assert "documents get their own genre" in shown.out and "taken for" in shown.out
    evidence = run("label", TEXTS, "--metadata", METADATA, "--by", "author", "--text", "pell-sea")
    assert "words that speak for it" in evidence.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", SEA, GARDEN, "--plot", "bars.bmp"), "does not name a figure"),
        (("compare", SEA, GARDEN, "--smoothing", "none"), "no smoothing"),
        (("compare", SEA, GARDEN, "--interval", "95"), "above 0 and below 1"),
        (("compare", SEA, "nowhere.txt"), "nowhere.txt"),
        (("compare", SEA, GARDEN, "--space", "latent", "--neighbour", "9999"), "smaller neighbour"),
        (("pairs", TEXTS, "--neighbour", "3,three"), "neighbour must be a whole number from 1"),
        (("pairs", SEA), "at least two"),
        (("pairs", TEXTS, "--sample", "999999"), "No document has 999,999 words"),
        (("pairs", TEXTS, "--by", "shoe", "--plot", "x.png"), "no field|No document has the field"),
        (("label", TEXTS, "--metadata", METADATA, "--by", "shoe"), "have only author"),
        (("label", TEXTS, "--metadata", METADATA, "--by", "author", "--text", "me"), "no document"),
    ],
    ids=lambda value: " ".join(map(str, value))[-40:] if isinstance(value, tuple) else "",
)
def test_mistakes_are_told_in_a_line(
    run: Run, arguments: tuple[object, ...], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    import re

    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.code == 2 and re.search(message, done.err)
    assert "Traceback" not in done.err and "fault" not in done.err


def test_empty_files_and_short_texts_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "short.txt").write_text("One two three.")
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_bytes(
            (TEXTS / f"pell-{'sea' if name == 'a' else 'market'}.txt").read_bytes()
        )
    done = run("pairs", tmp_path, "--space", "latent", "--neighbour", "10")
    assert done.code == 0 and "short" in done.err
    assert run("compare", tmp_path / "empty.txt", SEA).code == 2


@pytest.mark.parametrize(
    "command",
    [["pairs"], ["label", "--by", "author"], ["attribute", "--by", "author"], ["bag"]],
)
def test_an_index_stands_for_its_texts(tmp_path: Path, run: Run, command: list[str]) -> None:
    verb, *options = command
    index = tmp_path / "s.idx"
    texts = sorted(path for name in ("sea", "stars") for path in TEXTS.glob(f"*-{name}.txt"))
    run("index", *texts, "--metadata", METADATA, "-o", index)
    of_index = run(verb, index, *options, "--json").json
    of_texts = run(verb, *texts, "--metadata", METADATA, *options, "--json").json
    assert [one["path"] for one in of_index.pop("provenance")["stores"]] == [str(index)]
    assert of_texts.pop("provenance")["stores"] == []
    assert "records that match no text" in " ".join(of_texts.pop("notes"))  # said when it was built
    assert not of_index.pop("notes") and of_index == of_texts
    both = run(verb, index, texts[0], *options)
    assert both.code == 2 and "is an index, not texts" in both.err
    twice = run(verb, index, "--metadata", METADATA, *options)
    assert twice.code == 2 and "has metadata" in twice.err
