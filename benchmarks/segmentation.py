"""Sentence splitting on Brown: F1 of sentence ends and characters a second, beside other splitters.

Brown's tokens are joined to running text. The rules were written looking at every second file; the
figures reported are of the others ("held out") and of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import jsonl, rounded, seconds

from lexfield.text.segment import sentence_spans

Splitter = Callable[[str], list[int]]


def run(data: Path) -> dict[str, Any]:
    texts = _texts(data / "brown" / "sentences.jsonl.gz")
    names = sorted(texts)
    held_out = {name: texts[name] for name in names[1::2]}
    result: dict[str, Any] = {"held_out_files": len(held_out), "splitters": {}}
    characters = sum(len(text) for text, _ in held_out.values())
    for name, splitter in _splitters().items():
        precision, recall, f1 = _scores(splitter, held_out)
        time = seconds(lambda s=splitter: [s(text) for text, _ in held_out.values()], 1)  # type: ignore[misc]
        result["splitters"][name] = {
            "f1_held_out": round(f1, 4),
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1_all": round(_scores(splitter, texts)[2], 4),
            "megacharacters_per_second": rounded(characters / time / 1e6),
        }
    return result


def _texts(path: Path) -> dict[str, tuple[str, set[int]]]:
    sentences: dict[str, list[str]] = {}
    for record in jsonl(path):
        sentences.setdefault(record["doc"], []).append(_joined(record["tokens"]))
    texts = {}
    for name, parts in sentences.items():
        ends, position = set(), -1
        for part in parts:
            position += len(part) + 1
            ends.add(position)
        texts[name] = (" ".join(parts), ends)
    return texts


def _joined(tokens: list[str]) -> str:
    """Running text from Brown's tokens, which double some marks."""
    text = " ".join(tokens)
    for mark in "?!;:":
        text = text.replace(f"{mark} {mark}", mark)
    text = re.sub(r"`` ?", '"', text)
    text = re.sub(r" ?''", '"', text)
    text = re.sub(r" ([.,!?;:)\]}])", r"\1", text)
    text = re.sub(r"([(\[{]) ", r"\1", text)
    return (text.replace("..", ".") if text.endswith("..") else text).strip()


def _scores(
    splitter: Splitter, texts: dict[str, tuple[str, set[int]]]
) -> tuple[float, float, float]:
    right = found = wanted = 0
    for text, ends in texts.values():
        given = set(splitter(text))
        right, found, wanted = right + len(given & ends), found + len(given), wanted + len(ends)
    precision, recall = right / found, right / wanted
    return precision, recall, 2 * precision * recall / (precision + recall)


def _splitters() -> dict[str, Splitter]:
    import blingfire
    import nupunkt
    import pysbd
    from sentence_splitter import SentenceSplitter
    from syntok import segmenter

    pragmatic = pysbd.Segmenter(language="en", clean=False)
    europarl = SentenceSplitter(language="en")

    def by_text(sentences: list[str], text: str) -> list[int]:
        """Ends of sentences that are given as strings."""
        ends, position = [], 0
        for sentence in sentences:
            position = text.find(sentence.strip(), position) + len(sentence.strip())
            ends.append(position)
        return ends

    def syntok(text: str) -> list[int]:
        paragraphs = segmenter.analyze(text)
        return [s[-1].offset + len(s[-1].value) for paragraph in paragraphs for s in paragraph]

    return {
        "lexfield": lambda text: [end for _, end in sentence_spans(text)],
        "blingfire": lambda text: [
            end for _, end in blingfire.text_to_sentences_and_offsets(text)[1]
        ],
        "syntok": syntok,
        "nupunkt": lambda text: [
            start + len(text[start:end].rstrip()) for start, end in nupunkt.sent_spans(text)
        ],
        "sentence-splitter": lambda text: by_text(europarl.split(text), text),
        "pysbd": lambda text: by_text(pragmatic.segment(text), text),
        "plain regex": lambda text: [
            m.end() for m in re.finditer(r"[.!?]+[\"')\]]*(?=\s+[\"'(\[]*[A-Z0-9]|\Z)", text)
        ],
    }
