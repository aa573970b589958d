"""Cosines in which what varies within texts counts less than what differs between them.

Within-class covariance normalisation (Hatch et al. 2006, for speakers), with the texts as classes:
no labels are used. Z are the pieces of known texts, each without the mean of its text. Texts x and
y, without the mean of all pieces, have the product

    xᵀ (ZᵀZ + λI)⁻¹ y  =  (xᵀy − xᵀZᵀ N Z y) / λ,    N = (ZZᵀ + λI)⁻¹,

which needs no more than inner products; the factor 1/λ cancels in the cosine. A text is not judged
by its own pieces B, for a new text has none among the known ones: the inverse without them,
N − N_·B N_BB⁻¹ N_B·, needs no second inversion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lexfield.compare.layout import Layout

Matrix = NDArray[np.float64]
_PENALTY = 0.1  # λ, in mean squared lengths; chosen on speeches, news and newsgroups


def whiten(products: Matrix, layout: Layout) -> tuple[Matrix, Matrix]:
    """Return the cosines of texts to score with known texts, and of known texts with each other.

    ``products`` are inner products of all rows, of length one, with pieces and known texts.
    """
    gram = products[layout.pieces, layout.pieces]
    means = products[:, layout.pieces].mean(axis=1)
    rows = (layout.asked, layout.texts)
    near, among = (
        products[one][:, layout.texts] - means[one, None] - means[layout.texts] + gram.mean()
        for one in rows
    )
    asked, known = (1 - 2 * means[one] + gram.mean() for one in rows)
    squares = np.outer(asked, known)
    if len(layout.owners) > len(layout.texts):  # otherwise nothing varies within texts
        inverse = _invert(gram, layout)
        inside, other = (
            _centre(products[one][:, layout.pieces] - gram.mean(axis=0), layout) for one in rows
        )
        left, right = inside @ inverse, other @ inverse
        near, among = near - left @ other.T, among - right @ other.T
        asked, known = asked - (left * inside).sum(axis=1), known - (right * other).sum(axis=1)
        for texts, mine in layout.groups.items():
            block = np.flatnonzero(np.isin(layout.owners, texts))
            own = np.linalg.inv(inverse[np.ix_(block, block)])
            a, b = left[np.ix_(mine, block)], right[:, block]
            near[mine] += a @ own @ b.T
            longer = [
                one + ((part @ own) * part).sum(axis=1)
                for one, part in ((asked[mine], a), (known, b))
            ]
            squares[mine] = np.outer(*longer)
    return _divide(near, squares), _divide(among, np.outer(known, known))


def _divide(products: Matrix, squares: Matrix) -> Matrix:
    return np.asarray(products / np.sqrt(np.maximum(squares, 1e-12)))


def _centre(rows: Matrix, layout: Layout) -> Matrix:
    """Return products with pieces as products with Z: less the mean over each text."""
    from scipy.sparse import csr_matrix

    sizes = np.bincount(layout.owners)
    entries = np.ones(len(layout.owners)), (np.arange(len(layout.owners)), layout.owners)
    sums = rows @ csr_matrix(entries, shape=(len(layout.owners), len(sizes)))
    return np.asarray(rows - (sums / sizes)[:, layout.owners])


def _invert(gram: Matrix, layout: Layout) -> Matrix:
    """Return N."""
    within = _centre(_centre(gram, layout).T, layout)
    spread = float(np.trace(gram)) / len(gram) - float(gram.mean())
    within[np.diag_indices(len(gram))] += _PENALTY * max(spread, 1e-9)
    return np.asarray(np.linalg.inv(within), np.float64)
