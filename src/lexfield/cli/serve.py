"""``lexfield serve``"""

from __future__ import annotations

import click

from lexfield.cli.options import FiniteRange, listening_options
from lexfield.cli.output import echo
from lexfield.cluster.sharded_index import open_index
from lexfield.serve.app import make_app
from lexfield.serve.guard import Limits
from lexfield.serve.run import run


@click.command()
@click.argument("indexes", nargs=-1, metavar="[IDX]...")
@listening_options
@click.option(
    "--models",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Models of `lexfield vectors train`, for error bars.",
)
@click.option("--folder", type=click.Path(file_okay=False), help="Where uploads become indexes.")
@click.option(
    "--max-body",
    default=10.0,
    show_default=True,
    type=FiniteRange(0.001, 100_000),
    help="Megabytes per request.",
)
@click.option(
    "--memory",
    default=4.0,
    show_default=True,
    type=FiniteRange(0.5, 100_000),
    help="Gigabytes per process and job.",
)
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=FiniteRange(0.1, 86_400),
    help="Seconds per request.",
)
@click.option(
    "--concurrent",
    default=64,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Requests at a time.",
)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; by default one per core.")
def serve(
    indexes: tuple[str, ...],
    port: int,
    host: str,
    token: str | None,
    no_browser: bool,
    models: tuple[str, ...],
    folder: str | None,
    max_body: float,
    memory: float,
    timeout: float,
    concurrent: int,
    workers: int | None,
) -> None:
    """Open a page to search, compare and measure; the same answers over HTTP at /v1.

    Everything stays on this machine. Indexes can also be built on the page; they are kept for the
    next time. The address that is printed holds a token, and requests without it are refused.

    \b
    lexfield serve my.idx
    lexfield serve books.idx letters.idx --port 8000 --no-browser
    lexfield serve my.idx --host 0.0.0.0
    lexfield serve my.idx --no-token --no-browser
    curl 'http://127.0.0.1:8000/v1/search?q=a+storm+at+sea&k=3'
    """
    for path in indexes:
        open_index(path)  # what is wrong with an index is told before anything listens
    limits = Limits(int(max_body * 1e6), timeout, concurrent, int(memory * 1e9))
    app = make_app(
        indexes, models=models, folder=folder, limits=limits, host=host, token=token,
        workers=workers,
    )  # fmt: skip
    run(app, host=host, port=port, browser=not no_browser, token=token, say=echo)
