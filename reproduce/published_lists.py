"""Hare et al., Table 4, from the lists of suggestions that the authors showed to students.

The printed figures for 100 queries should follow from these lists. They nearly do if punctuation
marks count as words, and do not if they are left out.

    python reproduce/published_lists.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lexfield.evaluate.variety import measure_redundancy, unique_share
from lexfield.text.stopwords import stopwords

HERE = Path(__file__).parent
METHODS = ("set_cover", "embedding_average", "word_movers_distance", "jaccard", "edit_distance")
PRINTED = {
    "list_jaccard": (0.0676, 0.1051, 0.1437, 0.1735, 0.1376),
    "list_jaccard_without_stopwords": (0.0057, 0.0704, 0.1541, 0.2648, 0.0272),
    "unique_share": (0.8960, 0.7200, 0.4220, 0.5640, 0.9320),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    path = parser.parse_args().data / "survey" / "database.json"
    asked = list(json.loads(path.read_text("utf-8")).values())
    lists = {name: [list(one[name].values()) for one in asked] for name in METHODS}
    unique = unique_share(lists)
    result = {
        "queries": len(asked),
        "rows": {
            name: {**measure_redundancy(texts, stopwords("en")), "unique_share": unique[name]}
            for name, texts in lists.items()
        },
        "printed": {
            measure: dict(zip(METHODS, row, strict=True)) for measure, row in PRINTED.items()
        },
    }
    out = HERE / "results" / "published_lists.json"
    out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
