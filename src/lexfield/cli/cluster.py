"""``lexfield cluster``"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from lexfield.cli.output import emit, output_options
from lexfield.errors import InputError


@click.group()
def cluster() -> None:
    """See who works on a Dask cluster.

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
    help="Try whether every worker can write to this folder, and this machine can read it.",
)
@output_options
def status(address: str, folder: str | None, output: str | None) -> None:
    """The workers of a cluster: threads, memory, tasks, and their lexfield.

    \b
    lexfield cluster status tcp://10.0.0.5:8786
    lexfield cluster status tcp://10.0.0.5:8786 --folder /shared --json
    """
    from lexfield import __version__
    from lexfield.cluster.dask_engine import Cluster

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
    emit("cluster.status", workers, output, notes=notes)
    if folder and not all(worker["folder"] == "shared" for worker in workers):
        raise InputError(
            f"Not every worker shares {folder} with this machine.",
            "Mount one folder under the same path everywhere, or use object storage.",
        )
