"""An index in shards on a real S3 server on loopback: built, searched and damaged there."""

from __future__ import annotations

import pytest

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import open_index
from lexfield.search.index import Index
from lexfield.store.place import copies, place_of
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from tests.cluster.test_shards import Here
from tests.store import test_place

server, bucket = test_place.server, test_place.bucket
pytest.importorskip("s3fs", reason="the extra 'cluster' is not installed")


def test_an_index_in_a_bucket(bucket: str) -> None:
    """Built and searched there, the same as in a folder."""
    documents = [
        Document(str(i), f"The {a} slept near the {b}. A storm came over the sea in the night.")
        for i, (a, b) in enumerate([("cat", "boat"), ("dog", "house"), ("child", "fire")])
    ]
    address = f"{bucket}/idx"
    built = build_sharded(documents, address, shards=2, engine=Here())
    names = place_of(address).names("shards")
    assert sorted(names) == sorted(shard["name"] for shard in built.shards)
    single = Index.build(Corpus.of(documents), copies().parent / "single")
    index = open_index(address)
    for spec in ("ideas", "mean", "wmd", "bm25"):
        wanted = single.search("A kitten at the fire by the sea.", spec, 4)
        for found in (
            index.search("A kitten at the fire by the sea.", spec, 4),
            *index.search_many(["A kitten at the fire by the sea."], spec, 4, engine=Here()),
        ):
            assert found.to_dicts() == wanted.to_dicts()
