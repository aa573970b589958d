"""Where work runs: on threads (NumPy), on processes (Python), or on a cluster."""

from lexfield.engine.processes import map_tasks
from lexfield.engine.threads import cores, map_blocks, single_thread
from lexfield.engine.where import Engine, Local, open_engine

__all__ = [
    "Engine",
    "Local",
    "cores",
    "map_blocks",
    "map_tasks",
    "open_engine",
    "single_thread",
]
