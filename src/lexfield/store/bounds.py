"""Limits for input from outside, where a small file can need much memory: JSON, whose smallest
values take twenty times the memory of their text, arrays, whose headers can promise anything, and
everything compressed."""

from __future__ import annotations

import io
import json
import math
import mmap
import re
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_PARTS = 100_000
_GROWTH, _FREE = 100, 16 << 20  # text shrinks to a third, logs of equal lines to a hundredth
_KINDS = "biufcSU"  # of numbers and text; an array of objects would be a pickle
_HEADER = 1 << 12  # bytes of an array's header
_PART = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)


def bounded_json(text: str, most: int = MOST_PARTS) -> Any:
    """Return the value of JSON text. Raise ValueError if it is wrong or has over ``most`` parts.

    A part is a string, a comma or an opening bracket: every value has at least one.
    """
    if len(text) > most and next(islice(_PART.finditer(text), most, None), None):
        raise ValueError(f"more than {most:,} strings, commas and brackets")
    return json.loads(text)


def most_unpacked(packed: int) -> int:
    """Return how many bytes a file of ``packed`` bytes may unpack to without being suspicious."""
    return _GROWTH * packed + _FREE


def parse_array(data: bytes | bytearray | mmap.mmap, *, strict: bool) -> NDArray[Any]:
    """Return the array of a ``.npy`` file over its bytes.

    Raise ValueError unless it is of numbers or text and the file holds all that its header
    promises; if ``strict``, also unless it is stored by rows and nothing follows.
    """
    header = io.BytesIO(data[:_HEADER])
    try:
        if np.lib.format.read_magic(header) != (1, 0):
            raise ValueError("another version of the format")
        shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(header)
    except Exception as error:  # a header is parsed as a Python literal: it can fail in many ways
        raise ValueError(str(error)) from error
    size, room = math.prod(shape) * dtype.itemsize, len(data) - header.tell()
    if dtype.hasobject:
        raise ValueError("it holds Python objects (a pickle), which can run code")
    if dtype.kind not in _KINDS or not dtype.itemsize or (strict and is_fortran):
        raise ValueError("it holds neither numbers nor text, or is stored by columns")
    if min(shape, default=0) < 0:
        raise ValueError(f"its shape {shape} is damaged")
    if size > room or (strict and size < room):
        raise ValueError(f"its header promises shape {shape}, {size:,} bytes; there are {room:,}")
    if not size:  # nothing to map
        return np.empty(shape, dtype)
    array = np.frombuffer(data, dtype, math.prod(shape), header.tell())
    return array.reshape(shape, order="F" if is_fortran else "C")
