"""The parameters of a request follow from the declaration of a verb, and ids become paths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("starlette", reason="the extra 'serve' is not installed")

from starlette.testclient import TestClient

import lexfield.verbs
from lexfield.errors import InputError
from lexfield.results import JsonObject
from lexfield.serve import tasks
from lexfield.serve.app import make_app
from lexfield.serve.inputs import Call, offer, read_request
from lexfield.serve.library import Library
from lexfield.serve.problems import InvalidError, NotFoundError
from lexfield.serve.server import find_verb
from lexfield.verbs import list_functions, list_verbs
from tests.cli.conftest import Run

TOY = '''
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from lexfield.verbs.declare import Help, verb
from lexfield.verbs.input import (CorpusInput, read_texts)
from lexfield.verbs.results import Result


@dataclass(kw_only=True)
class Letter:
    letter: str
    count: int


@dataclass(repr=False)
class Letters(Result[Letter]):
    texts: int


@verb
def count_letters(
    texts: CorpusInput,
    *,
    most: Annotated[int, Meta(ge=1, le=26), Help("Number of letters.")] = 3,
) -> Letters:
    """Count the letters of texts."""
    corpus = read_texts(texts)
    joined = "".join(corpus.texts).lower()
    rows = [Letter(letter=one, count=joined.count(one)) for one in sorted(set(joined))]
    return Letters(rows[:most], texts=len(corpus.ids))
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "toy_letters.py").write_text(TOY)
    path = [*lexfield.verbs.__path__, str(tmp_path)]
    monkeypatch.setattr(lexfield.verbs, "__path__", path)
    for listing in (list_verbs, list_functions):
        listing.cache_clear()
    yield
    for listing in (list_verbs, list_functions):
        listing.cache_clear()


@pytest.mark.usefixtures("toy")
def test_a_verb_in_one_file_is_in_the_api(tmp_path: Path) -> None:
    app = make_app([], folder=tmp_path / "folder", workers=1)

    async def ask(function: str, item: dict[str, Any]) -> bytes:  # workers have their own verbs
        return tasks.run(**{**item, "sources": {}}).encode()

    app.state.server.pool.ask = ask
    client = TestClient(app, base_url="http://127.0.0.1:8000")
    api = client.get("/openapi.json").json()["paths"]["/v1/count_letters"]
    parameters = {one["name"]: one["schema"] for one in api["get"]["parameters"]}
    assert parameters["most"] == {
        "type": "integer", "minimum": 1, "maximum": 26, "default": 3,
        "description": "Number of letters.",
    }  # fmt: skip
    assert set(parameters) == {"index", "document", "text", "most", "format"}
    asked: JsonObject = {"text": ["abba", "cab"], "most": 2}
    for answer in (
        client.get("/v1/count_letters", params=asked),
        client.post("/v1/count_letters", json=asked),
    ):
        body = answer.json()
        assert body.pop("provenance")["stores"] == []
        assert body == {
            "schema": "lexfield.count_letters/1", "texts": 2,
            "results": [{"letter": "a", "count": 3}, {"letter": "b", "count": 3}], "notes": [],
        }  # fmt: skip
    wrong = client.get("/v1/count_letters", params={"most": 27})
    assert wrong.status_code == 422
    assert wrong.json()["error"] == "most must be a whole number from 1 to 26. Got '27' instead."


@pytest.mark.parametrize(
    ("path", "parameters", "command"),
    [
        ("/v1/search", {"query": "a storm", "k": 2}, ["search", "IDX", "a storm", "-k", "2"]),
        ("/v1/near", {"word": ["sea", "boat"]}, ["near", "sea", "boat"]),
        ("/v1/topics", {}, ["topics", "show", "IDX"]),
        ("/v1/zipf", {"draws": 0}, ["zipf", "IDX", "--draws", "0"]),
        ("/v1/label", {"by": "author"}, ["label", "IDX", "--by", "author"]),
    ],
)
def test_answers_are_the_bytes_of_the_command_line(
    client: Any, run: Run, sample_index: Path, path: str, parameters: Any, command: list[str]
) -> None:
    typed = run(*(str(sample_index) if word == "IDX" else word for word in command), "--json")
    answer = client.get(path, params=parameters)
    told = msgspec.json.format(answer.content, indent=1).decode()
    mark = '\n "provenance": {'  # which comes last, and names an index by an id or by a path
    assert told.partition(mark)[0] == typed.out.partition(mark)[0] != told


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library([tmp_path / "one.idx", tmp_path / "two.idx"], [tmp_path / "m"], tmp_path / "f")


def ask(library: Library, verb: str, **given: Any) -> Call:
    return Call(read_request(find_verb(verb), given), library)


def test_ids_become_paths(library: Library, tmp_path: Path) -> None:
    one, two, models = (str(tmp_path / name) for name in ("one.idx", "two.idx", "m"))
    found = ask(library, "search", index="one", q="x").arguments
    assert found == {"index": {"path": one}, "query": "x"}
    sides = ask(library, "compare", index="two", a="d", text_b="B").arguments
    assert sides["a"] == {"path": two, "documents": ["d"]}
    assert sides["b"] == {"texts": {"text B": "B"}}
    both = ask(library, "keyness", a="one", b="two")
    assert both.index is None and set(both.sources) == {one, two}
    assert both.arguments["a"] == {"path": one}
    few = ask(library, "zipf", index="one", document=["a", "b", "a"], text=["c"]).arguments
    assert few["texts"] == {"path": one, "documents": ["a", "b"], "texts": {"text 1": "c"}}
    assert ask(library, "kwic", word="w", text_b="B").arguments["texts"] == {
        "path": None, "documents": [], "texts": {"text B": "B"}
    }  # fmt: skip
    near = ask(library, "near", word="x", models="m")
    assert near.arguments["models"] == [{"path": models}] and models in near.sources
    assert ask(library, "near", word="x").arguments["vectors"] == {"set": "default"}


def test_what_cannot_be_found_or_is_missing_is_an_error(library: Library) -> None:
    with pytest.raises(NotFoundError, match="no index 'three'"):
        ask(library, "search", index="three", q="x")
    with pytest.raises(InputError, match="An index is needed"):
        ask(library, "search", q="x")
    with pytest.raises(InputError, match="a is the id of a document.* send .* as text_a"):
        ask(library, "compare", a="It was late.", text_b="B")
    with pytest.raises(InputError, match="either a .* or text_a"):
        ask(library, "compare", index="one", a="d", text_a="A", b="e")
    with pytest.raises(NotFoundError, match="no models"):
        ask(library, "near", word="x", models="one")
    with pytest.raises(InvalidError, match="evaluate needs run"):
        ask(library, "evaluate")
    with pytest.raises(NotFoundError, match="no verb 'import_vectors'"):
        find_verb("import_vectors")


@pytest.mark.parametrize("name", ["cluster", "output", "encoding", "metadata", "colour"])
def test_nothing_that_names_a_path_or_an_address_is_offered(name: str) -> None:
    for verb in ("search", "near", "infer", "compare", "train_vectors"):
        assert name not in offer(find_verb(verb))
        with pytest.raises(InvalidError, match="has no parameter"):
            read_request(find_verb(verb), {name: "x"})


def test_a_file_is_its_content(tmp_path: Path) -> None:
    options = {"run": "q1 Q0 a 1 2.5 me\n", "qrels": "q1 0 a 1\n", "measures": ["p@1"]}
    told = msgspec.json.decode(tasks.run("evaluate", None, options, "json", {}, ""))
    assert told["schema"] == "lexfield.evaluate/1"
    assert "1.0" in str(told["results"])


def test_jobs_of_the_first_version_keep_their_names() -> None:
    assert find_verb("fit").name == "fit_topics"
    assert find_verb("models").name == "train_vectors"
    request = read_request(
        find_verb("models"), {"index": "x", "models": 5, "dims": 100, "least": 3}
    )
    assert request.values["dimensions"] == [100]
