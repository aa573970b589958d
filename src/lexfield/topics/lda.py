"""Topics by online variational latent Dirichlet allocation (Hoffman, Blei and Bach 2010).

scikit-learn fits, in minibatches of shuffled documents; new documents are inferred here, on all
cores. One seed, one model, at any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexfield.engine import map_blocks
from lexfield.errors import InputError, check
from lexfield.progress import Progress, silent
from lexfield.results import Table
from lexfield.store.folder import Store, Writer
from lexfield.topics.vocabulary import Filters

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_BLOCK = 256  # documents inferred a task
_COHERENCE_WORDS = 10


@dataclass(frozen=True)
class Topic:
    """One topic: its share of all words, how well its words go together, and the likeliest."""

    topic: int
    share: float
    coherence: float
    words: str


class TopicModel:
    """``TopicModel.fit(counts, words, 50)``, then ``infer`` the mixtures of any documents.

    words: the vocabulary. weights: topics × words, the parameters λ of the topics' Dirichlets.
    about: how it was fitted.
    """

    def __init__(
        self,
        words: Sequence[str],
        weights: NDArray[np.float32],
        prior: float,
        coherences: NDArray[np.float64],
        about: dict[str, Any],
    ) -> None:
        self.words = list(words)
        self.weights = weights
        self.prior = prior
        self.coherences = coherences
        self.about = about

    @classmethod
    def fit(
        cls,
        counts: csr_matrix,
        words: Sequence[str],
        topics: int = 50,
        *,
        filters: Filters | None = None,
        passes: int = 20,
        alpha: float | None = None,
        eta: float | None = None,
        batch: int | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> TopicModel:
        """Fit topics to counts (documents × words).

        alpha, eta: the Dirichlet priors of mixtures and topics, 1/topics if not given. passes:
        over all documents, ``batch`` of them at a time.
        """
        filters = filters or Filters()
        check(isinstance(topics, int) and topics >= 2, "topics", "at least 2", topics)
        check(isinstance(passes, int) and passes >= 1, "passes", "at least 1", passes)
        for name, value in (("alpha", alpha), ("eta", eta)):
            check(value is None or value > 0, name, "over 0", value)
        columns = filters.kept(counts, words)
        if len(columns) < topics:
            raise InputError(
                f"Only {len(columns):,} words are left for {topics:,} topics after the filters.",
                "Ask for fewer topics, or let more words pass (min_count, max_share, min_length).",
            )
        chosen = counts[:, columns].tocsr()
        filled = np.flatnonzero(np.diff(chosen.indptr))
        batch = batch or min(1024, max(16, len(filled) // 16))
        weights = _fit_weights(chosen[filled], topics, passes, alpha, eta, batch, seed, progress)
        tops = np.argsort(-weights, axis=1, kind="stable")[:, :_COHERENCE_WORDS]
        from lexfield.topics.coherence import npmi

        about = {
            "topics": topics, "documents": len(filled), "empty": counts.shape[0] - len(filled),
            "words": len(columns), "tokens": int(chosen.sum()), "passes": passes, "batch": batch,
            "alpha": alpha or 1 / topics, "eta": eta or 1 / topics, "seed": seed,
            "filters": asdict(filters),
        }  # fmt: skip
        kept = [words[column] for column in columns]
        return cls(kept, weights, alpha or 1 / topics, npmi(chosen, tops), about)

    @property
    def topics(self) -> int:
        return len(self.weights)

    @cached_property
    def ids(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self.words)}

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Topics as distributions over words: the means of their Dirichlets."""
        weights = self.weights.astype(np.float64)
        shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def _topics_of_words(self) -> NDArray[np.float64]:
        """exp E[ln β], a row a word."""
        from scipy.special import psi

        weights = self.weights.astype(np.float64)
        expected = psi(weights) - psi(weights.sum(axis=1))[:, None]
        return np.ascontiguousarray(np.exp(expected).T)

    def infer(self, counts: csr_matrix, progress: Progress = silent) -> NDArray[np.float32]:
        """Mixtures of documents (rows of counts over ``words``); no words, the prior's mean."""
        from lexfield.topics.inference import ROUNDS, TOLERANCE, infer_rows

        if counts.shape[1] != len(self.words):
            raise InputError(
                f"The counts have {counts.shape[1]:,} columns; the model knows"
                f" {len(self.words):,} words."
            )
        offsets, words = counts.indptr.astype(np.int64), counts.indices.astype(np.int64)
        values = counts.data.astype(np.float64)

        def task(rows: slice) -> NDArray[np.float32]:
            part = offsets[rows.start : rows.stop + 1]
            found = infer_rows(
                part, words, values, self._topics_of_words, self.prior, TOLERANCE, ROUNDS
            )
            return found.astype(np.float32)

        height = counts.shape[0]
        blocks = [slice(i, min(i + _BLOCK, height)) for i in range(0, height, _BLOCK)]
        empty = np.empty((0, self.topics), np.float32)
        found: NDArray[np.float32] = np.concatenate(
            [empty, *map_blocks(task, blocks, progress=progress)]
        )
        empty_rows = np.diff(offsets) == 0
        found[empty_rows] = 1 / self.topics
        return found

    def perplexity(self, counts: csr_matrix, seed: int = 0) -> float:
        """How surprised the model is by half of each document after it has seen the other half.

        exp(−mean ln Σ_t θ_t β_tw) over the words of the second halves: document completion
        (Wallach et al. 2009). Lower is better; a model that knows nothing has len(words).
        """
        from scipy.sparse import csr_matrix

        rng = np.random.default_rng(seed)
        seen = rng.binomial(counts.data.astype(np.int64), 0.5)
        first = csr_matrix((seen, counts.indices, counts.indptr), counts.shape)
        second = (counts - first).tocoo()
        first.eliminate_zeros()
        if not second.sum():
            raise InputError("There are no words of the model in the documents.")
        theta = self.infer(first).astype(np.float64)
        chances = np.einsum("ij,ij->i", theta[second.row], self.shares.T[second.col])
        return float(np.exp(-(second.data * np.log(chances)).sum() / second.data.sum()))

    def top_words(self, topic: int, k: int = 10) -> list[str]:
        order = np.argsort(-self.weights[topic], kind="stable")[:k]
        return [self.words[column] for column in order]

    def describe(self, k: int = 10) -> Table[Topic]:
        """All topics, the largest first."""
        totals = self.weights.sum(axis=1, dtype=np.float64)
        shares = totals / totals.sum()
        rows = [
            Topic(
                int(topic),
                float(shares[topic]),
                float(self.coherences[topic]),
                " ".join(self.top_words(int(topic), k)),
            )
            for topic in np.argsort(-shares, kind="stable")
        ]
        return Table(rows, f"{self.topics} topics over {len(self.words):,} words")

    def save(self, out: Writer) -> None:
        out.array("model.weights", self.weights)
        out.array("model.coherences", self.coherences)
        out.strings("model.words", self.words)
        out.meta.update(model={"prior": self.prior, "about": self.about})

    @classmethod
    def load(cls, store: Store) -> TopicModel:
        meta = store.meta["model"]
        return cls(
            list(store.strings("model.words")),
            store.array("model.weights"),
            meta["prior"],
            store.array("model.coherences"),
            meta["about"],
        )

    def __repr__(self) -> str:
        return f"<TopicModel: {self.topics} topics over {len(self.words):,} words>"


def _fit_weights(
    counts: csr_matrix,
    topics: int,
    passes: int,
    alpha: float | None,
    eta: float | None,
    batch: int,
    seed: int,
    progress: Progress,
) -> NDArray[np.float32]:
    from sklearn.decomposition import LatentDirichletAllocation
    from threadpoolctl import threadpool_limits

    height = counts.shape[0]
    model = LatentDirichletAllocation(
        topics,
        doc_topic_prior=alpha,
        topic_word_prior=eta,
        learning_method="online",
        total_samples=height,
        random_state=seed,
    )
    rng = np.random.default_rng(seed)
    with threadpool_limits(1):  # sums in one order, whatever the machine
        for done in range(passes):
            order = rng.permutation(height)
            for start in range(0, height, batch):
                model.partial_fit(counts[order[start : start + batch]])
                progress(done * height + min(start + batch, height), passes * height)
    weights: NDArray[np.float32] = model.components_.astype(np.float32)
    return weights
