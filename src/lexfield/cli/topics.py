"""``lexfield topics``"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import click

from lexfield.answers import bounds
from lexfield.cli.options import real, whole
from lexfield.cli.output import Bar, emit, output_options, tell


@click.group()
def topics() -> None:
    """Fit, show and infer the topics of an index.

    \b
    lexfield topics fit my.idx -t 50
    lexfield topics show my.idx
    lexfield topics infer my.idx "A new text."
    lexfield search my.idx "A new text." --method topic
    """


@topics.command("fit")
@click.argument("path", metavar="IDX")
@click.option(
    "-t",
    "--topics",
    "count",
    default=50,
    show_default=True,
    type=whole(bounds.TOPICS),
    help="How many topics.",
)
@click.option(
    "--passes",
    default=20,
    show_default=True,
    type=whole(bounds.PASSES),
    help="Passes over all documents.",
)
@click.option("--alpha", type=real(bounds.PRIOR), help="Prior of mixtures; 1/topics if not given.")
@click.option("--eta", type=real(bounds.PRIOR), help="Prior of topics; 1/topics if not given.")
@click.option(
    "--seed", default=0, show_default=True, type=whole(bounds.SEED), help="Same seed, same topics."
)
@click.option(
    "--min-count",
    default=5,
    show_default=True,
    type=whole(bounds.WORDS),
    help="Least occurrences of a word.",
)
@click.option("--max-count", type=whole(bounds.WORDS), help="Most occurrences of a word.")
@click.option(
    "--max-share",
    default=0.5,
    show_default=True,
    type=real(bounds.SHARE),
    help="Most of the documents.",
)
@click.option(
    "--min-length",
    default=4,
    show_default=True,
    type=whole(bounds.LETTERS),
    help="Least characters of a word.",
)
@click.option(
    "--mixtures",
    type=click.Path(exists=True, dir_okay=False),
    help="Do not fit: keep these, from another model (.npy, or .parquet with an id column).",
)
@output_options
def fit(
    path: str,
    count: int,
    passes: int,
    alpha: float | None,
    eta: float | None,
    seed: int,
    mixtures: str | None,
    output: str | None,
    **filters: Any,
) -> None:
    """Fit topics to the documents of an index (online LDA) and keep them with it.

    Stopwords, numbers, short, rare and very frequent words are left out.

    \b
    lexfield topics fit my.idx -t 50
    lexfield topics fit patents.idx -t 500 --alpha 0.1 --eta 0.1 --passes 5 --min-count 20
    lexfield topics fit my.idx --mixtures from-another-model.npy
    """
    from lexfield.cluster.sharded_index import open_index
    from lexfield.index.fit_topics import use_mixtures
    from lexfield.topics.filters import Filters
    from lexfield.topics.mixtures import read_mixtures

    index = open_index(path)
    if mixtures:
        kept = use_mixtures(index, *read_mixtures(mixtures))
        emit("topics.fit", [{"topics": kept.topics, "from": mixtures}], output, notes=kept.notes)
        return
    chosen = Filters(**filters)
    with Bar("fitting topics") as bar:
        model = index.fit_topics(
            count, filters=chosen, passes=passes, alpha=alpha, eta=eta, seed=seed, progress=bar
        )
    about = dict(model.about)
    notes = []
    if about["empty"]:
        notes.append(f"{about['empty']:,} documents hold no word that passed and have no mixture")
    line = (
        f"fitted {about['topics']:,} topics to {about['documents']:,} documents,"
        f" {about['words']:,} words; see: lexfield topics show {path}"
    )
    emit("topics.fit", [about], output, notes=notes, table=lambda: [line])


@topics.command("show")
@click.argument("path", metavar="IDX")
@click.option(
    "-k", default=10, show_default=True, type=whole(bounds.RESULTS), help="Words a topic."
)
@click.option("--perplexity", is_flag=True, help="Also how well the model foretells half a text.")
@output_options
def show(path: str, k: int, perplexity: bool, output: str | None) -> None:
    """Show the topics: share of all words, coherence (−1…1), likeliest words; largest first.

    \b
    lexfield topics show my.idx
    lexfield topics show my.idx -k 20 --perplexity --json
    """
    from lexfield.answers.topics import shown
    from lexfield.cluster.sharded_index import open_index

    tell(shown(open_index(path), k, perplexity), output)


@topics.command("infer")
@click.argument("path", metavar="IDX")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option("-k", default=5, show_default=True, type=whole(bounds.RESULTS), help="Topics shown.")
@click.option("-o", "--output", "target", metavar="FILE.npy", help="Write the mixtures here.")
@output_options
def infer(
    path: str, texts: tuple[str, ...], k: int, target: str | None, output: str | None
) -> None:
    """The topics of new texts; without a text those of the index's own documents.

    \b
    lexfield topics infer my.idx "The harbour froze that winter."
    lexfield topics infer my.idx -o mixtures.npy
    """
    import numpy as np

    from lexfield.answers.topics import inferred
    from lexfield.cluster.sharded_index import open_index
    from lexfield.index.fit_topics import infer_texts, mixtures_of_documents
    from lexfield.index.topics import Topics
    from lexfield.store.files import replace_file

    index = open_index(path)
    kept = Topics.open(index.path)
    if texts:
        names, (mixtures, known) = list(texts), infer_texts(index, kept, texts)
    else:
        names, (mixtures, known) = list(index.documents), mixtures_of_documents(index, kept)
    if target:
        data = io.BytesIO()
        np.save(data, mixtures, allow_pickle=False)
        replace_file(Path(target), data.getvalue())
    field = "text" if texts else "document"
    answer = inferred(kept, names, field, mixtures, known, k)

    def table() -> list[str]:
        if target:
            return [f"wrote {target}: {mixtures.shape[0]:,} × {mixtures.shape[1]:,}"]
        return [
            f"{record[field][:60]}\n"
            + "\n".join(f"  {entry['weight']:.3f}  {entry['name']}" for entry in record["topics"])
            for record in answer.records
        ]

    tell(answer, output, table)
