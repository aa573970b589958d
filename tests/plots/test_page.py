"""The page to zoom into: its data come back, it is safe, and it works in a browser."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexfield.plots.page import Axis, Curve, Panel, make_page


def panel(names: list[str]) -> Panel:
    return Panel(
        "panel",
        "subtitle",
        np.array([1, 10, 100]),
        np.array([50, 20, 1]),
        names,
        ["noun", "verb"],
        np.array([0, 1, 0]),
        [("count", np.array([50, 20, 1]))],
        (Axis("rank", log=True), Axis("count")),
        [Curve("line", np.array([1.0, 100.0]), np.array([50.0, 1.0]))],
    )


def write(folder: Path, title: str, names: list[str]) -> Path:
    path = folder / "p.html"
    path.write_text(make_page(title, [panel(names)]), "utf-8")
    return path


def data(path: Path) -> Any:
    text = path.read_text("utf-8")
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    return json.loads(found)


def test_data_come_back(tmp_path: Path) -> None:
    path = write(tmp_path, "a & b", ["one", "two", "line\nbreak"])
    (kept,) = data(path)["panels"]
    x = np.frombuffer(base64.b64decode(kept["x"]), "<u2")
    y = np.frombuffer(base64.b64decode(kept["y"]), "<u2")
    assert x.tolist() == [0, 32768, 65535]  # in logs
    assert y.tolist() == [65535, round(19 / 49 * 65535), 0]
    assert kept["names"].split("\n") == ["one", "two", "line break"]
    assert kept["curves"][0]["x"] == [0, 1] and kept["curves"][0]["y"] == [1, 0]
    assert "a &amp; b" in path.read_text("utf-8")


def test_points_without_axes_have_one_scale_in_both_directions() -> None:
    plane = replace(
        panel(["one", "two", "three"]),
        x=np.array([0.0, 4.0, 2.0]),
        y=np.array([5.0, 6.0, 7.0]),
        axes=(Axis(), Axis()),
        curves=[],
    )
    found = re.findall(r'"([xy])": "([^"]+)"', make_page("map", [plane]))
    places = {name: np.frombuffer(base64.b64decode(text), "<u2") for name, text in found}
    assert places["x"].tolist() == [0, 65535, 32768]
    assert places["y"].tolist() == [16384, 32768, 49151]  # half as wide, in the middle


def test_nothing_in_a_name_is_code_and_nothing_is_fetched(tmp_path: Path) -> None:
    names = ["</script><script>alert(1)</script>", "<b>", "DATA"]
    path = write(tmp_path, "</title>", names)
    text = path.read_text("utf-8")
    assert data(path)["panels"][0]["names"].split("\n") == names
    assert text.count("</script>") == 2 and text.count("</title>") == 1
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|src=|@import|url\(", text)


CHECK = """
<script>
const canvas = document.querySelector("canvas"), view = views[0], out = [];
const inked = () => {
  view.paint();
  const d = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let n = 0;
  for (let i = 3; i < d.length; i += 4) n += d[i] > 0;
  return n;
};
out.push(inked() > 100);
const before = view.zoom;
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -500, clientX: 300, clientY: 300 }));
out.push(view.zoom > before);
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0" }));
out.push(view.zoom === 1);
const box = canvas.getBoundingClientRect();
canvas.dispatchEvent(new PointerEvent("pointermove", {
  clientX: box.left + view.pixel(1)[0], clientY: box.top + view.pixel(1)[1] }));
out.push(view.names[view.near]);
const all = inked();
document.querySelector(".legend button").click();
out.push(inked() < all);
view.find("tw");
out.push([...view.found].join());
document.title = "checked " + out.join(" ");
</script>
"""


def test_in_a_browser(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium here")
    path = write(tmp_path, "page", ["one", "two", "three"])
    text = path.read_text("utf-8").replace("</html>", CHECK + "</html>")
    (tmp_path / "check.html").write_text(text, "utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
        " --disable-background-networking --disable-component-update --disable-sync"
        " --virtual-time-budget=2000 --dump-dom"
    ).split()
    done = subprocess.run(
        [
            browser,
            *flags,
            f"--user-data-dir={tmp_path / 'profile'}",
            f"file://{tmp_path}/check.html",
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title is not None, done.stderr
    assert title[1] == "checked true true true two true 1"
