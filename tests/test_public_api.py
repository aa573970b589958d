"""What users type first: each works, or fails with one clear sentence."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lexfield
import lexfield as lx
from lexfield.errors import LexfieldError
from lexfield.shortcuts import EXTENSION_POINTS
from lexfield.verbs import list_functions

WORKS = (
    "len(lx.Index(TEXTS).search('a kitten', k=5)) == 2",
    "len(lx.Index(TEXTS)) == 2",
    "len(lx.Index('folder/')) == 2",
    "lx.Index(Path('a.txt'))['a'].text.startswith('The cat')",
    "[document.id for document in lx.Index(['a.txt', 'b.txt'])] == ['a', 'b']",
    "lx.Index(TEXTS).add([Path('a.txt'), Path('b.txt')]) == 2",
    "lx.Index(TABLE)['x'].metadata == {'by': 'Ann'}",
    "lx.Index(TEXTS).add(TABLE) == 2",
    "lx.Corpus.of(TABLE)['y'].text == 'A dog.'",
    "lx.bag(TABLE)[0].type == 'a'",
    "len(lx.pairs(TABLE)) == 2",
    "lx.zipf(TABLE).results",
    "len(lx.layout('A cat sat on a mat. The dog barked at the moon. A kitten slept.')) > 9",
    "[document.id for document in lx.Index(TEXTS)] == ['0', '1']",
    "lx.Index(TEXTS)['0'].text == 'The cat sat.'",
    "len(lx.Corpus.of(TEXTS)) == 2",
    "len(lx.Corpus.of('A cat sat here. It slept.').ids) == 1",
    "lx.open('my.idx').search('a kitten', 'mean', k=1)[0].document == '0'",
    "lx.Index(TEXTS).add(['A third text.']) == 1",
    "lx.Corpus.read('folder', tokenize=str.split).vocabulary.words[0] == 'a'",
    "lx.duplicates(lx.open('my.idx')).results == []",
    "lx.kwic('The cat sat on the mat.', 'cat')[0].match == 'cat'",
    "lx.pairs(['the cat sat', 'the dog sat down']).results",
    "lx.zipf('a.txt').slope < 0",
    "lx.Index({'x': 'one text', 'y': 'another'})['y'].text == 'another'",
    "lx.add(lx.Index(TEXTS), ['A third text.'])[0].documents == 3",
    "lx.add(lx.Index(TEXTS), {'third': 'A third text.'})[0].documents == 3",
    "lx.duplicates(['a cat sat here', 'a cat sat here'])[0].similarity == 1",
    "lx.search(TEXTS, 'a kitten', method='mean', k=1)[0].text == 'The cat sat.'",
    "lx.embed('folder').shape == (2, 256)",
    "len(lx.bag(lx.Document('x', 'and/or'))) == 2",
    "len(lx.run('my.idx', {'q': 'a dog'}, method='bm25').to_dicts()) == 1",
    "lx.compare('a.txt', 'b.txt')[0].value > 0",
    "lx.compare('the cat sat', 'a dog lay down', measure='js')[0].measure == 'js'",
    "lx.keyness('a.txt', 'b.txt', min_count=1, p=1)[0].word",
    "lx.near('book', k=3)[0].word == 'books'",
    "len(lx.near(['king', 'queen'], k=2)) == 4",
    "lx.embed(['a sentence', 'another']).shape == (2, 256)",
    "lx.embed('a sentence').shape == (1, 256)",
    "lx.index('folder', output='new.idx')[0].documents == 2",
    "lx.search('my.idx', 'a kitten', method='mean', k=1)[0].text == 'The cat sat.'",
    "lx.open('my.idx').search('a kitten', 'mean', k=1)[0].text == 'The cat sat.'",
    "lx.info('my.idx')[0].documents == 2",
    "[row.id for row in lx.documents('my.idx')] == ['0', '1']",
    "lx.bag('the cat and the dog')[0].type == 'the'",
    "lx.verify('my.idx').damaged == []",
    "lx.fit_topics('my.idx', topics=2, min_count=1, min_length=1, max_share=1)[0].topics == 2",
    "lx.evaluate({'q': {'a': 1.0}}, {'q': {'a': 1}}).measures['map'] == 1",
    "lx.fuse([{'a': 1.0, 'b': 0.5}, {'b': 2.0}]).ids == ['b', 'a']",
    "len(lx.methods()) > 20",
    "lx.compare('0', '1', index='my.idx')[0].a == '0'",
    "lx.compare('0', '1', index=lx.open('my.idx')).to_dicts() != []",
    "lx.keyness('0', '1', index='my.idx', min_count=1, p=1)[0].word",
    "lx.bag('1', index='my.idx')[0].type == 'a'",
    "lx.compare('0', 'a.txt', index='my.idx')[0].b == 'a.txt'",
    "[hit.query for hit in lx.search('my.idx', ['cat', 'dog'], k=1)] == ['cat', 'dog']",
    "lx.search(OWN, 'a kitten', where={'by': ['Ann', 'Bob']}, method='mean')[0].document == 'x'",
    "lx.search(OWN, 'a kitten', where={'by': 'Ann'}, method='mean')[0].document == 'x'",
    "lx.open('my.idx')[0].text == lx.open('my.idx')['0'].text",
    "lx.open('my.idx')[-1].id == '1'",
    "lx.fuse('a.run', 'b.run').ids == lx.fuse(['a.run', 'b.run']).ids",
    "lx.fuse('a.run', 'b.run', how='rrf').ids == lx.fuse('a.run', 'b.run', combine='rrf').ids",
    "len(lx.near('king', 'queen', k=2)) == 4",
    "'UNSET' not in repr(lx.search('my.idx', 'cat')[0]) + repr(lx.near('king')[0])",
    "len(lx.zipf('a.txt', 'b.txt')) == 2",
    "len(lx.keyness(lx.Bag.of(['a', 'b']), lx.Bag.of(['a']), min_count=1, p=1)) == 2",
    "lx.keyness('a.txt', 'b.txt', n=2, least=1, p=1).tested > 0",
    "list(lx.run('my.idx', ['cat', 'dog']).to_run().queries) == ['1', '2']",
    "lx.verify(lx.open('my.idx')).failure is None",
    "lx.open(lx.open('my.idx')).path == Path('my.idx')",
    "lx.Index(TEXTS).add(lx.Document('new', 'One more.')) == 1",
    "lx.Index(TEXTS).add('one more text') == len(lx.Index('a text')) == 1",
    "lx.Index([{'id': 'a', 'text': 'Rain.', 'year': 1851}])['a'].metadata == {'year': '1851'}",
    "lx.bag([{'text': 'Rain.'}, {'text': 'Rain.'}])[0].count == 2",
    "[document.id for document in lx.Index(TEXTS)[0:2]] == ['0', '1']",
    "lx.Index(TEXTS).search(lx.Document('x', 'cat')).rows[0] == 0",
    "lx.info(lx.Index(TEXTS))[0].path == 'in memory'",
    "lx.bag('folder', encoding='utf-8')[0].count == 1",
    "lx.near('book', k=3).to_pandas().shape == (3, 3)",
)
FAILS = {
    "lx.compare(1, 2)": "Got int instead.",
    "lx.bag(None)": "Got NoneType instead.",
    "lx.register(lambda p, q: 0.5)": "'<lambda>' cannot name a measure.",
    "lx.compare('a.txt')": "compare needs b. As in lx.compare(a, b).",
    "lx.index('folder')": "index needs output. As in lx.index(texts, output=…).",
    "lx.compare('a.txt', 'missing/')": "There is no file 'missing/'.",
    "lx.bag('and/or')": "themselves as a text, pass lx.Document('text', 'and/or').",
    "lx.compare('my.idx/0', 'b.txt')": "pass the id '0' with index='my.idx'.",
    "lx.compare('my.idx:0', 'b.txt')": "'my.idx' is an index",
    "lx.compare('my.idx#0', 'b.txt')": "'my.idx' is an index",
    "lx.compare(lx.open('my.idx'), '0')": "'0' is the id of a document in the index beside it.",
    "lx.keyness('my.idx', '0')": "To use that document, add index=…;",
    "lx.evaluate({'q': ['a', 'b']}, {'q': {'a': 1}})": "Got {'q': ['a', 'b']} instead.",
    "lx.run('my.idx', [1])": "Queries must be a file, a list of texts, or {id: text}.",
    "lx.open(5)": "path must be the path of an index. Got 5 instead.",
    "lx.Index(TEXTS, encoder='minilm')": "no option 'encoder'. Encode the texts afterwards: index.",
    "lx.Index(TEXTS, ids=['a', 'b'])": "Index has no option 'ids'. Use lx.Document(id, text,",
    "lx.Index.open(5)": "path must be a string or a Path. Got 5 instead.",
    "lx.Bag(5)": "A Bag is made of counts or of a list of types. Got 5 instead.",
    "lx.Document(5, 'Rain.')": "The id of a document must be a string. Got 5 instead.",
    "lx.Document('a', 6)": "The text of a document must be a string. Got 6 instead.",
    "lx.Document('a', 'b', metadata={'year': 1851})": "The year of a document must be a string.",
    "lx.info(5)": "index must be an Index, its path, or texts. Got 5 instead.",
    "lx.balls(5, 'cat')": "index must be an Index, its path, or texts. Got 5 instead.",
    "lx.zipf(5)": "A text is a string, a path, a Document, a Corpus or an Index, or a list of",
    "lx.zipf([])": "There are no texts.",
    "lx.verify('a.txt')": "a.txt is neither an index, a vector set nor a study.",
    "lx.fit_topics('my.idx', 2)": "Name the others, as in topics=2.",
    "lx.fit_topics('my.idx', topics=9)": "lower min_count or min_length, or raise max_share.",
    "lx.train_vectors(TEXTS)": "train_vectors needs output. As in lx.train_vectors(texts, ou",
    "lx.list_metrics('my.idx', k=5)": "list_metrics has no option 'k'. It has: index.",
    "lx.TopicModel.fit(lx.Corpus.of(TEXTS), 2)": "Name the number of topics: topics=2.",
    "lx.attribute(lx.Index(TEXTS), 'a text', by='x')": "Got one with an Index instead. Pass the",
    "lx.topics(lx.Index(TEXTS))": "index in memory has no topics yet. Fit them with: index.fit_",
    "lx.remove_metric(lx.Index(TEXTS), 'x')": "Learn one with: lx.learn_metric(index, by='FIELD'",
    "lx.search(lx.Index(TEXTS), 'x', method='late')": "Make them with: index.encode()",
    "lx.learn_metric(lx.Index(TEXTS), by='x', name='y')": "The documents have no metadata.",
    "lx.label(TEXTS, by='x')": "The documents have no metadata.",
    "lx.Index(b'bytes')": "An index needs a list of texts, not a word or a name.",
    "lx.Index(TEXTS, 'new.idx')": "texts must be the only unnamed argument: Index.build(texts, pa",
    "lx.Index(TEXTS)[1.5]": "id must be an id, a number or a slice. Got 1.5 instead.",
    "lx.Index(TEXTS).add({'id': 'a', 'text': 'Rain.'})": "For records pass a list: [{'id': …,",
    "lx.Index([('a', 'Rain.')])": "Got tuple instead. To give ids, pass a dictionary of ids",
    "lx.Index(TEXTS).search('cat', methd='bm25')": "Did you mean 'method'?",
    "lx.Index(TEXTS).search(query='cat')": 'It is the first argument: index.search("a text").',
    "lx.compare('a.txt', 'b.txt', measure='JS')": "Did you mean 'js'?",
    "lx.compare('a.txt', 'my novel.txt')": "There is no file 'my novel.txt'.",
    "lx.zipf('rain rain rain')": "fits anything. Take a longer text.",
    "lx.Corpus.read('a.txt', metadat='x')": "has no option 'metadat'. Did you mean 'metadata'?",
    "lx.Corpus.read('folder', tokenize=5)": "tokenize must be the name of a tokenizer, or a",
    "lx.Corpus('folder')": "Use lx.Corpus.read(paths) for files and folders",
    "lx.Document('a cat sat')": "The document 'a cat sat' has no text.",
    "lx.Document(text='a cat sat')": "The document has no id.",
    "lx.Document('x', 'a', author='Ann')": "Put it into the metadata: metadata={'author': 'Ann'}.",
    "lx.Query('a cat')": "A query is made for an index, with the words of its texts.",
    "lx.open('my.idx').search(like='0')": "search has no option 'like'. Use index.like(id).",
    "lx.open('my.idx').search(Path('a.txt'))": "Read a file first, as in path.read_text().",
    "lx.pairs(lx.Corpus.of(TEXTS), 'x')": "Got one with a Corpus instead. Pass the corpus",
    "lx.zipf('a.txt', space='latent')": "zipf has no option 'space'. It is now 'latent': Rank",
    "lx.search('my.idx', 'a', method='setcover(max_tokens=3)')": "max_tokens is no longer a",
    "lx.search('my.idx', 'a', method='setcover(copies=3)')": "where copies is always 4.",
    "lx.compare('a.txt', 'c.txt')": "There is no file 'c.txt'.",
    "lx.near('book', 5)": "near takes word by position; got 2 arguments.",
    "lx.near('book', k=0)": "k must be a whole number from 1 to 1,000,000. Got 0 instead.",
    "lx.near('book', kk=5)": "near has no option 'kk'. Did you mean 'k'?",
    "lx.search('my.idx')": "Give either a query or queries.",
    "lx.search('my.idx', 'a kitten', 5)": "search takes index, query by position",
    "lx.search('my.idx', 5)": "query must be text of at most 10,000,000 characters, or a list of",
    "lx.search('my.idx', 'a kitten', where={'a': 'b'})": "No document has metadata 'a'.",
    "lx.search('my.idx', queries='q.txt', like='0')": "Give either a query or like, not both.",
    "lx.near()": "Give either a word, or a file of words with queries.",
    "lx.near({'a': 'b'})": "word must be text, or a list of texts.",
    "lx.near(3)": "word must be text, or a list of texts. Got [3] instead.",
    "lx.compare('0', '2', index='my.idx')": "The index has no document '2'.",
    "lx.Index('a text.txt')": "open an index with Index.open(path)",
    "lx.Index(Path('nowhere'))": "nowhere does not exist.",
    "lx.Index(TEXTS).like(0)": "id must be a string, such as 'emma' or 'emma#81'. Got 0 instead.",
    "lx.Corpus.read(None)": "paths must be a path or a list of paths. Got None instead.",
    "lx.Index(TEXTS).add('one text.txt')": "Got 'one text.txt' instead. Read files with Corpus",
    "lx.search(lx.open('my.idx'), 'a kitten', where='a=b')": "No document has metadata 'a'.",
    "lx.inspire('It was late.', 'my.idx')": "There is no index 'It was late.'. Check the path; the",
    "lx.open('folder')": "If it holds texts, build an index first: lexfield index folder -o NAME",
    "lx.label(OWN, by='by')": "Every document has a category of its own",
    "lx.attribute(OWN, by='by')": "Every by has only one text",
    "lx.duplicates('my.idx', threshold=5)": "threshold must be a number above 0 and at most 1.",
    "lx.open('nowhere')": "nowhere does not exist.",
    "lx.register(3)": "int is not an extension that lexfield knows.",
    "lx.search('my.idx', 'a kitten', method='maen')": "Did you mean 'mean'?",
}
TEXTS = ["The cat sat.", "A dog barked."]
OWN = [
    lx.Document("x", "A cat sat.", "", {"by": "Ann"}),
    lx.Document("y", "A dog.", "", {"by": "Z"}),
]


class Table:
    """A table as lexfield sees those of other packages; iterating over it yields its columns."""

    columns = ("id", "by", "text")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a table is ambiguous.")

    def to_dicts(self) -> list[dict[str, str]]:
        return [{"id": one.id, **one.metadata, "text": one.text} for one in OWN]


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Work in a folder with two texts, a folder of texts and an index."""
    path = tmp_path_factory.mktemp("first")
    before = Path.cwd()
    os.chdir(path)
    (path / "a.txt").write_text("The cat sat on the mat. The cat slept.")
    (path / "b.txt").write_text("A dog barked. The dog ran home.")
    (path / "folder").mkdir()
    for name, text in zip(("one", "two"), TEXTS, strict=True):
        (path / "folder" / f"{name}.txt").write_text(text)
    lx.index(TEXTS, output="my.idx")
    for name in ("a.run", "b.run"):
        lx.run("my.idx", {"q": "a dog"}, output=name)
    yield path
    os.chdir(before)


