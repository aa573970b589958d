"""What a request may hold: the parameters of a verb, with ids and texts in place of paths.

The declaration of a verb says what each parameter stands for. Over HTTP an index is an id of the
library, a text is the id of a document or the text itself, a file is its content, and vectors are
the name of a set. Nobody outside names a path: ids become paths in :func:`resolve`, in the server's
own process, and a worker receives arguments that JSON can hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from lexfield.errors import InputError, correct
from lexfield.results import JsonObject
from lexfield.serve.library import Holding, Library
from lexfield.serve.problems import InvalidError
from lexfield.vectors.sources import find_imported
from lexfield.verbs.declare import REQUIRED, Flags, Parameter, Verb

# Letters, their marks and digits of any script, as make_slug keeps them; what is excluded is ASCII
# besides these, control characters, spaces, and what shows nothing or turns the direction.
_ODD = r"`{-\xa0\s\u2000-\u206f\ufeff"
_ANY_SCRIPT = rf"^[^\x00-/:-@\[-_{_ODD}][^\x00-,/:-@\[-^{_ODD}]*$"
Id = Annotated[str, Meta(max_length=80, pattern=_ANY_SCRIPT)]
_NAME = Annotated[str, Meta(max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
DocumentId = Annotated[str, Meta(max_length=2000)]
Text = Annotated[str, Meta(max_length=5_000_000)]
_DOCUMENTS = Annotated[Sequence[DocumentId], Meta(max_length=500)]
_TEXTS = Annotated[Sequence[Text], Meta(max_length=20)]
_QUERY = Annotated[str, Meta(max_length=20_000)]
_WORD = Annotated[str, Meta(min_length=1, max_length=200)]
_WORDS = Annotated[Sequence[_WORD], Meta(max_length=20)]
_SIZE = Annotated[int, Meta(ge=10, le=500)]


def _whole(low: int, high: int) -> Any:
    return Annotated[int, Meta(ge=low, le=high)]


# What the server bounds more tightly than a verb does, so that no caller can keep it too busy.
LIMITS: dict[str, JsonObject] = {
    "bags": {"query": _QUERY, "k": _whole(1, 200), "start": _whole(0, 1000)},
    "clusters": {"clusters": _whole(10, 1000) | Literal["auto"], "seeds": _whole(1, 20)},
    "compare": {"resamples": _whole(20, 2000)},
    "documents": {"k": _whole(1, 2000)},
    "fit_topics": {"topics": _whole(2, 1000), "passes": _whole(1, 200)},
    "find_topic_neighbours": {"text": _QUERY, "k": _whole(1, 1000)},
    "infer": {"texts": _TEXTS, "k": _whole(1, 100)},
    "kwic": {"word": _WORDS, "window": _whole(0, 100), "k": _whole(1, 10_000)},
    "layout": {"words": _whole(10, 50_000)},
    "map": {"most": _whole(3, 5000)},
    "near": {"word": _WORDS, "k": _whole(1, 1000)},
    "run": {"k": _whole(1, 1000)},
    "search": {"query": _QUERY, "k": _whole(1, 200), "start": _whole(0, 1000), "metric": _NAME},
    "threshold": {"sample": _whole(40, 20_000) | None},
    "topic_shares": {"k": _whole(1, 1000)},
    "topics": {"k": _whole(1, 100)},
    "train_vectors": {
        "seeds": _whole(2, 10),
        "dimensions": Annotated[Sequence[_SIZE], Meta(max_length=1)],
        "min_count": _whole(1, 1000),
    },
    "zipf": {
        "clusters": _whole(10, 1000) | Literal["auto"],
        "seeds": _whole(1, 20),
        "draws": _whole(0, 1000),
    },
}
MOST_DOCUMENTS = {"pairs": 500}  # of an index of which every pair is sent
MOST_ROWS = {"kwic": 10_000}
DEFAULTS: dict[str, dict[str, object]] = {
    "compare": {"explain": True},
    "kwic": {"k": 100},
    "map": {"most": 1000},
    "threshold": {"sample": 2000},
}
# An address to which the server would connect; a binary file.
_WITHHELD = {"cluster", "mixtures"}
_ONLY_PRINTED = {("search", "run"), ("bags", "run")}  # changes what the command line prints
_OLD_NAMES = {"q": "query", "text": "texts"}  # of 0.1, beside those of the verbs
_USUAL = {"text": "query", "id": "document"}  # what people try first
_SEE = "See /openapi.json for what is allowed."
_TWO_TEXTS = {"kwic"}  # verbs whose texts may also be called text_a and text_b


def make_parameter(name: str, kind: Any, text: str = "", default: object = None) -> Parameter:
    """Return a parameter of the server's own."""
    repeated = isinstance(default, list)
    kind = kind | None if default is None else kind
    return Parameter(name, kind, default, text, False, repeated, Flags(), None)


