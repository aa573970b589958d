"""``lexfield demo``"""

from __future__ import annotations

from pathlib import Path

import click

from lexfield.bags.matrix import BagMatrix
from lexfield.cli.output import echo, paint
from lexfield.results import format_rows
from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.info import info
from lexfield.verbs.search import format_hit


@click.command()
@click.option(
    "-o", "--output", "folder", default="lexfield-demo", show_default=True, help="Where to write."
)
def demo(folder: str) -> None:
    """See lexfield work on the texts that come with it: 64 texts by eight voices.

    \b
    lexfield demo
    lexfield demo --output somewhere
    """
    target = Path(folder) / "sample.idx"
    _step("An index of the embedded sample", f"lexfield index TEXTS --metadata CSV -o {target}")
    corpus = Corpus.read(TEXTS, metadata=METADATA)
    index = Index.build(corpus, target, replace=True)
    echo("\n".join(info(index).lines()))

    query = "The fishing boat came home before the storm."
    _step(
        "Similar sentences, each different, with reasons",
        f'lexfield search {target} "{query}" --explain',
    )
    for hit in index.search(query, k=3):
        echo("\n".join(format_hit(hit, True, False, paint)))

    _step("Words near a word", "lexfield near lighthouse -k 6")
    vectors = WordVectors.default()
    echo("\n".join(format_rows(vectors.nearest("lighthouse", 6).to_dicts())))

    _step("Most frequent pairs of words", "lexfield bag TEXTS --ngram 2 -k 5")
    bag = BagMatrix.of(corpus, 2).total()
    echo(f"{bag.types:,} types, {bag.tokens:,} tokens")
    echo("\n".join(format_rows(bag.to_dicts()[:5])))

    _step("Where everything is", "")
    echo(f"the index   {target.resolve()}\nthe texts   {TEXTS}")
    echo(f"look again  lexfield info {target}\ncheck it    lexfield verify {target}")
    echo(f'search it   lexfield search {target} "your sentence" --explain')


def _step(title: str, command: str) -> None:
    echo(f"\n{paint(title, 'green')}{f'  ({command})' if command else ''}")
