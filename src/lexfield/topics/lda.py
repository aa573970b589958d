"""Topics by online variational latent Dirichlet allocation (Hoffman, Blei and Bach 2010).

scikit-learn fits the model in minibatches of shuffled documents; ``inference.py`` infers new
documents on all cores. A seed leads to the same model at any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from lexfield.bags.matrix import BagMatrix
from lexfield.engine import map_blocks
from lexfield.errors import InputError, check, shorten
from lexfield.progress import Progress, silent
from lexfield.results import Table, pluralise
from lexfield.store.folder import Store, Writer
from lexfield.text.corpus import Corpus
from lexfield.text.document import Document
from lexfield.topics.inference import ROUNDS, TOLERANCE, infer_rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Documents: TypeAlias = "csr_matrix | Corpus | Iterable[str | Document]"
_BLOCK = 256  # documents per task of inference
_COHERENCE_WORDS = 10


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Leave out words that say little about topics: rare, frequent or short words, and numbers
    (Krstovski et al., section 3.2.1).

    min_count, max_count: occurrences in all documents. max_share: of the documents.
    min_length: characters; those of Chinese, Japanese and Korean count twice. (The paper has 1,000
    and 350,000 occurrences in 1.6 million patents, at least four characters, no numbers.)
    """

    min_count: int = 5
    max_count: int | None = None
    max_share: float = 0.5
    min_length: int = 4

    def __post_init__(self) -> None:
        check(self.min_count >= 1, "min_count", "at least 1", self.min_count)
        check(0 < self.max_share <= 1, "max_share", "over 0 and up to 1", self.max_share)
        check(self.min_length >= 1, "min_length", "at least 1", self.min_length)
        if self.max_count is not None:
            expected = f"at least min_count, {self.min_count}"
            check(self.max_count >= self.min_count, "max_count", expected, self.max_count)

    def select(self, counts: csr_matrix, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the columns of counts (documents × words) that pass."""
        occurrences = np.asarray(counts.sum(axis=0)).ravel()
        documents = np.bincount(counts.indices, minlength=len(words))
        passes = (occurrences >= self.min_count) & (documents <= self.max_share * counts.shape[0])
        if self.max_count is not None:
            passes &= occurrences <= self.max_count
        is_word = [
            _measure(word) >= self.min_length and any(letter.isalpha() for letter in word)
            for word in words
        ]
        return np.flatnonzero(passes & np.array(is_word, bool))


def _measure(word: str) -> int:
    """Return the number of characters of a word; wide ones count twice."""
    return len(word) + sum(east_asian_width(char) in "WF" for char in word)


@dataclass(frozen=True)
class TopicSummary:
    """A topic: its share of all words, the coherence of its top words, and these words."""

    topic: int
    share: float
    coherence: float
    words: str


class TopicModel:
    """``TopicModel.fit(corpus, topics=50)``, then ``infer`` the mixtures of any documents.

    words: the vocabulary. weights: topics × words, the parameters λ of the topics' Dirichlets.
    about: how the model was fitted.
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
        documents: Documents,
        words: Sequence[str] | None = None,
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
        """Fit topics to a corpus, to texts, or to counts (documents × words) and their ``words``.

        alpha, eta: the Dirichlet priors of mixtures and topics, by default 1/topics. passes: over
        all documents, ``batch`` of them at a time.
        """
        filters = filters or Filters()
        check(isinstance(topics, int) and topics >= 2, "topics", "at least 2", topics)
        check(isinstance(passes, int) and passes >= 1, "passes", "at least 1", passes)
        for name, value in (("alpha", alpha), ("eta", eta)):
            check(value is None or value > 0, name, "over 0", value)
        counts, words = _count_words(documents, words)
        columns = filters.select(counts, words)
        if len(columns) < topics:
            raise InputError(
                f"Only {pluralise(len(columns), 'word is', 'words are')} left for {topics:,} topics"
                " after the filters.",
                "Ask for fewer topics, or let more words pass: lower --min-count or --min-length,"
                " or raise --max-share.",
            )
        chosen = counts[:, columns].tocsr()
        filled = np.flatnonzero(np.diff(chosen.indptr))
        batch = batch or min(1024, max(16, len(filled) // 16))
        about: dict[str, Any] = {
            "topics": topics,
            "documents": len(filled),
            "empty": counts.shape[0] - len(filled),
            "words": len(columns),
            "tokens": int(chosen.sum()),
            "passes": passes,
            "batch": batch,
            "alpha": alpha or 1 / topics,
            "eta": eta or 1 / topics,
            "seed": seed,
            "filters": asdict(filters),
        }
        weights = _fit_weights(chosen[filled], about, progress)
        tops = np.argsort(-weights, axis=1, kind="stable")[:, :_COHERENCE_WORDS]
        names = [words[column] for column in columns]
        return cls(names, weights, about["alpha"], npmi(chosen, tops), about)

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
        """exp E[ln β], with a row per word."""
        from scipy.special import psi

        weights = self.weights.astype(np.float64)
        expected = psi(weights) - psi(weights.sum(axis=1))[:, None]
        return np.ascontiguousarray(np.exp(expected).T)

    def infer(self, documents: Documents, progress: Progress = silent) -> NDArray[np.float32]:
        """Return the mixture of each document: of a corpus, of texts, or of counts over ``words``.

        A document without any word of the model has the mean of the prior.
        """
        counts = self._counts(documents)
        offsets, words = counts.indptr.astype(np.int64), counts.indices.astype(np.int64)
        values = counts.data.astype(np.float64)

        def infer_block(start: int) -> NDArray[np.float32]:
            part = offsets[start : start + _BLOCK + 1]
            mixtures = infer_rows(
                part, words, values, self._topics_of_words, self.prior, TOLERANCE, ROUNDS
            )
            return mixtures.astype(np.float32)

        blocks = map_blocks(infer_block, range(0, counts.shape[0], _BLOCK), progress=progress)
        mixtures = np.concatenate([np.empty((0, self.topics), np.float32), *blocks])
        mixtures[np.diff(offsets) == 0] = 1 / self.topics
        return mixtures

    def _counts(self, documents: Documents) -> csr_matrix:
        """Return documents as counts over ``words``."""
        from scipy.sparse import csr_matrix

        if _is_sparse(documents):
            if documents.shape[1] != len(self.words):
                raise InputError(
                    f"The counts have {documents.shape[1]:,} columns; the model knows"
                    f" {len(self.words):,} words."
                )
            return documents
        counts, words = _count_words(documents, None)
        columns = np.array([self.ids.get(word, -1) for word in words], np.int64)
        entries = counts.tocoo()
        known = columns[entries.col] >= 0
        places = (entries.row[known], columns[entries.col[known]])
        found = csr_matrix((entries.data[known], places), (counts.shape[0], len(self.words)))
        found.sort_indices()
        return found

    def perplexity(self, counts: csr_matrix) -> float:
        """Return how surprised the model is by half of each document, having seen the other half.

        exp(−mean ln Σ_t θ_t β_tw) over the words of the second halves: document completion
        (Wallach et al. 2009). Lower is better; a model that knows nothing has len(words).
        """
        from scipy.sparse import csr_matrix

        rng = np.random.default_rng(0)
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

    def describe(self, k: int = 10) -> Table[TopicSummary]:
        """Return all topics with their ``k`` top words, the largest topic first."""
        totals = self.weights.sum(axis=1, dtype=np.float64)
        shares = totals / totals.sum()
        rows = []
        for topic in np.argsort(-shares, kind="stable").tolist():
            words = " ".join(self.top_words(topic, k))
            rows.append(
                TopicSummary(topic, float(shares[topic]), float(self.coherences[topic]), words)
            )
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


def _count_words(
    documents: Documents, words: Sequence[str] | None
) -> tuple[csr_matrix, Sequence[str]]:
    """Return counts (documents × words) and the word of each column."""
    if _is_sparse(documents):
        if words is None or len(words) != documents.shape[1]:
            raise InputError("Counts need the word of each of their columns.", "Pass words=[...].")
        return documents, words
    if words is not None:
        raise InputError(
            "words can be given only with a matrix of counts."
            f" Got {shorten(repr(words), 60)} with texts.",
            f"Name the number of topics: topics={words if isinstance(words, int) else 50}.",
        )
    if isinstance(documents, str):
        raise InputError(
            "A topic model needs many documents. Got one string.", "Pass a list of texts."
        )
    check(isinstance(documents, Iterable), "documents", "a list of texts or a corpus", documents)
    corpus = documents if isinstance(documents, Corpus) else Corpus.of(list(documents))
    bags = BagMatrix.of(corpus)
    return bags.counts, bags.types


def _is_sparse(documents: Documents) -> TypeGuard[csr_matrix]:
    from scipy.sparse import issparse

    return bool(issparse(documents))


def _fit_weights(
    counts: csr_matrix, about: dict[str, Any], progress: Progress
) -> NDArray[np.float32]:
    from sklearn.decomposition import LatentDirichletAllocation
    from threadpoolctl import threadpool_limits

    height, passes, batch = counts.shape[0], about["passes"], about["batch"]
    model = LatentDirichletAllocation(
        about["topics"],
        doc_topic_prior=about["alpha"],
        topic_word_prior=about["eta"],
        learning_method="online",
        total_samples=height,
        random_state=about["seed"],
    )
    rng = np.random.default_rng(about["seed"])
    with threadpool_limits(1):  # sums in one order on every machine
        for done in range(passes):
            order = rng.permutation(height)
            for start in range(0, height, batch):
                model.partial_fit(counts[order[start : start + batch]])
                progress(done * height + min(start + batch, height), passes * height)
    weights: NDArray[np.float32] = model.components_.astype(np.float32)
    return weights


def npmi(counts: csr_matrix, tops: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each topic the mean, over pairs of its top words, of

        ln(P(a, b) / (P(a) P(b))) / −ln P(a, b)

    with P the share of documents that contain the words; −1 for pairs that never occur together, 1
    for pairs that always do (Bouma 2009; Lau, Newman and Baldwin 2014). ``tops[t]`` are columns of
    counts.
    """
    from scipy.sparse import csr_matrix

    words, places = np.unique(tops, return_inverse=True)
    present = csr_matrix(counts[:, words] > 0, dtype=np.float64)
    together = np.asarray((present.T @ present).todense()) / max(1, counts.shape[0])
    alone = np.diag(together)
    first, second = np.triu_indices(tops.shape[1], 1)
    means = np.zeros(len(tops))
    for topic, own in enumerate(places.reshape(tops.shape)):
        a, b = own[first], own[second]
        joint = together[a, b]
        defined = (joint > 0) & (joint < 1)
        scores = np.where(joint > 0, 1.0, -1.0)
        lift = np.log(joint[defined] / (alone[a[defined]] * alone[b[defined]]))
        scores[defined] = lift / -np.log(joint[defined])
        means[topic] = scores.mean() if len(scores) else 0.0
    return means