_FORMAT = make_parameter("format", Literal["json", "csv"], "CSV has the results alone.", "json")
_INDEX = make_parameter("index", Id, "Id of an index; needed only if there are several.")
_CHOSEN = (
    make_parameter("document", _DOCUMENTS, "Only these documents of the index, by their ids.", []),
    make_parameter("text", _TEXTS, "Or these texts themselves.", []),
)


def offer(verb: Verb) -> dict[str, Parameter]:
    """Return the parameters of a verb as requests may hold them, by name."""
    offered: dict[str, Parameter] = {}
    for parameter in verb.parameters:
        if _is_offered(verb, parameter):
            for one in _offer_one(verb, parameter):
                if one not in _CHOSEN or one.name not in offered:
                    offered[one.name] = one
    return {**offered, "format": _FORMAT}


def _is_offered(verb: Verb, parameter: Parameter) -> bool:
    known = parameter.name in _WITHHELD or (verb.name, parameter.name) in _ONLY_PRINTED
    return parameter.flags.served and not known


def _offer_one(verb: Verb, parameter: Parameter) -> Iterator[Parameter]:
    name, about = parameter.name, parameter.help
    match kind_of(verb, parameter):
        case "option":
            kind = LIMITS.get(verb.name, {}).get(name, parameter.type)
            default = DEFAULTS.get(verb.name, {}).get(name, parameter.default)
            kind = kind | None if default is None else kind
            yield replace(parameter, type=kind, default=default, positional=False)
        case "index":
            yield replace(_INDEX, name=name)
        case "text" | "side" as which:
            wanted = "a document" if which == "text" else "an index or of a document"
            by_id, itself = name_sides(name)
            yield make_parameter(by_id, DocumentId, f"Id of {wanted}. {about}".rstrip())
            yield make_parameter(itself, Text, "Or the text itself.")
            yield _INDEX
        case "texts" if verb.served == "own":
            yield replace(_CHOSEN[1], default=REQUIRED, help="The texts themselves.")
        case "texts":
            yield from (_INDEX, *_CHOSEN)
            if verb.name in _TWO_TEXTS:
                yield from (make_parameter(f"text_{side}", Text, "A text itself.") for side in "ab")
        case "vectors":
            needed = REQUIRED if parameter.required else None
            if name != "models":
                default = parameter.default if isinstance(parameter.default, str) else needed
                yield make_parameter(name, _NAME, "Name of a set of word vectors.", default)
            if parameter.repeated:
                default = needed if name == "models" else None
                yield make_parameter("models", Id, "Id of models, for error bars.", default)
        case "file":
            kind = _TEXTS if parameter.repeated else Text
            default = REQUIRED if parameter.required else [] if parameter.repeated else None
            sent = make_parameter(name, kind, f"{about} Send its content.".lstrip(), default)
            yield replace(sent, repeated=parameter.repeated)


def name_sides(name: str) -> tuple[str, str]:
    """Return the parameters for the id of a text and for the text itself."""
    return ("text_id", "text") if name == "text" else (name, f"text_{name}")


def kind_of(verb: Verb, parameter: Parameter) -> str:
    """Return what a parameter is over HTTP; of two collections each is one side."""
    if parameter.input is None:
        return "option"
    if parameter.input.kind not in ("texts", "collections"):
        return parameter.input.kind
    inputs = [one.input for one in verb.parameters if one.input]
    several = sum(one.kind in ("texts", "collections") for one in inputs) > 1
    return "side" if several else "texts"


@dataclass(frozen=True)
class VerbRequest:
    """A verb, and the parameters that were sent, checked."""

    verb: Verb
    values: JsonObject

    @property
    def format(self) -> str:
        return str(self.values.get("format", "json"))


def read_request(verb: Verb, given: Mapping[str, object], *, lax: bool = False) -> VerbRequest:
    """Return a checked request; ``lax`` reads numbers that are written as text."""
    return VerbRequest(verb, read_values(verb.name, offer(verb), given, lax=lax))


def read_values(
    name: str, offered: Mapping[str, Parameter], given: Mapping[str, object], *, lax: bool = False
) -> JsonObject:
    """Return checked values by the names of parameters; raise InvalidError if one is wrong."""
    values: JsonObject = {}
    renamed = {one.flags.old: one.name for one in offered.values() if one.flags.old}
    first = {old: renamed.get(new, new) for old, new in _OLD_NAMES.items()}
    former = {**first, **renamed}
    for key, value in given.items():
        known = key if key in offered else former.get(key, key)
        if known not in offered:
            raise InvalidError(f"{name} has no parameter {key[:100]!r}.", _suggest(key, offered))
        if known in values:
            raise InvalidError(f"{key} and {known} are the same.", f"Give only {known}.")
        try:
            values[known] = offered[known].convert(value, lax=lax)
        except InputError as error:
            itself = f"text_{known}"
            hint = f"Send a text itself as {itself}." if itself in offered else _SEE
            raise InvalidError(error.message, hint) from error
    missing = [one.name for one in offered.values() if one.required and one.name not in values]
    if missing:
        raise InvalidError(f"{name} needs {' and '.join(missing)}.", _SEE)
    return values


