"""The sample that ships with lexfield: 64 original texts, paraphrases, and support tickets.

Written for this project and dedicated to the public domain (CC0). Eight voices each treat the same
eight topics; author, genre, reading level and topic are in ``metadata.csv``.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
TEXTS = FOLDER / "texts"
METADATA = FOLDER / "metadata.csv"
PARAPHRASES = FOLDER / "paraphrases.jsonl"
TICKETS = FOLDER / "tickets.csv"
