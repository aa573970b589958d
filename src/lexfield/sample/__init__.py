"""The sample that ships with lexfield: 64 original texts, paraphrases, and support tickets.

Written for this project and dedicated to the public domain (CC0). Eight voices each treat the same
eight topics; author, genre, reading level and topic are in ``metadata.csv``.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

FOLDER = Path(__file__).parent
TEXTS = FOLDER / "texts"
METADATA = FOLDER / "metadata.csv"
PARAPHRASES = FOLDER / "paraphrases.jsonl"
TICKETS = FOLDER / "tickets.csv"


def pack_sample() -> bytes:
    """Return the texts with their metadata as lines of JSON."""
    with METADATA.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = ({**row, "text": (TEXTS / f"{row['id']}.txt").read_text("utf-8")} for row in rows)
    return "".join(json.dumps(text) + "\n" for text in texts).encode()
