"""What a word, a row or a field costs in memory when an index is built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BUILD = """
import resource, sys
from lexfield.search.index import Index
from lexfield.text.corpus import Corpus
Index.build(Corpus.of(["The ship came home."]), sys.argv[1] + "/small.idx")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
Index.build(Corpus.read(sys.argv[2]), sys.argv[1] + "/large.idx")
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_a_word_without_a_vector_costs_little(tmp_path: Path) -> None:
    count = 200_000
    words = (f"zq{number:x}q" for number in range(count))
    (tmp_path / "words.txt").write_text(" ".join(words), "utf-8")
    command = [sys.executable, "-c", BUILD, str(tmp_path), str(tmp_path / "words.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) / count < 1200  # bytes; it was 5,000
