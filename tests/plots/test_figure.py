"""Figures are kept whole, look alike and repeat to the byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lexfield as lx
from lexfield.errors import InputError, MissingExtraError
from lexfield.plots.figure import FORMATS, PAGE_FORMATS, check_plot_path, figure, save
from lexfield.ranks.zipf import zipf


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


def test_without_matplotlib_the_extra_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError) as caught:
        check_plot_path(tmp_path / "a.png")
    assert caught.value.hint == "Install it with: pip install 'lexfield[plots]'"
    assert check_plot_path(tmp_path / "a.html", PAGE_FORMATS)  # a page needs none
    ranks = zipf(lx.Corpus.of(["the cat sat on the mat and the dog sat on the rug"]), draws=0)
    assert ranks.plot(tmp_path / "a.html").is_file()
    with pytest.raises(MissingExtraError):
        _ = ranks.plot().figure


def test_a_result_is_drawn_without_importing_the_plots_first() -> None:
    code = (
        "import sys; from lexfield.compare.pair import divergence; e = divergence('a b', 'a c');"
        "assert not any(m.startswith('lexfield.plots') for m in sys.modules);"
        "assert e.plot().data"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
