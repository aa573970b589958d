"""A reference model: random operations on an index, compared with a dictionary of texts.

Hypothesis chooses the operations (index, add, delete, compact, replace, topics, metrics, shards,
crashes, reopening, a second writer) and the questions. The model holds the texts in a dictionary;
what a search method must answer is computed from them by the slow, obvious versions of
``tests/search/oracle.py`` and ``bag_oracle.py``, or by an index that is built anew from the texts
(``mean``, ``ideas``, ``setcover``, ``best``).
"""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lexfield.cluster.build_shards import build_sharded
from lexfield.cluster.sharded_index import ShardedIndex
from lexfield.errors import InputError, LexfieldError
from lexfield.index.learn_metric import learn_metric
from lexfield.index.metrics import list_metrics, remove_metric
from lexfield.index.topics import has_topics
from lexfield.search.index import Index
from lexfield.store.manifest import verify
from lexfield.text.document import Document
from lexfield.topics.lda import Filters
from lexfield.vectors import sources
from tests.fault.filelayer import Faulty
from tests.fault.trials import fail_in_child
from tests.search import bag_oracle, oracle

WORDS = [f"{a}{b}" for a in "bcdfg" for b in "xjzw"] + ["qq"]  # the last has no vector
# So many words, the short ones first, say how frequent each is, whatever a collection holds.
SHORT = [f"{a}{b}" for a in "vkpmt" for b in "qwrtpsdfghjklzxcvbnm"]
ALL = [*WORDS[:-1], "the", "of", *SHORT, *(f"filler{n * 7919 % 1009:04d}" for n in range(1009))]
MATRIX = np.random.default_rng(7).standard_normal((len(ALL), 4)).astype(np.float32)
KNOWN = dict(zip(WORDS[:-1], MATRIX.astype(np.float64), strict=False))
SET = "toy"  # the name under which ``install_vectors`` keeps them
ROWS = {
    "jaccard": oracle.jaccard, "bow": oracle.bow,
    "mean(plain=true)": oracle.plain_mean, "wmd": oracle.wmd, "edit": oracle.edit,
    "edit(by=word)": oracle.edit_by_word,
}  # fmt: skip
BAGS: dict[str, Callable[..., dict[int, float]]] = {
    "count": bag_oracle.count, "frequency": bag_oracle.frequency, "bm25": bag_oracle.bm25,
    "bm25(k1=0.9, b=0.4)": partial(bag_oracle.bm25, k1=0.9, b=0.4), "lm": bag_oracle.lm,
    "lm(mu=5)": partial(bag_oracle.lm, mu=5),
}  # fmt: skip
REBUILT = ("mean", "setcover", "ideas", "best", "ideas(r=3)")
FILTERS = Filters(min_count=1, max_share=1, min_length=1)
MOST = 14  # documents in an index
TIE = 1e-6  # scores that differ by less may be in any order
_MANY = 10_000

words = st.lists(st.sampled_from([*WORDS, "the", "of"]), min_size=1, max_size=6)
texts = st.lists(words, min_size=1, max_size=3)
groups = st.sampled_from(("g1", "g2"))
queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
units = st.sampled_from(("sentence", "document"))
Kept = tuple[list[str], str]  # sentences, and the group of a document


def make_kept(sentences: list[list[str]], group: str) -> Kept:
    return [f"{' '.join(one).capitalize()}." for one in sentences], group


def install_vectors(home: Path) -> None:
    """Keep the vectors as a named set, where an index finds those of new words."""
    os.environ["LEXFIELD_HOME"] = str(home)
    lines = [
        " ".join([word, *map(str, row.tolist())]) for word, row in zip(ALL, MATRIX, strict=True)
    ]
    home.mkdir(exist_ok=True)
    (home / "toy.txt").write_text("\n".join(lines) + "\n")
    sources.import_file(home / "toy.txt", SET)


