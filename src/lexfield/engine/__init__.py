"""Where work runs: on threads (NumPy), on processes (Python), or on a cluster."""

from lexfield.engine.processes import Engine, Local, map_tasks
from lexfield.engine.threads import cores, map_blocks, single_thread

__all__ = ["Engine", "Local", "cores", "map_blocks", "map_tasks", "single_thread"]
