"""Where work runs: threads for work that NumPy does, processes for work that Python does, and a
cluster for work that is too much for one machine."""

from lexfield.engine.local import Engine, Local
from lexfield.engine.processes import map_tasks
from lexfield.engine.threads import cores, map_blocks, single_thread

__all__ = [
    "Engine",
    "Local",
    "cores",
    "map_blocks",
    "map_tasks",
    "single_thread",
]