class Machine(RuleBasedStateMachine):
    """One index on disk, open twice, and what should be in it."""

    done: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="model-"))
        self.path = self.folder / "x.idx"
        self.kept: dict[str, Kept] = {}
        self.named = 0
        self.topics = False

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def count(self, name: str) -> None:
        Machine.done[name] += 1

    def documents(self, names: list[str]) -> list[Document]:
        return [
            Document(name, " ".join(self.kept[name][0]), metadata={"group": self.kept[name][1]})
            for name in names
        ]

    def new(self, many: list[tuple[list[list[str]], str]]) -> list[str]:
        """Put new documents into the model; return their ids."""
        names = []
        for sentences, group in many:
            self.named += 1
            names.append(f"d{self.named}")
            self.kept[names[-1]] = make_kept(sentences, group)
        return names

    # Changes

    @initialize(many=st.lists(st.tuples(texts, groups), min_size=2, max_size=6))
    def index(self, many: list[tuple[list[list[str]], str]]) -> None:
        self.count("index")
        names = self.new(many)
        self.one = Index.build(self.documents(names), self.path, vectors=SET)
        self.two = Index.open(self.path)

    @rule(many=st.lists(st.tuples(texts, groups), min_size=1, max_size=3), second=st.booleans())
    def add(self, many: list[tuple[list[list[str]], str]], second: bool) -> None:
        if len(self.kept) + len(many) > MOST:
            return
        self.count("add by a second writer" if second else "add")
        writer = self.two if second else self.one
        assert writer.add(self.documents(self.new(many))) == len(many)

    @rule(data=st.data(), second=st.booleans())
    def delete(self, data: st.DataObject, second: bool) -> None:
        gone = data.draw(st.lists(st.sampled_from(sorted(self.kept)), min_size=1, max_size=3))
        if len(set(gone)) == len(self.kept):
            return
        self.count("delete by a second writer" if second else "delete")
        assert (self.two if second else self.one).delete(gone) == len(set(gone))
        for name in set(gone):
            del self.kept[name]

    @rule(second=st.booleans())
    def compact(self, second: bool) -> None:
        self.count("compact")
        (self.two if second else self.one).compact()

    @rule(many=st.lists(st.tuples(texts, groups), min_size=2, max_size=5))
    def replace(self, many: list[tuple[list[list[str]], str]]) -> None:
        self.count("replace")
        self.kept.clear()
        names = self.new(many)
        self.one = Index.build(self.documents(names), self.path, vectors=SET, replace=True)
        self.topics = False

    @rule()
    def reopen(self) -> None:
        self.count("reopen")
        self.one, self.two = Index.open(self.path), self.one

    @rule()
    def fit_topics(self) -> None:
        self.count("topics")
        self.one.refresh()
        with suppress(InputError):  # too few words to fit
            self.one.fit_topics(
                2, passes=1, filters=Filters(min_count=1, max_share=1, min_length=1)
            )
            self.topics = True

    @rule()
    def learn(self) -> None:
        self.count("metric")
        self.one.refresh()
        if any(row.name == "m" for row in list_metrics(self.path)):
            remove_metric(self.path, "m")
        with suppress(InputError):  # too few groups to learn from
            learn_metric(self.one, "group", "m", shrinkage=0.5)

    @rule(data=st.data(), step=st.integers(1, 400))
    def crash(self, data: st.DataObject, step: int) -> None:
        """A writer is killed at a step of the file layer; the state is the old or the new one."""
        self.count("crash")
        kind = data.draw(st.sampled_from(("add", "delete", "compact")))
        old, gone = dict(self.kept), sorted(self.kept)[:1]
        new = self.new([([["bx", "cy"], ["qq", "the", "gw"]], "g1")]) if kind == "add" else []
        added = self.documents(new)

        def work() -> None:
            index = Index.open(self.path)
            if kind == "add":
                index.add(added)
            elif kind == "delete" and len(old) > 1:
                index.delete(gone)
            else:
                index.compact()

        ended = fail_in_child(work, Faulty(self.folder / "journal", step))
        assert ended in (0, -signal.SIGKILL), f"the writer ended with {ended}"
        self.one, self.two = Index.open(self.path), Index.open(self.path)
        found = set(self.one.documents)
        if found == set(old):
            self.kept = old
        elif kind == "delete" and len(old) > 1:
            del self.kept[gone[0]]

    # Questions

    @rule()
    def look(self) -> None:
        self.count("verify and read")
        assert not [one for one in verify(self.path) if one.problem]
        self.one.refresh()
        assert {one.id: one.text for one in self.one} == {
            name: " ".join(sentences) for name, (sentences, _) in self.kept.items()
        }
        assert has_topics(self.path) == self.topics
        self.one.info()

    def rows(self, unit: str) -> dict[str, list[str]]:
        """Id → sentences of a row, in the order of the index."""
        order = list(self.one.documents)
        assert set(order) == set(self.kept)
        if unit == "document":
            return {name: self.kept[name][0] for name in order}
        return {
            f"{name}#{place}": [sentence]
            for name in order
            for place, sentence in enumerate(self.kept[name][0])
        }

    @rule(
        asked=st.lists(queries, min_size=2, max_size=6), unit=units, k=st.integers(1, 8),
        only=st.sampled_from(("", "", "g1")),
    )  # fmt: skip
    def search(self, asked: list[str], unit: str, k: int, only: str) -> None:
        """Ask questions of every method that has a naive version."""
        self.one.refresh()
        self.two.refresh()
        rows = self.rows(unit)
        plain = oracle.Plain([" ".join(one) for one in rows.values()], KNOWN)
        cut = [[plain_tokens(one) for one in sentences] for sentences in rows.values()]
        groups = {name: group for name, (_, group) in self.kept.items()}
        if only and only not in groups.values():
            return
        where = f"group={only}" if only else None
        for query, (number, method) in product(asked, enumerate((*ROWS, *BAGS))):
            self.count(method)
            terms = [(float(n), (word,)) for word, n in Counter(plain_tokens(query)).items()]
            scores = ROWS[method](plain, query) if method in ROWS else BAGS[method](cut, terms)
            expected = {
                name: scores[row]
                for row, name in enumerate(rows)
                if row in scores and only in ("", groups[name.partition("#")[0]])
            }
            index = self.two if number % 2 else self.one
            found = index.search(query, method, k, unit=unit, where=where)
            check_scores(method, expected, [(hit.id, hit.score) for hit in found], k)

    @rule(query=queries, unit=units)
    def search_as_rebuilt(self, query: str, unit: str) -> None:
        """The index answers as one that is built at once of the same texts."""
        self.one.refresh()
        anew = Index(self.documents(list(self.one.documents)), vectors=SET)
        for method in REBUILT:
            self.count(method)
            compare_rankings(self.one, anew, query, method, unit)

    @precondition(lambda self: self.topics)
    @rule(data=st.data(), unit=units)
    def search_topics(self, data: st.DataObject, unit: str) -> None:
        """Mixtures that were kept while the index changed are those that are computed anew."""
        self.count("topic")
        self.one.refresh()
        query = data.draw(queries)
        with suppress(LexfieldError):
            found = self.one.search(query, "topic", _MANY, unit=unit)
            assert len({hit.id for hit in found}) == len(found)
            assert {hit.id.partition("#")[0] for hit in found} <= set(self.kept)
            again = Index.open(self.path).search(query, "topic", _MANY, unit=unit)
            assert [(h.id, h.score) for h in found] == [(h.id, h.score) for h in again]

    @rule(query=queries, method=st.sampled_from([*ROWS, *BAGS, "ideas"]), unit=units)
    def shards(self, query: str, method: str, unit: str) -> None:
        """An index in shards answers as the one index does."""
        if len(self.kept) < 4 or Machine.done.total() % 200:
            return
        self.count("shards")
        self.one.refresh()
        target = self.folder / "shards.idx"
        order = list(self.one.documents)
        build_sharded(self.documents(order), target, shards=2, vectors=SET)
        compare_rankings(ShardedIndex(target), self.one, query, method, unit)
        shutil.rmtree(target)


