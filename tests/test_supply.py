"""What is shipped and what it stands on: no network at run time, licences known, the same wheel."""

from __future__ import annotations

import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from lexfield.sample import TEXTS

ROOT = Path(__file__).parents[1]
# Loaded by every Python process of the command, its workers too: whoever asks for a connection or
# an address is stopped, also when he would catch the error.
HOOK = """
import os, sys
WATCHED = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
           "socket.bind", "urllib.Request")
def watch(event, arguments):
    if event in WATCHED:
        os.write(2, f"network: {event} {arguments!r}".encode())
        os._exit(99)
sys.addaudithook(watch)
"""
COMMANDS = [
    ["demo", "--output", "demo"],
    ["index", str(TEXTS), "-o", "x.idx"],
    ["search", "x.idx", "the boat came home", "--explain"],
    ["zipf", str(TEXTS / "voss-sea.txt"), "--plot", "words.html"],
    ["study", "new", "x.idx", "--kind", "choose3", "--queries", "stems.txt", "-o", "study.db"],
    ["study", "run", "study.db", "--simulate", "3"],
    ["verify", "study.db"],
]


def watched(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    (folder / "hook").mkdir(exist_ok=True)
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    source = str(ROOT / "src")
    environment = {**os.environ, "PYTHONPATH": f"{folder / 'hook'}{os.pathsep}{source}"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_no_command_asks_for_the_network(tmp_path: Path) -> None:
    (tmp_path / "stems.txt").write_text("The boat came home.\nA lost child was found.\n")
    for command in COMMANDS:
        done = watched(tmp_path, ["-m", "lexfield", *command])
        assert done.returncode == 0, (command, done.stderr[-500:])


def test_the_watch_works(tmp_path: Path) -> None:
    code = "import socket\ntry: socket.create_connection(('127.0.0.1', 9))\nexcept OSError: pass"
    assert watched(tmp_path, ["-c", code]).returncode == 99


def test_licences_of_dependencies_are_listed() -> None:
    listed = (ROOT / "docs" / "licences.md").read_text("utf-8").lower().replace("_", "-")
    declared = runpy.run_path(str(ROOT / "scripts" / "make_licences_page.py"))["declared"]()
    for names in declared.values():
        for name in names:
            assert f"| {name.lower().replace('_', '-')} |" in listed, name
    assert "not stated" not in listed and "unknown" not in listed


def test_every_dependency_has_a_pin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = (ROOT / "constraints.txt").read_text("utf-8").lower().replace("_", "-")
    extras = project["optional-dependencies"]
    for one in [*project["dependencies"], *extras["fault"], *extras["serve"], *extras["dev"]]:
        match = re.match(r"[A-Za-z0-9._-]+", one)
        assert match and f"\n{match[0].lower().replace('_', '-')}==" in pins, one


def test_what_make_installs_has_the_pinned_version_and_hashes() -> None:
    pins = (ROOT / "constraints.txt").read_text("utf-8").lower().replace("_", "-").splitlines()
    locked = ""
    for step in ("build", "base", "dev", "bench", "fault"):
        locked += (ROOT / "locks" / f"{step}.txt").read_text("utf-8")
        assert f"locks/{step}.txt" in (ROOT / "Makefile").read_text("utf-8")
    entries = re.findall(
        r"(?m)^([^#\s]+)( ; [^\\]+)? \\((?:\n +--hash=sha256:[0-9a-f]{64}.*)+)", locked
    )
    assert {name for name, _, _ in entries} <= set(pins) and len(entries) > 150
    assert locked.count("==") == len(entries) + sum(" ==" in marker for _, marker, _ in entries)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
    wanted += chain.from_iterable(project["project"]["optional-dependencies"].values())
    names = {name.partition("==")[0] for name, _, _ in entries} | {"lexfield"}
    for one in wanted:
        match = re.match(r"[A-Za-z0-9._-]+", one)
        assert match and re.sub(r"[-_.]+", "-", match[0]).lower() in names, one


def test_what_builds_it_is_pinned() -> None:
    """With the versions that are tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    pins = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert set(project["build-system"]["requires"]) <= set(pins)


def test_the_bill_of_materials_is_current() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_sbom.py"))
    assert (ROOT / "sbom.cdx.json").read_text("utf-8") == made["render"]()
    pins = (ROOT / "constraints.txt").read_text("utf-8").lower().replace("_", "-").splitlines()
    for one in made["make_sbom"]()["components"]:
        assert f"{one['name'].lower().replace('_', '-')}=={one['version']}" in pins


def copy_source(place: Path) -> None:
    """Copy the files that git knows, without their times."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place / name)


@pytest.mark.skipif(find_spec("hatchling") is None, reason="the extra 'fault' is not installed")
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_same_source_gives_the_same_wheel_and_sdist(tmp_path: Path) -> None:
    """Built in two places, with files of different times."""
    sums: list[dict[str, str]] = []
    for name in ("one", "two"):
        place = tmp_path / name
        copy_source(place)
        os.utime(place / "src" / "lexfield" / "errors.py", (1e9, 1e9 + len(sums)))
        done = subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", "out"],
            cwd=place, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        built = sorted((place / "out").iterdir())
        sums.append({one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in built})
    assert sums[0] == sums[1] and len(sums[0]) == 2
    (wheel,), (sdist,) = ((tmp_path / "one" / "out").glob(kind) for kind in ("*.whl", "*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        assert any(name.endswith(".dist-info/sboms/sbom.cdx.json") for name in archive.namelist())
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    own = {one.name for one in ROOT.iterdir() if one.is_file() and one.name != ".git"}
    assert own <= inside, own - inside
