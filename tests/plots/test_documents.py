"""Figures of documents: every leaf is named, names never overlap, pages hold no foreign code."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import InputError
from lexfield.plots.figure import figure
from lexfield.plots.groups import OTHER, choose_groups
from lexfield.plots.names import place_names, shorten_name

WORDS = "the of and to a in it was that he she on for as with his her at by not".split()


@pytest.fixture(scope="module")
def books() -> lx.Corpus:
    rng = np.random.default_rng(0)
    documents = []
    for author in ("Austen", "Woolf", "</script><b>", "Poe"):
        style = rng.dirichlet(np.full(len(WORDS), 2.0))
        for number in range(3):
            text = " ".join(rng.choice(WORDS, 400, p=style))
            documents.append(lx.Document(f"{author} {number}", text, "", {"author": author}))
    return lx.Corpus.of(documents)


def test_the_largest_groups_have_colours_and_the_rest_are_grey() -> None:
    labels = [f"a{number:02}" for number in range(20) for _ in range(20 - number)] + [""]
    groups = choose_groups(labels, len(labels), "author")
    assert groups.names == [f"a{number:02}" for number in range(12)] + ["others"]
    shown = {(groups.colour(group), groups.mark(group)) for group in range(12)}
    assert len(shown) == 12 and groups.colour(12) == OTHER
    assert groups.of[-1] == 12 and groups.of[0] == 0
    assert [groups.is_second(group) for group in range(13)] == [False] * 6 + [True] * 6 + [False]
    assert choose_groups(None, 3).of.tolist() == [0, 0, 0]


@pytest.mark.parametrize("count", [5, 100, 1000])
def test_names_never_overlap(count: int) -> None:
    places = np.random.default_rng(1).normal(size=(count, 2))
    with figure(10, 8) as drawing:
        axes = drawing.subplots()
        axes.scatter(*places.T)
        names = [f"a document called {number}" for number in range(count)]
        written = place_names(axes, places, names, ["#000000"] * count, 6)
        boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
        frame = axes.get_window_extent()
    assert len(boxes) == len(written) >= min(count, 50)
    for i, a in enumerate(boxes):
        assert frame.x0 - 1 <= a.x0 and a.x1 <= frame.x1 + 1
        assert not any(a.shrunk(0.98, 0.9).overlaps(b.shrunk(0.98, 0.9)) for b in boxes[:i])


def test_a_shortened_name_keeps_the_number_of_its_part() -> None:
    assert shorten_name("a_vindication_of_the_rights_of_woman#12", 20) == "a_vindication_of…#12"
    assert shorten_name("emma#3", 20) == "emma#3"
    assert shorten_name("x" * 30, 20) == "x" * 19 + "…"


@pytest.mark.parametrize("suffix", ["svg", "png", "html"])
def test_every_figure_in_every_format(books: lx.Corpus, tmp_path: Path, suffix: str) -> None:
    files: dict[str, Any] = {
        kind: tmp_path / f"{kind}.{suffix}" for kind in ("tree", "map", "heat")
    }
    lx.pairs(books, measure="cosine-delta", by="author", **files)
    again: dict[str, Any] = {kind: tmp_path / f"{kind}2.{suffix}" for kind in files}
    lx.pairs(books, measure="cosine-delta", by="author", **again)
    for kind, path in files.items():
        assert path.read_bytes() == again[kind].read_bytes()
    if suffix == "svg":
        tree = files["tree"].read_text()
        for id in books.ids:
            name = id.replace("<", "&lt;").replace(">", "&gt;")
            assert f"{name}</text>" in tree or f">{name}<" in tree
        assert all(author in tree for author in ("Austen (3)", "Woolf (3)"))


@pytest.mark.parametrize("kind", ["tree", "heat"])
def test_pages_contain_their_data_and_nothing_foreign(
    books: lx.Corpus, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "page.html"
    files: dict[str, Any] = {kind: path}
    lx.pairs(books, measure="delta", by="author", **files)
    page = path.read_text()
    assert "default-src 'none'" in page
    assert page.count("<script") == 2 == page.count("</script>") and "<b>" not in page
    assert not re.findall(r"""(?:src|href)=["']https?:""", page)
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data
    facts = json.loads(data[1])
    if kind == "tree":
        assert len(facts["leaves"]) == 12 and len(facts["nodes"]) == 11
        assert all(f'id="leaf{number}"' in page for number in range(12)) and 'id="nodes"' in page
    else:
        assert sorted(facts["cells"]["names"]) == sorted(books.ids)


