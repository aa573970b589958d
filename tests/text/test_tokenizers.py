"""Tokenizers that users write."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lexfield as lx
from lexfield.bags.keyness import keyness
from lexfield.errors import InputError
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.text.kwic import kwic
from lexfield.text.normalise import TOKENIZERS, Normalisation


def split_code(text: str) -> list[str]:
    """Return the parts of snake_case and CamelCase names."""
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", text)


def keep_hyphens(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text)


@pytest.fixture
def registered() -> Iterator[str]:
    TOKENIZERS.register("hyphens", keep_hyphens)
    yield "hyphens"
    del TOKENIZERS._things["hyphens"]


def test_a_function_splits_a_corpus_in_memory(tmp_path: Path) -> None:
    corpus = Corpus.of(["readFile opens. read_line reads."], tokenize=split_code)
    assert list(corpus.vocabulary) == ["read", "file", "line", "opens", "reads"]
    assert len(corpus.sentences) == 1  # no capital letter follows the first point
    assert keyness(corpus, Corpus.of("read it"), least=1)[0].word
    (tmp_path / "a.txt").write_text("readFile", "utf-8")
    assert list(Corpus.read(tmp_path, tokenize=split_code).vocabulary) == ["file", "read"]


def test_a_concordance_shows_the_words_of_the_tokenizer() -> None:
    corpus = Corpus.of("We call ReadFile twice.", tokenize=split_code)
    (found,) = kwic(corpus, "file", window=1)
    assert (found.left, found.match, found.right) == ("Read", "File", "twice")


def test_an_index_needs_a_tokenizer_with_a_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="split by a function cannot be saved") as caught:
        Index.build(Corpus.of("well-known ships", tokenize=keep_hyphens), tmp_path / "i")
    assert "TOKENIZERS.register" in caught.value.hint
    with pytest.raises(InputError, match="no tokenizer named 'hyphen'"):
        Corpus.of("a", tokenize="hyphen")


def test_queries_of_an_index_are_split_by_its_tokenizer(tmp_path: Path, registered: str) -> None:
    texts = ["A well-known ship.", "A known well."]
    Index.build(Corpus.of(texts, tokenize=registered), tmp_path / "i")
    index = Index.open(tmp_path / "i")
    assert index.normalisation.tokenizer == registered
    hits = index.search("well-known", method="bm25", unit="document", allow_unknown=True)
    assert [hit.document for hit in hits] == ["0"]
    del TOKENIZERS._things[registered]
    with pytest.raises(InputError, match="built with the tokenizer 'hyphens', which"):
        Index.open(tmp_path / "i").search("ship")
    TOKENIZERS.register(registered, keep_hyphens)


def test_a_function_splits_an_index_in_memory(tmp_path: Path) -> None:
    for index in (
        Index(["readFile opens.", "It ends."], tokenize=split_code),
        Index(Corpus.of(["readFile opens.", "It ends."], tokenize=split_code)),
        Index(Corpus.of(["readFile opens.", "It ends."]), tokenize=split_code),
    ):
        assert index.search("a file", "bm25").rows == [0]
        index.add(["writeFile closes."])
        assert index.search("write", "jaccard").rows == [2]
        assert len(list(index.search_many(["a file"] * 120, "mean"))) == 120
        with pytest.raises(InputError, match="split by a function cannot be saved"):
            index.save(tmp_path / "i")
    del index
    gc.collect()
    assert not any(name.startswith("function_") for name in TOKENIZERS.names())


def test_an_index_is_built_with_a_registered_tokenizer(tmp_path: Path, registered: str) -> None:
    (tmp_path / "a.txt").write_text("A well-known ship.", "utf-8")
    built = lx.index(tmp_path / "a.txt", output=tmp_path / "i", tokenize=registered).index
    assert "well-known" in built.lexicon.ids and built.normalisation.tokenizer == registered
    with pytest.raises(InputError, match="no tokenizer named 'other'"):
        lx.index(tmp_path / "a.txt", output=tmp_path / "j", tokenize="other")


def test_what_a_tokenizer_returns_is_checked() -> None:
    with pytest.raises(InputError, match="'<lambda>' returned 'a b' where a list of words is"):
        Corpus.of("a b", tokenize=lambda text: text)
    TOKENIZERS.register("nothing", lambda text: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(InputError, match="The tokenizer 'nothing' returned None where a list of"):
        Corpus.of("a b", tokenize="nothing")
    TOKENIZERS.forget("nothing")
    corpus = Corpus.of("Ab cd", tokenize=lambda text: ["", " ", "\0", *text.split()])
    assert list(corpus.vocabulary) == ["ab", "cd"]


def test_the_default_is_not_stored() -> None:
    assert "tokenizer" not in Normalisation().to_dict()
    assert Normalisation(**Normalisation().to_dict()) == Normalisation()
