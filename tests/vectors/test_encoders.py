"""Adapters for models of others, by stand-ins with the same methods, and the packaged model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lexfield as lx
from lexfield.errors import CorruptError, InputError
from lexfield.vectors import minilm
from lexfield.vectors.codec import Codec
from lexfield.vectors.encoders import (
    FunctionEncoder,
    PieceEncoder,
    encode_each,
    find_words,
    open_encoder,
    split_text,
)


def spell(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), text.count("a") + 1.0, text.count(" ")] for text in texts])


def test_any_function() -> None:
    made = lx.embed(["a cat", "a dog"], encoder=spell)
    np.testing.assert_allclose(made, [np.array([5, 3, 1]) / 35**0.5, np.array([5, 2, 1]) / 30**0.5],
                               rtol=1e-6)  # fmt: skip


@pytest.mark.parametrize("bad", [lambda texts: np.ones(3), lambda texts: np.ones((1, 3))])
def test_a_function_that_returns_something_else(bad: Any) -> None:
    with pytest.raises(InputError, match="one vector per text|shape"):
        lx.embed(["a", "b", "c"], encoder=bad)


def test_a_generator_of_vectors() -> None:
    made = lx.embed(["a cat", "a dog"], encoder=lambda texts: (row for row in spell(texts)))
    np.testing.assert_array_equal(made, lx.embed(["a cat", "a dog"], encoder=spell))


def test_vectors_of_several_lengths() -> None:
    with pytest.raises(InputError, match="vectors of 1 and of 3 dimensions"):
        lx.embed(["a", "abc"], encoder=lambda texts: [np.ones(len(text)) for text in texts])


@pytest.mark.parametrize("bad", [3, object(), dict])
def test_not_an_encoder(bad: object) -> None:
    with pytest.raises(InputError, match="is not an encoder"):
        open_encoder(bad)
    with pytest.raises(InputError, match="There is no encoder named 'minlm'. Did you mean"):
        open_encoder("minlm")


class Tensor(np.ndarray[Any, Any]):
    def cpu(self) -> Tensor:
        return self


class Pooling(SimpleNamespace):
    pass


class Dense(SimpleNamespace):
    pass


class SentenceTransformer(list[Any]):
    """As far as the adapter looks: a list of modules with a tokenizer and ``encode``."""

    max_seq_length = 6

    def __init__(self, *parts: Any) -> None:
        super().__init__(parts or [Pooling(pooling_mode="mean")])
        self.tokenizer = SimpleNamespace(
            encode=lambda text: SimpleNamespace(ids=[0, *range(len(text.split())), 0]),
            convert_ids_to_tokens=lambda ids: [f"w{i}" for i in ids],
        )

    def encode(self, texts: list[str], **_: object) -> list[dict[str, Any]]:
        found = []
        for text in texts:
            size = len(text.split())
            assert size + 2 <= self.max_seq_length
            states = np.arange(2.0 * (size + 1)).reshape(-1, 2) + len(text)
            mask = np.array([1] * size + [0])
            ids = np.arange(size + 1)
            one = {"token_embeddings": states, "attention_mask": mask, "input_ids": ids}
            found.append({name: value.view(Tensor) for name, value in one.items()})
        return found


def test_sentence_transformers_in_windows() -> None:
    (made,) = open_encoder(SentenceTransformer()).encode(["one two three four five six"])
    assert made.tokens == ["w0", "w1", "w2"] * 2
    np.testing.assert_allclose(made.vector, made.states.mean(axis=0))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([Pooling(pooling_mode="mean")], PieceEncoder),
        ([Pooling(pooling_mode_mean_tokens=True)], PieceEncoder),  # older versions
        ([Pooling(pooling_mode="cls")], FunctionEncoder),
        ([Pooling(pooling_mode=("cls", "mean"))], FunctionEncoder),
        (
            [Pooling(pooling_mode_mean_tokens=True, pooling_mode_max_tokens=True)],
            FunctionEncoder,
        ),
        ([Pooling(pooling_mode="mean"), Dense()], FunctionEncoder),  # the mean is not the vector
    ],
)
def test_sentence_transformers_with_vectors_of_tokens(parts: list[Any], expected: type) -> None:
    assert type(open_encoder(SentenceTransformer(*parts))) is expected


def test_sentence_transformers_without_a_limit() -> None:
    """Static embeddings read texts of any length."""
    model = SentenceTransformer(Dense())
    model.max_seq_length = float("inf")  # type: ignore[assignment]
    assert open_encoder(model)._most is None  # type: ignore[attr-defined]


class Tokenizer:
    """As far as the adapter looks: it splits at spaces; "x" is unknown."""

    def to_str(self) -> str:
        return ""

    @staticmethod
    def from_str(text: str) -> Tokenizer:
        return Tokenizer()

    def no_truncation(self) -> None: ...

    def no_padding(self) -> None: ...

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[SimpleNamespace]:
        cut = [text.split() for text in texts]
        return [SimpleNamespace(tokens=t, ids=[int(w == "x") for w in t]) for t in cut]


def test_model2vec() -> None:
    rows = np.arange(6.0).reshape(3, 2)
    model = SimpleNamespace(
        base_model_name="potion",
        tokenizer=Tokenizer(),
        unk_token_id=1,
        encode_as_sequence=lambda texts, max_length: [rows for _ in texts],
    )
    encoder = open_encoder(model)
    (made,) = encoder.encode(["a ##b x d"])
    assert (encoder.name, made.words) == ("potion", ["ab", "ab", "d"])
    np.testing.assert_allclose(made.vector, rows.mean(axis=0))


def test_fastembed() -> None:
    model = SimpleNamespace(model_name="bge", embed=lambda texts: iter(spell(texts)))
    (made,) = open_encoder(model).encode(["a cat"])
    assert made.vector.tolist() == [5, 3, 1] and not len(made.states)


def test_words_of_pieces() -> None:
    assert find_words(["[CLS]", "sail", "##ing", "boat"]) == ["[CLS]", "sailing", "sailing", "boat"]
    assert find_words(["<s>", "▁sail", "ing", "▁a"]) == ["<s>", "sailing", "sailing", "a"]


@pytest.mark.parametrize("text", ["one two three four five", "x" * 40, "a " * 30, " lead", ""])
def test_windows_hold_everything(text: str) -> None:
    windows = split_text(text, lambda part: len(part.split()) + len(part) // 8, 4)
    assert "".join(windows) == text
    assert all(len(one.split()) + len(one) // 8 <= 4 for one in windows)


def test_failures_do_not_stop_the_others() -> None:
    def fragile(texts: list[str]) -> np.ndarray:
        if any("bad" in text for text in texts):
            raise RuntimeError("no")
        return spell(texts)

    made = encode_each(open_encoder(fragile), ["fine", "bad", "good"])
    assert [isinstance(one, str) for one in made] == [False, True, False]
    assert made[1] == "RuntimeError: no"


def test_codec_keeps_angles() -> None:
    """Measured error: cosines of decoded vectors with the vectors themselves."""
    generator = np.random.default_rng(0)
    spread = generator.normal(size=(384, 384)) * np.exp(-np.arange(384) / 60)
    vectors = (generator.normal(size=(3000, 384)) @ spread.T).astype(np.float32)
    codec = Codec.fit(vectors)
    codes = codec.encode(vectors)
    assert codes.shape == (3000, 36)
    cosines = (codec.decode(codes) * codec.project(vectors)).sum(axis=1)
    assert cosines.mean() > 0.85


def test_changed_weights_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime", reason="needs lexfield[encoder]")
    (tmp_path / "model.onnx").write_bytes(b"something else")
    found = SimpleNamespace(locate_file=lambda name: tmp_path / "model.onnx")
    monkeypatch.setattr(minilm, "distribution", lambda name: found)
    with pytest.raises(CorruptError, match="is not the model that lexfield was tested with"):
        minilm.MiniLm()


def test_minilm() -> None:
    pytest.importorskip("onnxruntime", reason="needs lexfield[encoder]")
    texts = ["The boat came home.", "A ship returned to the harbour.", "Bread needs yeast."]
    made = lx.embed(texts, encoder="minilm")
    assert made.shape == (3, 384)
    assert made[0] @ made[1] > 0.5 > 0.2 > made[0] @ made[2]
    encoder = open_encoder("minilm")
    (alone,), (beside, _) = encoder.encode(texts[:1]), encoder.encode(texts[:2])
    assert alone.vector.tobytes() == beside.vector.tobytes()
    (long,) = encoder.encode(["a very long text " * 200])
    assert long.tokens.count("[CLS]") == 4
    assert len(long.tokens) - 8 == 800  # nothing was cut off