def test_a_consensus_tree_shows_its_support(books: lx.Corpus, tmp_path: Path) -> None:
    path = tmp_path / "tree.svg"
    lx.pairs(books, measure="delta", by="author", tree=path, consensus=5)
    text = path.read_text()
    assert "Consensus of" in text and ">100<" in text
    with pytest.raises(InputError, match="consensus must be given with tree or network"):
        lx.pairs(books, measure="delta", consensus=5)


def test_networks_for_other_programs(books: lx.Corpus, tmp_path: Path) -> None:
    gexf, table = tmp_path / "net.gexf", tmp_path / "net.csv"
    lx.pairs(books, measure="delta", by="author", network=gexf, consensus=4)
    found = lx.pairs(books, measure="delta", by="author", network=table, consensus=4)
    assert any("net-nodes.csv" in note for note in found.notes)
    space = {"g": "http://gexf.net/1.3"}
    graph = ElementTree.parse(gexf).getroot()
    nodes, edges = graph.findall(".//g:node", space), graph.findall(".//g:edge", space)
    assert [node.get("label") for node in nodes] == list(books.ids)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    weights = {(row["Source"], row["Target"]): float(row["Weight"]) for row in rows}
    assert len(rows) == len(edges) and all(row["Type"] == "Undirected" for row in rows)
    for edge in edges:
        ends = tuple(books.ids[int(edge.get(end, ""))] for end in ("source", "target"))
        assert weights[ends[0], ends[1]] == float(edge.get("weight", ""))
    with (tmp_path / "net-nodes.csv").open() as file:
        assert [row["Id"] for row in csv.DictReader(file)] == list(books.ids)


def test_files_are_checked_before_the_work(tmp_path: Path) -> None:
    options: dict[str, Any]
    for options in ({"tree": "tree.txt"}, {"map": tmp_path / "no" / "map.svg"},
                    {"network": "net.svg"}, {"heat": "heat"}):  # fmt: skip
        with pytest.raises(InputError, match="does not name|no folder"):
            lx.pairs("no such folder/", **options)


def test_groups_of_one_colour_differ_in_lines_names_and_shapes(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    documents = [
        lx.Document(f"{author}{n}", " ".join(rng.choice(WORDS, 60)), "", {"author": author})
        for author in "abcdefgh"
        for n in range(2)
    ]
    target = tmp_path / "net.gexf"
    found = lx.pairs(
        lx.Corpus.of(documents), measure="delta", mfw=20, by="author", consensus=50,
        network=str(target), tree=str(tmp_path / "tree.svg"), heat=str(tmp_path / "heat.svg"),
    )  # fmt: skip
    assert target.read_text("utf-8").count('<viz:shape value="square"/>') == 4
    assert "11 trees instead of 50: there are too few words for more" in found.notes
    for name, times in (("tree", 1), ("heat", 2)):  # and once each in the legend
        drawn = (tmp_path / f"{name}.svg").read_text("utf-8")
        assert "stroke-dasharray" in drawn
        assert len(re.findall(r"italic", drawn)) == 4 * times + 2


def test_probabilities_as_pages(sample: lx.Corpus, tmp_path: Path) -> None:
    options: dict[str, Any] = {"by": "author", "features": "mfw(100)", "rule": "nearest"}
    lx.attribute(sample, **options).plot(tmp_path / "sure.html")
    found = lx.rolling(sample["pell-sea"], known=sample, window=300, **options)
    found.plot(tmp_path / "hands.html")
    assert "with a mean probability of" in (tmp_path / "sure.html").read_text("utf-8")
    page = (tmp_path / "hands.html").read_text("utf-8")
    facts = json.loads(re.findall(r'type="application/json">(.*?)</script>', page)[0])
    dots = re.findall(r'<g id="nodes">.*?</g>\n  ', page, re.S)[0].count("<use ")
    likely = {c.label for one in found for c in one.candidates if c.probability >= 0.05}
    assert 0 < len(likely) < 8  # of eight authors
    assert len(facts["nodes"]) == dots == len(likely) * len(found)
    assert facts["nodes"][0]["text"].startswith("words 0 to 300: ")
