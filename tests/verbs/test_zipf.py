"""``zipf`` and ``clusters`` as Python functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexfield.errors import InputError
from lexfield.plots.figure import Picture
from lexfield.ranks.zipf import zipf as fit_ranks
from lexfield.sample import TEXTS
from lexfield.search.index import Index
from lexfield.store.provenance import Provenance
from lexfield.text.corpus import Corpus
from lexfield.verbs.ranks import clusters, zipf
from lexfield.verbs.results import encode_body

SEA, STARS = TEXTS / "voss-sea.txt", TEXTS / "quill-stars.txt"


def test_one_collection_reads_like_the_librarys_result() -> None:
    corpus = Corpus.read(SEA)
    found, wanted = zipf(corpus, draws=0), fit_ranks(corpus, draws=0)
    assert found.slope == wanted.slope == found[0].slope
    assert found.fits["line"] == wanted.fits["line"]
    assert found.counts.tolist() == wanted.counts.tolist()
    assert found.verdict == wanted.verdict and found.verdict in repr(found)
    assert isinstance(found.plot(), Picture)
    with pytest.raises(AttributeError, match="incline"):
        found.incline  # noqa: B018


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_corpora_and_indexes_say_the_same(
    kind: type, sample: Corpus, sample_index: Index
) -> None:
    assert zipf(kind(SEA), draws=0).name == "voss-sea"
    slopes = {
        zipf(texts, draws=0).slope
        for texts in (kind(TEXTS), sample, sample_index, kind(sample_index.path))
    }
    assert len(slopes) == 1


def test_a_string_is_a_text() -> None:
    assert zipf("the cat sat on the mat and the dog lay on the rug", draws=0).slope < 0
    with pytest.raises(InputError, match=r"There is no file 'novel\.txt'"):
        zipf("novel.txt")
    with pytest.raises(InputError, match="no words"):
        zipf("…")


def test_several_collections_have_a_row_each() -> None:
    found = zipf([SEA, STARS], draws=0)
    assert [row.name for row in found] == ["voss-sea", "quill-stars"]
    with pytest.raises(AttributeError, match=r"2 results: read \.details\[0\]\.slope"):
        found.slope  # noqa: B018
    assert found.details[0].slope == found[0].slope


def test_everything_is_printed_once() -> None:
    found = zipf(SEA, draws=0)
    body = encode_body("zipf", found, Provenance("request"))
    assert body.count(b'"verdict"') == 1
    assert found.to_dicts()[0]["fits"]["line"]["name"] == "line"
    assert len(found[0].ranks) == 20 and len(found[0].points) <= 400


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": 0}, "clusters must be a whole number from 1 to 10,000 or auto"),
        ({"ngram": 0}, "ngram must be a whole number from 1 to 100"),
        ({"seeds": "many"}, "seeds must be a whole number"),
        ({"space": "latent"}, "zipf has no option 'space'"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        zipf(SEA, **options)  # type: ignore[arg-type]


def test_clusters(sample: Corpus) -> None:
    found = clusters(sample, clusters=12, seeds=1)
    assert found.k == len(found) == 12 and found.slope < 0
    assert [row.rank for row in found] == list(range(1, 13))
    ranked = zipf(sample, latent=True, clusters=12, seeds=1, nulls=False, draws=0)
    assert ranked.slope == found.slope and list(ranked.clusters) == list(found)
    assert "  near  " in repr(found)