def _suggest(key: str, offered: Mapping[str, Parameter]) -> str:
    """Return the parameter that ``key`` probably means, or else the main one of the verb."""
    if (usual := _USUAL.get(key)) in offered:
        key = str(usual)
    main = [name for name in offered if name not in ("index", "format", "document")] or [*offered]
    return f"{correct(key, offered, f'Did you mean {main[0]!r}?')} It has: {', '.join(offered)}."


def _number_texts(texts: Sequence[str]) -> dict[str, str]:
    return {f"text {number}": text for number, text in enumerate(texts, 1)}


def _has(verb: Verb, name: str) -> bool:
    return any(parameter.name == name for parameter in verb.parameters)


class Call:
    """A request as a worker gets it; ids become paths here and nowhere else.

    An argument that is a collection, a text or an index is an object with the ``path`` of an index,
    the ids of ``documents`` in it, and ``texts`` by their names. index: what is asked about. kept:
    all that is read. sources: paths of other stores that the answer depends on, and names by which
    callers know them.
    """

    def __init__(self, request: VerbRequest, library: Library) -> None:
        self.verb, self._values, self._library = request.verb, request.values, library
        self.index: Holding | None = None
        self.kept: list[Holding] = []
        self.sources: dict[str, str] = {}
        self.arguments: JsonObject = {}
        for parameter in self.verb.parameters:
            value = self._resolve(parameter) if _is_offered(self.verb, parameter) else None
            if value is not None:
                self.arguments[parameter.name] = value

    def _resolve(self, parameter: Parameter) -> Any:
        name = parameter.name
        match kind_of(self.verb, parameter):
            case "option":
                return self._values.get(name, DEFAULTS.get(self.verb.name, {}).get(name))
            case "index":
                return {"path": self._open(self._values.get(name))}
            case "text" | "side" as kind:
                return self._resolve_side(parameter, kind)
            case "texts" if self.verb.served == "own":
                return {"texts": _number_texts(self._values["text"])}
            case "texts":
                return self._resolve_texts(parameter)
            case "vectors":
                return self._resolve_vectors(parameter)
            case "file":
                return self._values.get(name)

    def _open(self, id: str | None) -> str:
        """Return the path of the index that is asked about."""
        find = self._library.find_own if self.verb.served == "own" else self._library.find_index
        self.index = find(id)
        self.kept.append(self.index)
        return str(self.index.path)

    def _add_source(self, kept: Holding) -> str:
        self.kept.append(kept)
        self.sources[str(kept.path)] = kept.id
        return str(kept.path)

    def _resolve_side(self, parameter: Parameter, kind: str) -> JsonObject | None:
        """Return a text, or one of two collections: by an id, or as it was sent."""
        by_id, itself = name_sides(parameter.name)
        id, text = self._values.get(by_id), self._values.get(itself)
        if id is None and text is None and self._values.get(f"{parameter.name}_where"):
            return {"path": self._open(self._values.get("index"))}
        if id is None and text is None and not parameter.required:
            return None
        if (id is None) == (text is None):
            group = f"{parameter.name}_where"
            also = f", or a group with {group}" if _has(self.verb, group) else ""
            raise InputError(f"Give either {by_id} (an id) or {itself}{also}.")
        if text is not None:
            side = parameter.name.upper()
            return {"texts": {f"text {side}" if len(side) == 1 else "the text": text}}
        if kind == "side" and id in self._library.indexes:
            return {"path": self._add_source(self._library.find_index(id))}
        index = self._values.get("index")
        if index is None and len(self._library.indexes) != 1:
            raise InputError(
                f"{by_id} is the id of a document, so an index is needed.",
                f"Name it with index=, or send a text itself as {itself}.",
            )
        return {"path": self._open(index), "documents": [id]}

    def _resolve_texts(self, parameter: Parameter) -> JsonObject | None:
        """Return the documents and texts that were chosen, or the whole index."""
        values, index = self._values, self._values.get("index")
        sides = "ab" if self.verb.name in _TWO_TEXTS else ""
        texts = {f"text {side.upper()}": values.get(f"text_{side}") for side in sides}
        if isinstance(sent := values.get("text"), list):
            texts |= _number_texts(sent)
        texts = {name: text for name, text in texts.items() if text is not None}
        documents = list(dict.fromkeys(values.get("document") or ()))
        if not documents and not texts:
            return {"path": self._open(index)} if parameter.required else None
        path = self._open(index) if documents or index else None
        return {"path": path, "documents": documents, "texts": texts}

    def _resolve_vectors(self, parameter: Parameter) -> Any:
        """Return a set of vectors by its name, or the folder of models."""
        models = self._values.get("models") if parameter.repeated else None
        if models is not None:
            return [{"path": self._add_source(self._library.find_models(models))}]
        name = None if parameter.name == "models" else self._values.get(parameter.name)
        name = parameter.default if name is None else name
        if not isinstance(name, str):
            return None
        if (folder := find_imported(name)) is not None:
            self.sources[str(folder)] = name
        return [{"set": name}] if parameter.repeated else {"set": name}
