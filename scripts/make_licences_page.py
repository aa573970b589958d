"""Write docs/licences.md: every package that ``lexfield[all]`` installs, with its licence."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_HEAD = """# Licences of what lexfield stands on

Written by `scripts/make_licences_page.py` from the packages that are installed. lexfield itself is
MIT; its embedded vectors are described in `src/lexfield/vectors/data/LICENSES.md`. A package comes
with a plain `pip install lexfield` unless an extra is named.

| package | version | licence | comes with |
|---|---|---|---|
"""


def declared() -> dict[str, list[str]]:
    """Direct dependencies by where they come from: "" for all, else the extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {"": project["dependencies"]}
    wanted |= {
        name: extras[name] for name in extras if name not in ("all", "bench", "dev", "fault")
    }
    return {
        name: [match[0] for one in requires if (match := _NAME.match(one))]
        for name, requires in wanted.items()
    }


def closure() -> dict[str, tuple[Distribution, str]]:
    """Every package that is installed with those, and what brings it; the plain ones first."""
    found: dict[str, tuple[Distribution, str]] = {}
    for extra, names in declared().items():
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            key = re.sub(r"[-_.]+", "-", name).lower()
            if key in found:
                continue
            try:
                package = distribution(name)
            except PackageNotFoundError:
                continue  # for another system, or an extra that is not installed here
            found[key] = (package, extra)
            for requirement in package.requires or ():
                if "extra ==" not in requirement and (match := _NAME.match(requirement)):
                    waiting.append(match[0])
    return dict(sorted(found.items()))


def licence(package: Distribution) -> str:
    """As the package states it: the expression, else the classifiers, else the free text."""
    about = package.metadata
    if "License-Expression" in about:
        return about["License-Expression"]
    kinds = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License :: ") and line.count("::") > 1
    ]
    if not kinds and "Permission is hereby granted, free" in (package.read_text("METADATA") or ""):
        return "MIT"  # in full, not by name
    text = about["License"].strip().split("\n")[0] if "License" in about else ""
    return ", ".join(kinds) or text or "not stated"


def page() -> str:
    lines = [
        f"| {package.metadata['Name']} | {package.version} | {licence(package)[:80]}"
        f" | {extra and f'`{extra}`'} |"
        for package, extra in closure().values()
    ]
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