def plain_tokens(text: str) -> list[str]:
    return text.lower().rstrip(".").split()


def check_scores(
    method: str, expected: dict[str, float], found: list[tuple[str, float]], k: int
) -> None:
    """Every hit has its score, and the k best are there; of equal scores any may be."""
    best = sorted(expected.values(), reverse=True)[:k]
    assert len(found) == len(best) == len(dict(found)), (method, found, expected)
    for (name, score), wanted in zip(found, best, strict=True):
        assert name in expected, (method, name, expected)
        assert near(score, expected[name]) and near(score, wanted), (method, found, expected)
    assert all(a >= b - 1e-6 for (_, a), (_, b) in pairwise(found)), (method, found)


def near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4)


def compare_rankings(one: Index, other: Index, query: str, method: str, unit: str) -> None:
    a, b = (index.search(query, method, 6, unit=unit, allow_unknown=True) for index in (one, other))
    assert agree(*([(hit.text, hit.score) for hit in hits] for hits in (a, b))), (
        method, query, a, b
    )  # fmt: skip


def agree(a: list[tuple[str, float]], b: list[tuple[str, float]]) -> bool:
    """Return whether two rankings are the same, but for the order of equal scores: vectors are kept
    as float32, so those of different texts that should be equal can differ in the last bit."""
    if len(a) != len(b) or not all(near(x, y) for (_, x), (_, y) in zip(a, b, strict=True)):
        return False
    return all(
        abs(score - mine[-1][1]) <= TIE  # others of this score are not among the hits
        or any(text == other and abs(score - found) <= TIE for other, found in theirs)
        for mine, theirs in ((a, b), (b, a))
        for text, score in mine
    )


def run_chunk(number: int, examples: int, steps: int, *, shrink: bool = True) -> Counter[str]:
    """Run one seeded chunk of operations; return how often each was done."""
    Machine.done = Counter()
    chosen = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), print_blob=False,
        phases=[Phase.generate, *([Phase.shrink] if shrink else [])],
    )  # fmt: skip
    run_state_machine_as_test(seed(number)(Machine), settings=chosen)
    return Machine.done


def long(folder: Path) -> dict[str, Any]:
    """At least 100,000 operations, or LEXFIELD_OPERATIONS; a run that was interrupted goes on where
    it stopped, and so does a longer one after a shorter one."""
    wanted = int(os.environ.get("LEXFIELD_OPERATIONS", "100000"))
    progress = Path(__file__).parent / "results" / "model.part.json"
    kept: dict[str, Any] = {"chunks": 0, "done": {}}
    if progress.exists():
        kept = json.loads(progress.read_text())
    done = Counter[str](kept["done"])
    tempfile.tempdir = str(folder)
    install_vectors(folder / "home")
    os.fsync = lambda fd: None  # speed; part ``crash`` is about flushing
    while done.total() < wanted:
        kept["chunks"] += 1
        done += run_chunk(kept["chunks"], 10, 50)
        kept["done"] = dict(sorted(done.items()))
        progress.write_text(json.dumps(kept))
        print(done.total(), flush=True)
    if done.total() >= 100_000:
        progress.unlink()
    asked = sum(done[name] for name in (*ROWS, *BAGS, *REBUILT, "topic", "shards"))
    return {
        "operations": done.total(), "questions": asked, "of each": dict(sorted(done.items())),
        "faults": 0,
    }  # fmt: skip
