"""``lexfield cluster``"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from lexfield import __version__
from lexfield.cli.output import add_formats, print_rows
from lexfield.engine.cluster import Cluster
from lexfield.errors import InputError


@click.group()
def cluster() -> None:
    """Show the workers of a Dask cluster.

    \b
    dask scheduler                                  on one machine
    dask worker tcp://10.0.0.5:8786 --nthreads 4    on each machine that works
    lexfield cluster status tcp://10.0.0.5:8786

    Commands with --cluster ADDRESS, or with LEXFIELD_CLUSTER set, run there. The machines must see
    the same folders under the same paths, and have the same lexfield.
    """


@cluster.command()
@click.argument("address", envvar="LEXFIELD_CLUSTER")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False),
    help="Check that every worker can write to this folder and this machine can read it.",
)
@add_formats
def status(address: str, folder: str | None, format: str | None) -> None:
    """List the workers of a cluster: threads, memory, tasks, and their version of lexfield.

    \b
    lexfield cluster status tcp://10.0.0.5:8786
    lexfield cluster status tcp://10.0.0.5:8786 --folder /shared --json
    """
    with Cluster(address) as opened:
        workers = [asdict(worker) for worker in opened.status()]
        if folder:
            seen = opened.try_folder(Path(os.path.realpath(folder)))
            workers = [{**worker, "folder": seen[worker["address"]]} for worker in workers]
    notes = [
        f"{worker['address']} has lexfield {worker['lexfield']}, this machine {__version__}"
        for worker in workers
        if worker["lexfield"] != __version__
    ]
    print_rows("cluster status", workers, format, notes=notes)
    if folder and not all(worker["folder"] == "shared" for worker in workers):
        raise InputError(
            f"Not every worker shares {folder} with this machine.",
            "Mount one folder under the same path everywhere, or use object storage.",
        )
