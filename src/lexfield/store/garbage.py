"""What is used at an address, and what can be deleted there.

Only the current generation can be built on, so a lower number that it does not use never becomes
current: whoever wrote it has died, or will be told. What was current within the last hour stays,
because others may still read it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress

from lexfield.errors import CorruptError, StoreError
from lexfield.results import JsonObject
from lexfield.store.manifest import (
    CURRENT,
    FILE,
    MANIFEST,
    MARKER,
    MOST_MANIFEST,
    MOST_POINTER,
    REBUILD,
    parse_current,
)
from lexfield.store.remote import AbsentError, Remote

PLACES = "places.json"
GRACE = "LEXFIELD_GRACE"  # seconds for which others may read a generation that was replaced
_KEY = re.compile(rf"([0-9]{{6,18}})/({FILE.pattern})")
_OURS = re.compile(rf"([0-9]{{6,18}})/({FILE.pattern}|{MANIFEST}|{PLACES}|{re.escape(MARKER)})")


def read_remote_places(
    remote: Remote, generation: str, files: JsonObject
) -> tuple[str, dict[str, str]]:
    """Return the generation that another was built on, and where each of its files lies."""
    places = {name: f"{generation}/{name}" for name in files}
    try:
        data = remote.read(f"{generation}/{PLACES}", MOST_MANIFEST)
    except AbsentError:  # copied there from a folder
        return "", places
    try:
        value = json.loads(data)
        base, elsewhere = value["base"], value["files"]
        if not all(name in files and _KEY.fullmatch(key) for name, key in elsewhere.items()):
            raise ValueError("a file elsewhere")
        return str(base), {**places, **elsewhere}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptError(
            f"{remote.address}/{generation}/{PLACES} differs from what was written.", REBUILD
        ) from error


def collect(remote: Remote) -> None:
    """Delete what no generation of the last hour uses; what cannot be deleted now waits."""
    with suppress(StoreError, ValueError, LookupError, TypeError):
        times = remote.list_times()
        current = _read_current(remote)
        used = find_used(remote, current, times)
        garbage = [
            name
            for name in times
            if (found := _OURS.fullmatch(name))
            and int(found[1]) < int(current)
            and f"{found[1]}/{MARKER}" in times
            and name not in used
        ]
        for name in sorted(garbage, key=lambda name: name.endswith(MARKER)):
            remote.remove(name)  # the marker last: deletion can be resumed


def find_used(remote: Remote, current: str, times: dict[str, float]) -> set[str]:
    """Return the files of the current generation, and of those that were current lately."""
    used: set[str] = set()
    for generation, manifest in _walk_back(remote, current, times):
        _, places = read_remote_places(remote, generation, manifest["files"])
        used |= {f"{generation}/{name}" for name in (MANIFEST, PLACES, MARKER)}
        used |= set(places.values())
        used |= {f"{key.partition('/')[0]}/{MARKER}" for key in places.values()}
    return used


def list_recent(remote: Remote) -> list[JsonObject]:
    """Return the manifests of the current generation, and of those that were current lately."""
    found = _walk_back(remote, _read_current(remote), remote.list_times())
    return [manifest for _, manifest in found]


def _walk_back(
    remote: Remote, current: str, times: dict[str, float]
) -> Iterator[tuple[str, JsonObject]]:
    """Yield generations with their manifests, until one was written before the last hour."""
    now, generation = times.get(CURRENT, 0.0), current
    grace = float(os.environ.get(GRACE) or 3600)
    while generation:
        manifest = json.loads(remote.read(f"{generation}/{MANIFEST}", MOST_MANIFEST))
        yield generation, manifest
        if now - times.get(f"{generation}/{MANIFEST}", 0.0) >= grace:
            return
        base, _ = read_remote_places(remote, generation, manifest["files"])
        generation = base if f"{base}/{MANIFEST}" in times else ""


def _read_current(remote: Remote) -> str:
    return parse_current(remote.read(CURRENT, MOST_POINTER), f"{remote.address}/{CURRENT}")[0]
