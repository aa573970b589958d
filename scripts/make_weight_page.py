"""Write docs/weight.md: every package of the base installation, its size and why it is needed.

    python scripts/make_weight_page.py

Sizes are what the files take on disk, compiled bytecode included, in units of 2^20 bytes as ``du``
counts them. A test checks that the page lists exactly the packages that lexfield brings, with their
sizes, and that the total stays below the limit.
"""

from __future__ import annotations

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "weight.md"
MOST_PACKAGES, MOST_MEGABYTES = 24, 540
WHY = {
    "charset-normalizer": "detects the encoding of texts that are not UTF-8",
    "click": "the command line",
    "cloudpickle": "comes with joblib; lexfield does not use it",
    "filelock": "one writer at a time per index",
    "ir-measures": "nDCG, MAP and the other measures of a run, and TREC files",
    "joblib": "comes with scikit-learn",
    "lexfield": "lexfield itself; most of it is the bundled word vectors",
    "llvmlite": "the compiler behind Numba",
    "msgspec": "checks the arguments of every verb, and writes JSON and its schema",
    "narwhals": "comes with scikit-learn; lexfield does not use it",
    "numba": "compiled loops: k-NN divergence, bag queries, set cover, k-means",
    "numpy": "arrays",
    "pathspec": "ignore files when a folder is read",
    "platformdirs": "finds the folder for the user's own vector sets",
    "pot": "exact word mover's distance",
    "pystemmer": "Snowball stems",
    "pytrec-eval-terrier": "comes with ir-measures: trec_eval's own code",
    "rapidfuzz": "edit distance",
    "safetensors": "vector files without pickle",
    "scikit-learn": "MDS, logistic regression, nearest neighbours",
    "scipy": "sparse matrices, statistics, optimisation",
    "stop-words": "stopwords of many languages",
    "threadpoolctl": "the same number of threads, hence the same bits, everywhere",
    "xxhash": "checksums of every stored block",
}


def list_packages() -> list[str]:
    """Return the packages that the base installation brings, lexfield first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found, waiting = ["lexfield"], list(project["dependencies"])
    while waiting:
        requirement = Requirement(waiting.pop(0))
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.append(name)
        waiting += distribution(name).requires or []
    return found


def measure_package(name: str) -> float:
    """Return how much disk the files of a package take, in megabytes."""
    if name == "lexfield":  # may be installed as a link to the source
        source = (ROOT / "src" / "lexfield").rglob("*")
        files = [path for path in source if path.parent.name != "__pycache__"]
    else:
        files = [Path(str(file.locate())) for file in distribution(name).files or []]
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file()) / 2**20


def make_page() -> str:
    sizes = {name: measure_package(name) for name in list_packages()}
    rows = "\n".join(
        f"| {name} | {size:.1f} | {WHY[name]} |"
        for name, size in sorted(sizes.items(), key=lambda item: -item[1])
    )
    return f"""# What the installation weighs

`pip install lexfield` installs {len(sizes)} packages, {sum(sizes.values()):.0f} MB in total, as
measured by `scripts/make_weight_page.py` on Linux with Python 3.11. Everything else is an extra:
`plots` (figures), `speech` and `taggers` (parts of speech), `serve` (the page and the API),
`cjk` (Chinese, Japanese and Thai), `cluster`, `train`, `pandas`, `polars`, `parquet`, `documents`
(PDF), `encoder`, `faiss`, `glove`, `sign` (signatures of indexes).
If a command needs an extra that is missing, it says in one line how to install it.

| package | MB | why it is needed |
|---|---:|---|
{rows}
"""


if __name__ == "__main__":
    PAGE.write_text(make_page(), "utf-8")
