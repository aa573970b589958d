"""``lexfield index``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lexfield.cli.options import cluster_option, engine_at, reading_options, vectors_option
from lexfield.cli.output import Bar, emit, output_options, say

if TYPE_CHECKING:
    from lexfield.cluster.sharded_index import ShardedIndex
    from lexfield.text.normalise import Normalisation


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option(
    "-o", "--output", "target", required=True, metavar="IDX", help="Folder for the index."
)
@click.option("--replace", is_flag=True, help="Replace an index that is there already.")
@click.option("--keep-case", is_flag=True, help="Do not turn words to lower case.")
@click.option(
    "--language", default="en", show_default=True, help="Whose stopwords are left out; or none."
)
@click.option(
    "--stem",
    default="none",
    show_default=True,
    metavar="LANGUAGE",
    help="Let bag queries find all forms of a word, by its Snowball stem: english, german, …",
)
@click.option(
    "--shards",
    type=click.IntRange(1, 10_000),
    help="Build so many parts, each small enough for one machine's memory; IDX may then be an"
    " address such as s3://bucket/my.idx. Run it again to go on with an interrupted one.",
)
@cluster_option
@vectors_option
@reading_options
@output_options
def index(
    paths: tuple[str, ...],
    target: str,
    replace: bool,
    keep_case: bool,
    stem: str,
    vectors: str,
    language: str,
    shards: int | None,
    cluster: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Build an index from files, folders (recursively) or tables; - reads standard input.

    \b
    lexfield index novel.txt letters/ -o my.idx
    lexfield index tickets.csv --text-field title --text-field text -o tickets.idx
    lexfield index texts/ --metadata authors.csv -o texts.idx
    lexfield index abstracts.jsonl --stem english -o abstracts.idx
    zcat log.gz | lexfield index - --format lines -o log.idx
    lexfield index library/ --shards 16 --cluster tcp://10.0.0.5:8786 -o /shared/library.idx
    """
    from lexfield.index.build import check_free
    from lexfield.search.index import Index
    from lexfield.store.place import is_address
    from lexfield.text.corpus import Corpus
    from lexfield.text.normalise import Normalisation

    normalisation = Normalisation(lower=not keep_case, stem=stem)
    how: dict[str, Any] = {"vectors": vectors, "language": language, "replace": replace}
    if shards is not None or is_address(target):
        built: Index = _sharded(paths, target, shards or 1, normalisation, cluster, how, reading)
    else:
        check_free(target, replace)
        with Bar("reading documents") as bar:
            corpus = Corpus.read(paths, normalisation=normalisation, progress=bar, **reading)
        say(f"read {corpus!r}")
        with Bar("embedding words") as bar:
            built = Index.build(corpus, target, progress=bar, **how)
    info = built.info()
    notes = info.pop("notes")
    emit("index", [info], output, notes=notes, table=lambda: [f"wrote {built!r}"])


def _sharded(
    paths: tuple[str, ...],
    target: str,
    shards: int,
    normalisation: Normalisation,
    cluster: str | None,
    how: dict[str, Any],
    reading: dict[str, Any],
) -> ShardedIndex:
    from lexfield.cluster.build_shards import build_sharded
    from lexfield.text.read import Reader

    reader = Reader(paths, **reading)
    with engine_at(cluster) as engine, Bar("building", engine) as bar:
        return build_sharded(
            reader,
            target,
            shards=shards,
            normalisation=normalisation,
            engine=engine,
            notes=reader.told,
            progress=bar,
            **how,
        )
