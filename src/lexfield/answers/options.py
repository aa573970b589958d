"""Options of comparing texts, from the outside in."""

from __future__ import annotations

from contextlib import suppress
from typing import Any


def chosen_options(compared: dict[str, Any]) -> dict[str, Any]:
    """The options under the names that the library gives them: ``bits`` is a unit, and a dimension
    that reads as a number is one."""
    options = {name: value for name, value in compared.items() if name != "bits"}
    options["unit"] = "bits" if compared["bits"] else "nats"
    with suppress(ValueError):
        options["dimension"] = float(options["dimension"])
    return options
