"""Draw the figures of docs/pictures that are not the page: ``python scripts/make_figures.py``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from lexfield.plots.figure import COLOURS, figure, save
from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
QUERY = "a storm in the harbour"
METHODS = ("bm25", "ideas")
HITS = 8


def main() -> None:
    with TemporaryDirectory() as folder:
        index = Index.build(Corpus.read(TEXTS, metadata=METADATA), Path(folder) / "sample.idx")
        fused = index.search(QUERY, f"fuse({', '.join(METHODS)}, how=sum)", HITS, unit="document")
        parts = [
            {reason.query: reason.contribution for reason in hit.explanation.reasons}
            for hit in fused
        ]
        with figure(7.5, 3.6) as drawing:
            axes = drawing.subplots()
            left = [0.0] * len(parts)
            for method, colour in zip(METHODS, COLOURS, strict=False):
                given = [part.get(method, 0.0) for part in parts]
                axes.barh(range(len(parts)), given, left=left, color=colour, label=method)
                left = [a + b for a, b in zip(left, given, strict=True)]
            axes.set_yticks(range(len(parts)), [hit.id for hit in fused], fontsize=8)
            axes.invert_yaxis()
            axes.set_xlabel("score, and what each list gave to it")
            axes.set_title(f"“{QUERY}”: two rankings fused by their sum of ranks")
            axes.legend()
            save(drawing, PICTURES / "fusion.png")


if __name__ == "__main__":
    main()
