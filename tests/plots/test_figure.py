"""Figures are kept whole, look alike and repeat to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.errors import InputError
from lexfield.plots.figure import FORMATS, figure, save


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_figure_is_kept_in_each_format_and_repeats_to_the_byte(
    tmp_path: Path, suffix: str
) -> None:
    kept = []
    for name in ("one", "two"):
        with figure() as drawing:
            drawing.subplots().plot([1, 2, 4])
        kept.append(save(drawing, tmp_path / f"{name}{suffix}").read_bytes())
    assert kept[0] == kept[1]
    assert kept[0][:4] in (b"\x89PNG", b"<?xm", b"%PDF")


def test_a_name_that_is_no_figure_or_has_no_folder_is_told(tmp_path: Path) -> None:
    with figure() as drawing:
        with pytest.raises(InputError, match="png"):
            save(drawing, tmp_path / "map.bmp")
        with pytest.raises(InputError, match="no folder"):
            save(drawing, tmp_path / "nowhere" / "map.png")
