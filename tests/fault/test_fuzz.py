"""Samples of what ``make fault`` does a million times: readers return, or say what is wrong."""

from __future__ import annotations

import time
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")

from lexfield.errors import LexfieldError
from tests.fault.fuzz import OverLimitError, fuzz, limited
from tests.fault.targets import TARGETS, no_flushing

PIECES = [
    b"\xff" * 8, b"\0" * 8, b"9" * 12, b" ", b"\n", b'"', b"(", b",", b"\x7f\xff\xff\xff", b"-",
]  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_good(name: str) -> None:
    """At least one of them is read to the end: a fuzzer that begins with it gets inside."""
    good = 0
    for data in TARGETS[name].seeds():
        try:
            TARGETS[name].read(data)
            good += 1
        except LexfieldError:
            pass
    assert good


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_mutations(name: str, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(TARGETS[name].seeds()) | st.binary(max_size=200))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        new = data.draw(st.sampled_from(PIECES) | st.binary(max_size=9))
        cut = data.draw(st.sampled_from([0, len(new), len(new) + 3]))
        content = content[:start] + new + content[start + cut :]
    with no_flushing():
        limited(TARGETS[name].read, measured=2)(content)


@given(st.text(max_size=60))
@example("fuse(" * 300 + "mean" + ")" * 300)
@example("fuse(" * 100_000)
@example("setcover(" + "r=1," * 5000 + ")")
def test_specs_and_queries_of_any_text(text: str) -> None:
    for name in ("specs", "bag queries"):
        limited(TARGETS[name].read)(text.encode("utf-8", "surrogatepass"))


@pytest.mark.skipif(find_spec("atheris") is None, reason="the extra 'fault' is not installed")
def test_a_fuzzer_gets_inside() -> None:
    found = fuzz("bag queries", 300)
    assert found["inputs"] >= 300 and found["failed"] == ""
    assert found["covered"] > found["at first"]


def test_limits_can_be_broken() -> None:
    def waste(data: bytes) -> None:
        bytearray(50_000_000)

    def wait(data: bytes) -> None:
        end = time.process_time() + 1.2
        while time.process_time() < end:
            pass

    for target in (waste, wait):
        with pytest.raises(OverLimitError):
            limited(target, measured=1)(b"x")
