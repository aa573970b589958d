from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from lexfield.errors import InputError, LexfieldError
from lexfield.search.index import Index
from lexfield.study.build import Lengths, drop_repeats, new_study, read_queries, suggest
from lexfield.study.design import StudyQuery
from lexfield.text.corpus import Corpus
from lexfield.text.segment import split_words


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, sample: Corpus) -> Index:
    return Index.build(sample, tmp_path_factory.mktemp("study") / "s.idx")


QUERIES = [StudyQuery("The boat came home before the storm."), StudyQuery("She baked some bread.")]


@pytest.mark.parametrize("kind", ["choose3", "head2head"])
def test_every_method_suggests_five(index: Index, tmp_path: Path, kind: str) -> None:
    study = new_study(index, QUERIES, tmp_path / "s.db", kind)
    assert study.design.methods == ("ideas", "mean(plain=true)", "wmd", "jaccard", "edit")
    assert study.about["left_out"] == 0 and study.about["source"] == "s.idx"
    for lists in study.suggestions.values():
        for entries in lists.values():
            texts = [text for _, text in entries]
            assert len(set(texts)) == 5
            assert all(3 <= len(split_words(text)) <= 15 for text in texts)
    jaccard = index.search(QUERIES[0].text, "jaccard", 200)
    short = [hit.text for hit in jaccard if 3 <= len(split_words(hit.text)) <= 15]
    first = [text for _, text in study.suggestions[1]["jaccard"]]
    assert first == list(dict.fromkeys(" ".join(text.split()) for text in short))[:5]


def test_the_query_itself_is_never_suggested(index: Index) -> None:
    own = next(s for s in index.corpus.sentences if 5 <= len(split_words(s)) <= 12)
    for method in ("ideas", "mean", "wmd", "jaccard", "edit"):
        (found,) = suggest(index, [own], method, None, Lengths())
        assert len(found) == 5 and " ".join(own.split()) not in found


def test_levels(index: Index, tmp_path: Path) -> None:
    values = index.info()["metadata"]["author"]
    author = sorted(values)[0]
    queries = [StudyQuery("A storm at sea.", author)]
    study = new_study(index, queries, tmp_path / "s.db", by="author")
    theirs = [
        " ".join(sentence.split())
        for document in index.corpus.documents
        if document.metadata["author"] == author
        for sentence in Corpus.of([document]).sentences
    ]
    for entries in study.suggestions[1].values():
        assert {text for _, text in entries} <= set(theirs)
    with pytest.raises(InputError, match="The queries have levels"):
        new_study(index, queries, tmp_path / "t.db")


def test_bad_studies(index: Index, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no search method named 'bm26'"):
        new_study(index, QUERIES, tmp_path / "s.db", baselines=("bm26", "mean", "wmd"))
    with pytest.raises(InputError, match="named twice"):
        new_study(index, QUERIES, tmp_path / "s.db", baselines=("ideas", "mean", "wmd"))
    with pytest.raises(InputError, match="No sentence of the index has 190 to 200 words"):
        new_study(index, QUERIES, tmp_path / "s.db", lengths=Lengths(190, 200))
    with pytest.raises(InputError, match="lengths must be"):
        Lengths(5, 4)
    with pytest.raises(InputError, match="No question can be made"):
        new_study(index, [StudyQuery("…")], tmp_path / "s.db")
    assert not (tmp_path / "s.db").exists()


def test_lines_and_json(tmp_path: Path) -> None:
    lines = tmp_path / "q.txt"
    lines.write_bytes("\ufeffA storm.\r\n\n  A\u0007 calm  sea. \nA storm.\n".encode())
    assert read_queries(lines) == [StudyQuery("A storm."), StudyQuery("A calm sea.")]
    plain = tmp_path / "q.json"
    plain.write_text('["One.", "Two."]')
    assert read_queries(plain) == [StudyQuery("One."), StudyQuery("Two.")]
    plain.write_text('{"middle": ["One."], "college": ["One.", "Two."]}')
    assert [query.level for query in read_queries(plain)] == ["middle", "college", "college"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("q.txt", b" \n\n", "contains no queries"),
        ("q.txt", b"\xff\xfe", "not UTF-8"),
        ("q.txt", b"x" * 3000, "3,000 characters"),
        ("q.txt", b"\n".join(b"%d" % i for i in range(10_001)), "more than 10,000"),
        ("q.json", b"[1]", "not a text"),
        ("q.json", b'[" "]', "empty text"),
        ("q.json", b'{"a": 1}', "neither a list"),
        ("q.json", b"{", "is not JSON"),
        ("q.json", b"[" * 100_000, "is not JSON"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LexfieldError, match=message):
        read_queries(tmp_path / name)


def test_large_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("lexfield.study.build"), "MOST_BYTES", 10)
    (tmp_path / "q.json").write_text('["A long enough query."]')
    with pytest.raises(InputError, match="larger than"):
        read_queries(tmp_path / "q.json")


def test_drop_repeats() -> None:
    said = [
        "“No, never!”",
        "Never, no.",
        "no never",
        "  It   rains. ",
        "It rains!",
        "…",
        "x" * 3000,
    ]
    assert drop_repeats("It was I.", said) == ["“No, never!”", "Never, no.", "It rains."]
    assert drop_repeats("", ["\x1b[31mRed\x1b[0m\x07 \u202etext"]) == ["[31mRed [0m text"]
    assert drop_repeats("It rains", said)[-1] == "Never, no."
