"""Make the tables of English opposites and irregular forms that ``text/differences.py`` reads.

Opposites are WordNet's antonyms (``!`` between two words), and a few pairs of words that WordNet
leaves out because it holds no pronouns or prepositions. Irregular forms are WordNet's exceptions
(rose: rise, men: man) whose Snowball stem is not that of their base. Of both only single words are
kept that are among the most frequent of the default vectors.

Package (WordNet 3.0, WordNet licence: src/lexfield/vectors/data/LICENSES.md), without installing:

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb base

Command:

    python scripts/make_opposites.py --wordnet base/usr/share/wordnet --out src/lexfield/text/data
"""

import argparse
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from lexfield.text.normalise import stem_words

PARTS = ("noun", "verb", "adj", "adv")
LETTERS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
WORD = re.compile("[a-z]{2,}")
FREQUENT = 100_000  # words of the default vectors
MORE = """he she;him her;his her;himself herself;before after;above below;over under;on off;in out;
into out;up down;with without;more less;more fewer;most least;many few;much little;all none;
always never;everyone nobody;everything nothing;inside outside;both neither;
can cannot;add remove;allow deny;allow forbid;accept reject;accept refuse;arrive leave;rise drop;
rise decline;climb fall;climb drop;gain drop;gain fall;gain decline;surge plunge;higher lower;
grow shrink;jump fall;jump drop;soar plunge;increase drop;increase fall;decrease rise;decrease grow;
success failure;succeed fail;release arrest;acquit convict;guilty innocent;for against"""


def read_synsets(folder: Path, part: str) -> dict[str, tuple[list[str], list[list[str]]]]:
    """Return by place in the file the words of a synset and its antonym pointers."""
    synsets = {}
    for line in (folder / f"data.{part}").read_text("ascii").splitlines():
        if line.startswith(" "):  # the licence
            continue
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        words = [re.sub(r"\(.*\)", "", word).lower() for word in fields[4 : 4 + 2 * count : 2]]
        first = 5 + 2 * count
        pointers = [
            fields[at : at + 4] for at in range(first, first + 4 * int(fields[first - 1]), 4)
        ]
        synsets[fields[0]] = words, [one for one in pointers if one[0] == "!"]
    return synsets


def find_opposites(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every pair of antonyms in both orders."""
    synsets = {part: read_synsets(folder, part) for part in PARTS}
    for part in PARTS:
        for words, pointers in synsets[part].values():
            for _, place, letter, numbers in pointers:
                others = synsets[LETTERS[letter]][place][0]
                own, other = int(numbers[:2], 16), int(numbers[2:], 16)
                yield words[own - 1], others[other - 1]
    for pair in MORE.split(";"):
        first, second = pair.split()
        yield first, second
        yield second, first


def find_irregular(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield forms with their bases; of several bases, the one of the verb, then of the noun."""
    seen = set()
    for part in ("verb", "noun", "adj", "adv"):
        for line in (folder / f"{part}.exc").read_text("ascii").splitlines():
            form, base = line.split()[:2]
            if form not in seen and len(set(stem_words([form, base], "english"))) == 2:
                seen.add(form)
                yield form, base


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    words = resources.files("lexfield.vectors").joinpath("data/default-words.txt")
    order = {w: i for i, w in enumerate(words.read_text("utf-8").split()[:FREQUENT])}

    def is_kept(*some: str) -> bool:
        return all(WORD.fullmatch(word) and word in order for word in some)

    opposites: dict[str, list[str]] = {}
    for one, other in find_opposites(given.wordnet):
        if is_kept(one, other) and one < other:
            opposites.setdefault(one, []).append(other)
    lines = [f"{one} {' '.join(sorted(set(more)))}" for one, more in sorted(opposites.items())]
    irregular = sorted(pair for pair in find_irregular(given.wordnet) if is_kept(*pair))
    given.out.mkdir(exist_ok=True)
    for name, table in (("opposites", lines), ("irregular", [" ".join(one) for one in irregular])):
        path = given.out / f"{name}.txt"
        path.write_text("\n".join(table) + "\n", "ascii")
        print(f"{path}: {len(table):,} lines, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
