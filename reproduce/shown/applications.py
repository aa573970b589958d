"""What is beyond the papers."""

from __future__ import annotations

from page import Block, Grid

from shown.common import Result, difference, picture


def authors(result: Result) -> list[Block]:
    rows = [
        [name, f"{r['documents']:,}", f"{r['accuracy']:.1%}", f"{r['said']:.1%}",
         f"{r['error']:.1%}", f"{r['log_loss']:.2f}"]
        for name, r in (
            ("C50, training texts, each from the others", result["c50"]["known"]),
            ("C50, test texts", result["c50"]["test"]),
            *((f"C50, test texts of {r['authors']} authors, {r['texts']} known texts of each", r)
              for r in result["c50"]["few"]),
            (f"books, {result['books']['words']:,} words each", result["books"]["left_out"]),
        )
    ]  # fmt: skip
    return [
        *picture("figures/attribution-c50.png", "Probability said and share right, C50"),
        *picture("figures/attribution-books.png", "Probability said and share right, books"),
        "Texts attributed by `lexfield attribute`: the share that is right, the mean probability"
        " that was said, how far the two are apart over ten bins, and the logarithmic loss.",
        Grid(["", "texts", "right", "said", "calibration error", "log loss"], rows),
        difference(result["difference"]),
    ]
