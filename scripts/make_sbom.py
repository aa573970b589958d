"""Write sbom.cdx.json: what lexfield stands on, as CycloneDX 1.6, from docs/licences.md.

The wheel carries it in its ``.dist-info/sboms``. It has no time and no serial number, so that the
same source makes the same wheel.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "sbom.cdx.json"
_ROW = re.compile(
    r"^\| (?P<name>\S+) \| (?P<version>\S+) \| (?P<licence>.+?) \| (?P<extra>.*?) ?\|$"
)


def read_packages() -> list[dict[str, str]]:
    """Return name, version, licence and extra of every package but those of the documentation."""
    lines = (ROOT / "docs" / "licences.md").read_text("utf-8").splitlines()
    found = [match.groupdict() for line in lines if (match := _ROW.match(line))]
    return [one for one in found if one["name"] != "package" and "docs" not in one["extra"]]


def make_component(package: dict[str, str]) -> dict[str, Any]:
    name = re.sub(r"[-_.]+", "-", package["name"]).lower()
    purl = f"pkg:pypi/{name}@{package['version']}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package["name"],
        "version": package["version"],
        "scope": "optional" if package["extra"].strip() else "required",
        "licenses": [{"license": {"name": package["licence"]}}],
        "purl": purl,
    }


def make_sbom() -> dict[str, Any]:
    source = (ROOT / "src" / "lexfield" / "__init__.py").read_text("utf-8")
    version = re.search(r'^__version__ = "(.+)"', source, re.M)
    assert version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": "lexfield",
                "name": project["name"],
                "version": version[1],
                "licenses": [{"license": {"id": project["license"]}}],
                "purl": f"pkg:pypi/lexfield@{version[1]}",
            }
        },
        "components": [make_component(one) for one in read_packages()],
    }


def render() -> str:
    return json.dumps(make_sbom(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(render(), "utf-8")
