"""One shape for every answer: records, what is said beside them, and notes."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """``extra`` are figures at the top level, beside ``results`` and ``notes``."""

    verb: str
    records: Sequence[Record]
    notes: Sequence[str] = ()
    extra: Record = field(default_factory=dict)

    def body(self) -> Record:
        """What ``--json`` prints and the server sends."""
        head = {"schema": f"lexfield.{self.verb}/1", **self.extra}
        return {**head, "results": list(self.records), "notes": list(self.notes)}

    def json(self, indent: int | None = None) -> str:
        """Valid JSON: a number that is not finite is null."""
        body = self.body()
        try:
            return json.dumps(body, ensure_ascii=False, indent=indent, allow_nan=False)
        except ValueError:
            return json.dumps(_finite(body), ensure_ascii=False, indent=indent)

    def csv(self) -> str:
        """The records under a header; what is nested is JSON."""
        out = io.StringIO()
        names = list(dict.fromkeys(name for record in self.records for name in record))
        writer = csv.DictWriter(out, names, lineterminator="\n")
        if self.records:
            writer.writeheader()
        for record in self.records:
            writer.writerow(
                {
                    key: json.dumps(value, ensure_ascii=False)
                    if isinstance(value, dict | list)
                    else value
                    for key, value in record.items()
                }
            )
        return out.getvalue()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
