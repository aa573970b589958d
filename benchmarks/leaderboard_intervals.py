"""How sure the leaderboard is: paired bootstrap of the queries, against MiniLM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from leaderboard_peers import MINILM
from leaderboard_tasks import SEED, Task, Values

DRAWS = 2000


def add_intervals(methods: dict[str, Any], new: str, tasks: list[Task], path: Path) -> None:
    """Move the values of each query from a new result to ``path``; add the intervals they allow.

    After MiniLM those of all methods are made anew, as they are all against it.
    """
    kept: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    found = methods[new]["tasks"]
    kept[new] = {name: found[name].pop("values", None) for name in found}
    kept = {name: kept[name] for name in methods if name in kept}
    lines = (f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in kept)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    for name in kept if new == MINILM else [new]:
        for task in tasks:
            one, base = (kept.get(who, {}).get(task.name) for who in (name, MINILM))
            methods[name]["tasks"][task.name].pop("against", None)
            if name != MINILM and one and base:
                interval = compare(task, np.array(one), np.array(base))
                methods[name]["tasks"][task.name]["against"] = interval


def compare(task: Task, one: Values, base: Values) -> list[float]:
    """The difference of two methods' quality, and where 95% of the draws of queries put it."""
    rng = np.random.default_rng(SEED)
    draws = (rng.integers(len(one), size=len(one)) for _ in range(DRAWS))
    differences = [task.figure(one, draw) - task.figure(base, draw) for draw in draws]
    low, high = np.quantile(differences, [0.025, 0.975])
    return [round(float(v), 4) for v in (task.score(one) - task.score(base), low, high)]
