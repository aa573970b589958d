"""Show the workers of a Dask cluster.

dask scheduler                                  on one machine
dask worker tcp://10.0.0.5:8786 --nthreads 4    on each worker machine
lexfield cluster status tcp://10.0.0.5:8786

Commands with --cluster ADDRESS, or with LEXFIELD_CLUSTER set, run there. All machines must
see the same folders at the same paths and have the same version of lexfield.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from lexfield import __version__
from lexfield.cli.output import CommandResult
from lexfield.cluster.dask_engine import DaskEngine
from lexfield.errors import InputError
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.options import Target


@verb(command="cluster status", served="no")
def show_status(
    address: Annotated[str, Flags(variable="LEXFIELD_CLUSTER")],
    *,
    folder: Annotated[
        Target | None,
        Help("Check that every worker can write to this folder and this machine can read it."),
    ] = None,
) -> CommandResult:
    """List the workers of a cluster: threads, memory, tasks, and their version of lexfield.

    lexfield cluster status tcp://10.0.0.5:8786
    lexfield cluster status tcp://10.0.0.5:8786 --folder /shared --json
    """
    if folder and not Path(folder).is_dir():
        raise InputError(f"There is no folder {str(folder)!r}.")
    with DaskEngine(address) as opened:
        workers = [asdict(worker) for worker in opened.status()]
        if folder:
            seen = opened.try_folder(Path(os.path.realpath(folder)))
            workers = [{**worker, "folder": seen[worker["address"]]} for worker in workers]
    result = CommandResult(workers)
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
