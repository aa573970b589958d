"""``lexfield cluster``, ``demo`` and ``reproduce``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from lexfield import __version__
from lexfield.bags.matrix import BagMatrix
from lexfield.cli.build import build_group, declare_command
from lexfield.cli.output import Rows, echo, paint
from lexfield.cluster.dask_engine import Cluster
from lexfield.errors import InputError
from lexfield.results import format_rows
from lexfield.sample import METADATA, TEXTS
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
from lexfield.vectors.wordvectors import WordVectors
from lexfield.verbs.declare import Flags, Help
from lexfield.verbs.info import info
from lexfield.verbs.options import Target
from lexfield.verbs.search import format_hit


def show_status(
    address: Annotated[str, Flags(variable="LEXFIELD_CLUSTER")],
    *,
    folder: Annotated[
        Target | None,
        Help("Check that every worker can write to this folder and this machine can read it."),
    ] = None,
) -> Rows:
    """List the workers of a cluster: threads, memory, tasks, and their version of lexfield.

    lexfield cluster status tcp://10.0.0.5:8786
    lexfield cluster status tcp://10.0.0.5:8786 --folder /shared --json
    """
    if folder and not Path(folder).is_dir():
        raise InputError(f"There is no folder {str(folder)!r}.")
    with Cluster(address) as opened:
        workers = [asdict(worker) for worker in opened.status()]
        if folder:
            seen = opened.try_folder(Path(os.path.realpath(folder)))
            workers = [{**worker, "folder": seen[worker["address"]]} for worker in workers]
    result = Rows(workers)
    result.notes = [
        f"{worker['address']} has lexfield {worker['lexfield']}, this machine {__version__}"
        for worker in workers
        if worker["lexfield"] != __version__
    ]
    if folder and not all(worker["folder"] == "shared" for worker in workers):
        result.error = InputError(
            f"Not every worker shares {folder} with this machine.",
            "Mount one folder under the same path everywhere, or use object storage.",
        )
    return result


def show_demo(
    *, output: Annotated[Target, Flags(("-o",)), Help("Where to write.")] = "lexfield-demo"
) -> None:
    """See lexfield work on the texts that come with it: 64 texts by eight voices.

    lexfield demo
    lexfield demo --output somewhere
    """
    target = Path(output) / "sample.idx"
    _step("An index of the embedded sample", f"lexfield index TEXTS --metadata CSV -o {target}")
    corpus = Corpus.read(TEXTS, metadata=METADATA)
    index = Index.build(corpus, target, replace=True)
    echo("\n".join(info(index).lines()))

    query = "The fishing boat came home before the storm."
    command = f'lexfield search {target} "{query}" --explain'
    _step("Similar sentences, each different, with reasons", command)
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


def rerun_papers(
    tables: Annotated[Sequence[str], Flags(metavar="[TABLE]…")] = (),
    *,
    data: Annotated[Target | None, Help("Folder of the corpora.")] = None,
    listing: Annotated[
        bool, Flags(("--list",)), Help("List the tables and whether each is up to date.")
    ] = False,
    report: Annotated[bool, Help("Run nothing, only write the report.")] = False,
    force: Annotated[bool, Help("Rerun tables that are up to date, too.")] = False,
) -> None:
    """Rerun the tables and figures of the papers, ours beside the published ones.

    Works in a copy of lexfield's sources, which has the folder reproduce. Results are kept until
    code, data or arguments change. Writes docs/results.md and reproduce/report.html.

        lexfield reproduce --list
        lexfield reproduce hare-table-3 lecture
        lexfield reproduce krstovski --data ../shared/data
        lexfield reproduce --report
    """
    if data and not Path(data).is_dir():
        raise InputError(f"There is no folder {str(data)!r}.", "Name the folder with the data.")
    command = [sys.executable, str(_find_reproduce() / "run.py"), *tables]
    command += ["--data", os.path.realpath(data)] if data else []
    flags = (("--list", listing), ("--report", report), ("--force", force))
    command += [flag for flag, given in flags if given]
    raise SystemExit(2 if subprocess.run(command, check=False).returncode else 0)


def _find_reproduce() -> Path:
    """Return the folder ``reproduce`` of the sources around the working folder or this file."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).parents[3]):
        if (folder / "reproduce" / "run.py").is_file():
            return folder / "reproduce"
    raise InputError(
        "There is no folder 'reproduce' here.",
        "It comes with lexfield's sources, not with the package: run this inside a copy of them.",
    )


cluster = build_group(
    "cluster",
    """Show the workers of a Dask cluster.

    dask scheduler                                  on one machine
    dask worker tcp://10.0.0.5:8786 --nthreads 4    on each worker machine
    lexfield cluster status tcp://10.0.0.5:8786

    Commands with --cluster ADDRESS, or with LEXFIELD_CLUSTER set, run there. All machines must
    see the same folders at the same paths and have the same version of lexfield.
    """,
    {"status": show_status},
)
demo = declare_command("demo", show_demo)
reproduce = declare_command("reproduce", rerun_papers)
