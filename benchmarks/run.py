"""Run benchmarks: ``python benchmarks/run.py [NAME…] [--data FOLDER]``; results go to results/.

Each is a module here with ``run(data) -> dict``; ratios against a named peer come first in it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from harness import HERE, save

ALL = (
    "segmentation",
    "cutting",
    "reading",
    "languages",
    "neighbours",
    "threshold",
    "default_vectors",
    "startup",
    "search",
    "queries",
    "bags",
    "serve",
    "page",
    "divergence",
    "delta",
    "style",
    "reuse",
    "bias",
    "zipf",
    "exponent",
    "simplex",
    "simplex_approximate",
    "metric",
    "cluster",
    "leaderboard",
    "beside_encoder",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=ALL)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    options = parser.parse_args()
    for name in options.names:
        print(f"== {name}", file=sys.stderr)
        try:
            result = importlib.import_module(name).run(options.data)
        except FileNotFoundError as error:
            print(f"skipped: {error.filename} is not here", file=sys.stderr)
            continue
        save(name, result)
        print(json.dumps(result, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