NAMES = {"lx": lx, "TEXTS": TEXTS, "OWN": OWN, "TABLE": Table(), "Path": Path}


def evaluate(code: str) -> object:
    return eval(code, NAMES)  # noqa: S307 - one of the above


@pytest.mark.parametrize("code", WORKS)
def test_it_works(code: str) -> None:
    if "to_pandas" in code:
        pytest.importorskip("pandas", reason="the extra 'pandas' is not installed")
    assert evaluate(code)


@pytest.mark.parametrize("code", FAILS)
def test_it_fails_with_one_clear_sentence(code: str) -> None:
    with pytest.raises(LexfieldError, match=re.escape(FAILS[code])):
        evaluate(code)


def test_names_are_sorted_complete_and_there() -> None:
    assert lexfield.__all__ == sorted(lexfield.__all__)
    assert set(lexfield.__all__) >= set(list_functions())
    for name in lexfield.__all__:
        assert getattr(lexfield, name).__name__ == name
    assert dir(lexfield) == sorted([*lexfield.__all__, "__version__"])
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        lexfield.nothing  # noqa: B018
    with pytest.raises(AttributeError, match=r"'search_many'; use lexfield.search\(index, \["):
        lexfield.search_many  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(inspect.getsource(lexfield))
    (guard,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in guard.body if isinstance(node, ast.ImportFrom)]
    seen = {
        str(alias.asname): f"{node.module}.{alias.name}" for node in imports for alias in node.names
    }
    assert seen == {name: f"{home}.{name}" for name, home in lexfield._HOMES.items()}
    for name, listed in list_functions().items():
        assert seen[name] == f"{listed.module}.{name}"
    assert list(seen.values()) == sorted(seen.values())


