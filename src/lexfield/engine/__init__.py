"""Where work runs: threads for work that NumPy does, processes for work that Python does."""

from lexfield.engine.processes import map_tasks
from lexfield.engine.threads import cores, map_blocks, single_thread

__all__ = ["cores", "map_blocks", "map_tasks", "single_thread"]
