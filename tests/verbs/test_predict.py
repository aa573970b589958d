"""``lexfield predict`` with years in the names of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lexfield as lx
from lexfield.errors import InputError
from tests.compare.test_numbers import TEXTS, YEARS

OPTIONS: dict[str, Any] = {"by": "year", "features": "word(1), char(2)"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for text, year in zip(TEXTS, YEARS, strict=True):
        (tmp_path / f"a_{year}.txt").write_text(text.text, "utf-8")
    return tmp_path


def test_a_known_text_is_left_out_and_named(folder: Path) -> None:
    found = lx.predict(folder, text="a_1900", name_pattern="{author}_{year}", **OPTIONS)
    (one,) = found
    assert one.low is not None and one.high is not None and one.value is not None
    assert one.low < 1900 < one.high and abs(one.value - 1900) < 30
    assert found.notes == ["also among the known texts, so left out of them: a_1900"]
    assert found.documents == 20 and found.error < found.without_style / 4


def test_every_known_text_and_the_text_for_people(folder: Path) -> None:
    found = lx.predict(folder, name_pattern="{author}_{year}", **OPTIONS)
    assert [one.known for one in found] == YEARS
    lines = list(found.lines())
    assert lines[0].split() == ["id", "year", "90%", "interval", "known"]
    assert lines[-1].startswith("known texts, each predicted from all the others: off by ")


def test_too_few_numbers_are_an_error_and_texts_without_one_are_named(folder: Path) -> None:
    (folder / "a_later.txt").write_text("the", "utf-8")
    notes = lx.predict(folder, name_pattern="{author}_{year}", **OPTIONS).notes
    assert any("a_later" in note for note in notes)
    documents = [lx.Document(str(n), "a text", metadata={"year": "x"}) for n in range(9)]
    with pytest.raises(InputError, match="0 known texts have a number in the field 'year'"):
        lx.predict(lx.Corpus.of(documents), **OPTIONS)


def test_a_year_is_taken_from_a_field_of_dates(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = tmp_path_factory.mktemp("table") / "about.json"
    about = [{"file": f"a_{year}.txt", "Written": f"3 May {year}"} for year in YEARS]
    table.write_text(json.dumps(about), "utf-8")
    expected = lx.predict(folder, name_pattern="{author}_{year}", **OPTIONS)
    found = lx.predict(folder, metadata=table, **OPTIONS)
    assert found.to_dicts() == expected.to_dicts()
    assert "year is taken from Written" in found.notes
    by_case = lx.predict(folder, name_pattern="{author}_{Year}", **OPTIONS)
    assert [one.known for one in by_case] == YEARS and by_case.notes == ["year is taken from Year"]


def test_another_language_has_no_number(folder: Path, tmp_path: Path) -> None:
    german = "und der die das nicht ein ich sie mit auf " * 20
    found = lx.predict(folder, text=german, name_pattern="{author}_{year}", **OPTIONS)
    assert (found[0].value, found[0].low) == (None, None) and "another language" in found.notes[-1]
    assert list(found.lines())[1].split().count("unknown") == 2


def test_years_have_no_decimals_and_files_that_are_no_text_are_named(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asked = tmp_path_factory.mktemp("asked")
    (asked / "new.txt").write_text(TEXTS[3].text, "utf-8")
    (asked / "picture.txt").write_bytes(bytes(range(256)) * 9)
    found = lx.predict(folder, text=asked, name_pattern="{author}_{year}", **OPTIONS)
    assert "picture.txt" in found.notes[0] and "binary data" in found.notes[0]
    name, year, low, _, high = list(found.lines())[1].split()
    assert name == "new" and int(low) < int(year) < int(high)
