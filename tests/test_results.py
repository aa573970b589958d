"""Results in a notebook: tables, frames in and out, highlighted text, figures with their data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lexfield as lx
from lexfield.compare.pair import divergence
from lexfield.compare.pairs import pairs
from lexfield.errors import InputError
from lexfield.index.passages import Highlight, as_html, highlight, pieces
from lexfield.plots.figure import Picture
from lexfield.ranks.zipf import zipf
from lexfield.results import Table, html_table
from lexfield.text.frames import records_of
from lexfield.text.normalise import Normalisation
from lexfield.vectors.threshold import threshold

ROWS = [
    {"id": "a", "text": "The cat sat. It slept.", "year": 1999},
    {"id": "b", "text": "A dog barked.", "year": None},
]


@dataclass(frozen=True)
class Named:
    name: str
    value: float


def test_tables_go_out() -> None:
    table = Table([Named("x", 1.5), Named("<b>", 2.0)], "t", ["noted"])
    assert table.to_pandas()["value"].tolist() == [1.5, 2.0]
    assert table.to_polars()["name"].to_list() == ["x", "<b>"]
    assert table.to_arrow().to_pylist() == table.to_dicts()
    html = table._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html and "<b>" not in html
    assert html.endswith("<p>noted</p>")
    assert "… and 1 more" in html_table(table.to_dicts(), shown=1)
    assert "<tr></tr>" in Table([])._repr_html_()


@pytest.mark.parametrize(
    "frame",
    [ROWS, pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.Table.from_pylist(ROWS)],
    ids=["dicts", "pandas", "polars", "arrow"],
)
def test_frames_come_in(frame: object) -> None:
    corpus = lx.Corpus.from_frame(frame)
    assert list(corpus.ids) == ["a", "b"]
    assert corpus.sentences[1] == "It slept."
    assert corpus.metadata(0)["year"].startswith("1999")
    assert corpus.metadata(1)["year"] == ""


def test_columns_are_named() -> None:
    frame = pd.DataFrame({"key": ["k"], "title": ["No sync"], "body": ["It stays."]})
    corpus = lx.Corpus.from_frame(frame, text=["title", "body"], id="key")
    assert corpus.texts[0] == "No sync\n\nIt stays."
    with pytest.raises(InputError, match="row:1: no field 'words'"):
        lx.Corpus.from_frame(frame, text="words")
    for wrong in ("text", 7, [1], {"text": ["a"]}):
        with pytest.raises(InputError, match="not a table of texts"):
            records_of(wrong)


@pytest.fixture
def index(tmp_path: Path) -> lx.Index:
    texts = [
        lx.Document("a", "The storm <broke> the mast of the ship.", metadata={"by": "x"}),
        lx.Document("b", "Bread wants a slow fire."),
    ]
    return lx.Index.build(lx.Corpus.of(texts), tmp_path / "i")


def test_hits_are_highlighted_and_escaped(index: lx.Index) -> None:
    hits = index.search("A storm & a ship", k=2)
    html = hits._repr_html_()
    assert html.count("<mark") >= 2
    assert 'title="answers: storm">storm</mark>' in html
    assert "&lt;" in html and "<broke>" not in html
    assert "best: A storm &amp; a ship" in html
    frame = hits.to_polars()
    assert frame["id"].to_list() == [hit.id for hit in hits]
    assert set(hits.to_pandas()["metadata.by"].dropna()) == {"x"}
    assert hits.to_arrow().num_rows == len(hits)
    assert "<table>" in index.search("zzzzqqq")._repr_html_()


def test_marks_keep_every_character() -> None:
    text = "Storms & storm, STORM!"
    answers = {"storm": ("gale", 1.0), "storms": ("gale", 0.5)}
    found = highlight(text, answers, Normalisation())
    cut = list(pieces(text, found))
    assert "".join(piece for piece, _ in cut) == text
    assert [piece for piece, query in cut if query] == ["Storms", "storm", "STORM"]
    assert [one.weight for one in found] == [0.5, 1.0, 1.0]
    assert 'answers: a&quot;b">x</mark>' in as_html("x", [Highlight(0, 1, 'a"b', 1.0)], {})


def test_figures_come_with_their_data(tmp_path: Path) -> None:
    corpus = lx.Corpus.of(["the cat sat on the mat and the dog sat on the rug " * 9, "a b a c"])
    ranks = zipf(corpus, draws=0)
    picture = ranks.plot()
    points = picture.data[0]["series"][0]
    assert points["y"] == [float(c) for c in ranks.counts]
    assert points["x"] == [float(i) for i in range(1, len(ranks.counts) + 1)]
    assert picture.data[0]["x"] == "rank of the word"
    assert picture._repr_png_()[:4] == b"\x89PNG"
    assert picture.save(tmp_path / "p.svg").read_bytes() == (
        ranks.plot(tmp_path / "q.svg").read_bytes()
    )
    assert "Picture: 1 panel" in repr(picture)
    assert not list(Path.cwd().glob("picture.png"))
    apart = divergence("the cat sat", "the dog sat", measure="js")
    bars = apart.plot().data[0]["series"]
    drawn = {abs(v) for one in bars for v in one["x"]}
    assert max(r.contribution for r in apart.explanation.reasons) == pytest.approx(max(drawn))
    assert "<td>cat</td>" in apart._repr_html_()
    assert "slope" in ranks._repr_html_()


def test_a_threshold_in_a_notebook() -> None:
    rows = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    found = threshold(lx.WordVectors([f"w{i}" for i in range(60)], rows))
    picture = found.plot()
    assert isinstance(picture, Picture) and picture.data[0]["x"] == "similarity (cosine)"
    assert len(found.to_dicts()) == 101
    assert f"{found.threshold:.3f}" in found._repr_html_()


def test_pairs_in_a_notebook() -> None:
    corpus = lx.Corpus.of(["the cat sat", "the dog sat down", "a storm at sea"])
    found = pairs(corpus, measure="hellinger")
    assert found.to_pandas().shape == (6, 4)
    assert found._repr_html_().count("<tr>") == 4
    assert len(found.plot().data) == 1
    assert np.isfinite(found.plot(kind="heat").data[0]["series"][0]["x"] or [0]).all()
    with pytest.raises(InputError, match="map, tree or heat"):
        found.plot(kind="pie")


def test_one_of_a_kind_is_singular() -> None:
    index = lx.Index(["The cat sat.", "A dog barked at the storm."])
    assert repr(index.search("cat", "bm25")).startswith("bm25 for 'cat': 1 hit\n")
    assert "only 1 row covers any part of the query" in index.search("cat", "setcover(r=1)").notes
    assert "1 distinct sentence\n" in repr(lx.zipf("The cat sat by the fire."))
    assert repr(lx.Bag(["a"])).startswith("<Bag of 1 type, ")
