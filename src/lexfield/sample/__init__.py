"""The sample that ships with lexfield: 64 original texts, paraphrases, and support tickets.

Written for this project and dedicated to the public domain (CC0). Eight voices each treat the same
eight topics; author, genre, reading level and topic are in ``metadata.csv``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
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


def list_files() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of every file that ``lexfield sample`` writes.

    Several people say each of 60 things in their own words: the first sentence is a query, the
    others are its right answers.
    """
    for path in sorted(TEXTS.glob("*.txt")):
        yield f"texts/{path.name}", path.read_bytes()
    for path in (METADATA, TICKETS):
        yield path.name, path.read_bytes()
    sentences, queries, judged = io.StringIO(), [], []
    writer = csv.writer(sentences, lineterminator="\n")
    writer.writerow(("id", "text"))
    for line in PARAPHRASES.read_text("utf-8").splitlines():
        cluster = json.loads(line)
        name, (query, *answers) = cluster["cluster"], cluster["sentences"]
        queries.append(f"{name}\t{query}\n")
        for number, answer in enumerate(answers, 1):
            writer.writerow((f"{name}-{number}", answer))
            judged.append(f"{name} 0 {name}-{number} 1\n")
    yield "sentences.csv", sentences.getvalue().encode()
    yield "queries.tsv", "".join(queries).encode()
    yield "judged.qrels", "".join(judged).encode()
