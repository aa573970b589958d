"""Where a run on a cluster keeps its finished parts if the user names no folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import xxhash

from lexfield.cluster.dask_engine import Cluster
from lexfield.errors import ClusterError


def choose_run_folder(cluster: Cluster, key: str, parents: Sequence[Path] = ()) -> Path:
    """Return a folder that this machine and all workers see, the same for the same ``key``.

    ``key`` says what is computed, such as the arguments of the command, so that the same run goes
    on where it was stopped. The folder is in the first of ``parents`` that is shared: by default
    the current folder, the home folder or that for temporary files. Raise ClusterError if none is.
    """
    name = f"lexfield-run-{xxhash.xxh3_64_hexdigest(key.encode())}"
    for parent in parents or (Path.cwd(), Path.home(), Path(tempfile.gettempdir())):
        if os.access(parent, os.W_OK):
            seen = cluster.try_folder(parent)
            if seen and all(state == "shared" for state in seen.values()):
                return parent / name
    raise ClusterError(
        "The workers of the cluster do not see the folders of this machine.",
        "Name a folder that all of them see with --resume FOLDER.",
    )
