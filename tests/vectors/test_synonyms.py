"""Synonyms counted in a small WordNet, in both of its forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.errors import InputError, ReadError
from lexfield.vectors.synonyms import count_synonyms, find_wordnet

LICENCE = "  1 This software and database is being provided to you\n"
LINES = {
    "noun": [
        "00001740 03 n 03 car 0 auto 0 Motor_Car 1 000 | a vehicle",
        "00001930 03 n 01 lift 0 000 | a ride",
        "00002137 03 n 02 lift 0 elevator 0 000 | a cage",
    ],
    "verb": ["00001740 29 v 02 lift 0 raise 0 000 | move up"],
    "adj": ["00001740 00 a 01 galore(ip) 0 000 | in plenty"],
    "adv": ["00001740 02 r 02 Galore 0 aplenty 0 000 | in plenty"],
}
# car, auto, motor car: 2 each; lift: elevator, raise; elevator, raise, galore, aplenty: 1 each
COUNTS = [2, 2, 2, 2, 1, 1, 1, 1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for part, lines in LINES.items():
        text = LICENCE + "".join(f"{line}  \n" for line in lines)
        (tmp_path / f"data.{part}").write_text(text, "utf-8")
    for name in ("WNSEARCHDIR", "WNHOME", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_by_hand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = count_synonyms(folder)
    assert found is not None
    assert (found.terms, found.mean, found.deviation) == (8, sum(COUNTS) / 8, 0.5)
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    assert find_wordnet() == folder
    assert count_synonyms() == found
    monkeypatch.delenv("WNSEARCHDIR")
    home = folder.parent / "home"
    home.mkdir()
    (home / "dict").symlink_to(folder)
    monkeypatch.setenv("WNHOME", str(home))
    assert find_wordnet() == home / "dict"


def test_the_other_form_says_the_same(folder: Path) -> None:
    synsets = [["car", "auto", "motor car"], ["lift"], ["lift", "elevator"], ["lift", "raise"],
               ["galore"], ["Galore", "aplenty"]]  # fmt: skip
    body = "".join(
        "<SYNSET><ID>X</ID><SYNONYM>"
        + "".join(f"<LITERAL>{word}<SENSE>1</SENSE></LITERAL>" for word in synset)
        + "</SYNONYM></SYNSET>\n"
        for synset in synsets
    )
    path = folder / "wordnet.xml"
    path.write_text(f"<SYNSETS>\n{body}</SYNSETS>\n", "utf-8")
    ours, theirs = count_synonyms(path), count_synonyms(folder)
    assert ours is not None and theirs is not None
    assert (ours.mean, ours.deviation, ours.terms) == (theirs.mean, theirs.deviation, theirs.terms)
    path.write_text("<SYNSETS><SYNSET>", "utf-8")
    with pytest.raises(ReadError, match="is incomplete"):
        count_synonyms(path)
    path.write_text("<SYNSETS/>", "utf-8")
    with pytest.raises(InputError, match="no synsets"):
        count_synonyms(path)


def test_a_broken_line_is_named(folder: Path) -> None:
    (folder / "data.verb").write_text("00001740 29 v xx lift\n", "utf-8")
    with pytest.raises(ReadError, match="line 1"):
        count_synonyms(folder)


def test_the_installed_wordnet_is_near_the_paper() -> None:
    found = count_synonyms()
    if found is None:
        pytest.skip("no WordNet is installed")
    assert found.terms == pytest.approx(147_306, rel=0.01)
    assert found.deviation == pytest.approx(3.1, abs=0.05)
