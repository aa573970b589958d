"""Other learners of a metric: metric-learn's RCA, ITML and MMC (Xing et al.), scikit-learn's NCA
and LDA. Each takes rows and clusters and gives a map of rows."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Map = Callable[[Array], Array]


def learners(seed: int = 0) -> dict[str, Callable[[Array, Array], Map]]:
    """By name; metric-learn's need its package (``pip install 'lexfield[bench]'``)."""
    return {
        "RCA": rca,
        "ITML": lambda rows, clusters: _supervised("ITML_Supervised", rows, clusters, seed),
        "MMC (Xing)": lambda rows, clusters: _supervised("MMC_Supervised", rows, clusters, seed),
        "NCA": lambda rows, clusters: _nca(rows, clusters, seed),
        "LDA": _lda,
    }


def rca(rows: Array, clusters: Array) -> Map:
    """Every cluster a chunklet, as in the metric of minimum distortion."""
    own = np.unique(clusters, return_inverse=True)[1]
    fitted = _metric_learn().RCA().fit(rows, own)
    return lambda points: np.asarray(fitted.transform(points))


def _supervised(name: str, rows: Array, clusters: Array, seed: int) -> Map:
    """Pairs drawn from the clusters by metric-learn itself."""
    fitted = getattr(_metric_learn(), name)(random_state=seed).fit(
        rows, np.unique(clusters, return_inverse=True)[1]
    )
    return lambda points: np.asarray(fitted.transform(points))


def _nca(rows: Array, clusters: Array, seed: int) -> Map:
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    fitted = NeighborhoodComponentsAnalysis(random_state=seed).fit(rows, clusters)
    return lambda points: np.asarray(fitted.transform(points))


def _lda(rows: Array, clusters: Array) -> Map:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    fitted = LinearDiscriminantAnalysis().fit(rows, clusters)
    return lambda points: np.asarray(fitted.transform(points))


def _metric_learn() -> Any:
    """metric-learn, with the name that scikit-learn gave one argument since."""
    import metric_learn
    from metric_learn import _util
    from sklearn.utils import validation

    def renamed(name: str) -> Callable[..., Any]:
        function = getattr(validation, name)

        def called(*arguments: Any, **options: Any) -> Any:
            if "force_all_finite" in options:
                options["ensure_all_finite"] = options.pop("force_all_finite")
            return function(*arguments, **options)

        return called

    for name in ("check_array", "check_X_y"):
        setattr(_util, name, renamed(name))
    return metric_learn


def attempt(work: Callable[[], Any], limit: int) -> tuple[Any, float, str]:
    """The result, seconds taken, and why there is none: an error, or ``limit`` seconds passed.

    Both are seconds of processor time, so that other work on the machine fails no peer.
    """

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not finished after {limit} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    start = time.process_time()
    try:
        result, problem = work(), ""
    except Exception as error:  # whatever a peer does wrong is its result
        result, problem = None, f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return result, time.process_time() - start, problem