def test_names_of_the_last_version_still_work() -> None:
    for name, (home, _) in lexfield._RENAMED.items():
        assert name not in lexfield.__all__
        module, _, attribute = home.partition(":")
        found = importlib.import_module(f"lexfield.{module}")
        with pytest.warns(DeprecationWarning, match=f"lexfield.{name} is deprecated: use "):
            assert getattr(lexfield, name) is (getattr(found, attribute) if attribute else found)


def test_subpackages_do_not_replace_functions() -> None:
    code = """
import lexfield, lexfield.search.index, lexfield.topics.lda, lexfield.evaluate.trec
import lexfield.vectors.wordvectors
from lexfield.search.index import Index
from lexfield.search import index
import types
for name in ("search", "text", "topics", "evaluate", "index", "compare"):
    assert isinstance(getattr(lexfield, name), types.FunctionType), name
assert index.Index is Index is lexfield.Index
import lexfield.search.registry
assert isinstance(lexfield.search, types.FunctionType)
assert lexfield.vectors.wordvectors.WordVectors is lexfield.WordVectors
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_extensions_find_their_table() -> None:
    class Chance:
        name = "chance"

        def search(self, rows: object, query: object, k: int, among: object) -> None: ...

    class Verses:
        name = "verses"
        suffixes = (".verses",)

        def read(self, source: object) -> list[object]:
            return []

    def chebyshev(p: Any, q: Any) -> float:
        return float(np.abs(p - q).max())

    def split(text: str) -> list[str]:
        return text.split()

    fits = [
        next(point.kind for point in EXTENSION_POINTS if point.fits(extension))
        for extension in (Chance, Verses(), chebyshev, split)
    ]
    assert fits == ["search method", "file reader", "measure", "tokenizer"]
    assert lx.register(chebyshev) is chebyshev


def test_options_by_position_are_deprecated() -> None:
    rankings = [{"a": 2.0, "b": 1.0}, {"b": 2.0, "c": 1.0}]
    with pytest.warns(
        DeprecationWarning, match=r"combine must be named: lx\.fuse\(…, combine='sum'"
    ):
        old = lx.fuse(rankings, "sum")  # type: ignore[call-arg]
    assert old.ids == lx.fuse(rankings, combine="sum").ids
    old_pairs: Any = lx.pairs
    with pytest.warns(DeprecationWarning, match="measure must be named"):
        assert len(old_pairs(lx.Corpus.of(TEXTS), "kl")) == 2


def test_modules_of_a_package_that_shares_its_name_with_a_function() -> None:
    code = "import lexfield as lx; lx.text; lx.search\n"
    code += "import lexfield.search.bm25 as bm25, lexfield.text.kwic as kwic\n"
    code += "print(bm25.Bm25.name, kwic.__name__, callable(lx.search), callable(lx.text))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["bm25", "lexfield.text.kwic", "True", "True"], done.stderr
