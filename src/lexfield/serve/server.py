"""The state of one server: its library, its workers and its cache of answers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec

from lexfield.errors import LexfieldError
from lexfield.results import JsonObject
from lexfield.search.registry import METHODS
from lexfield.serve import uploads
from lexfield.serve.guard import Limits
from lexfield.serve.inputs import Call, VerbRequest, read_request
from lexfield.serve.jobs import Job, Jobs
from lexfield.serve.library import INDEXES, MODELS, Holding, Library, Scrubber
from lexfield.serve.pastes import Pastes
from lexfield.serve.pool import Pool, generation_of, hide_paths
from lexfield.serve.problems import NotFoundError
from lexfield.store.folder import Store
from lexfield.store.provenance import digest_request
from lexfield.vectors.sources import find_home, list_sets
from lexfield.verbs import list_functions
from lexfield.verbs.declare import Verb

TASK, BUILD, WARM, PREVIEW = (
    f"lexfield.serve.tasks:{name}" for name in ("run", "build", "warm", "preview")
)
TRAIN = "train_vectors"  # the one verb that writes a folder of its own into the library
_OLD_JOBS = {"fit": "fit_topics", "models": TRAIN}  # in version 0.1
_KEPT, _LARGEST = 50_000_000, 5_000_000  # bytes of answers that are remembered, and of one
_ENTRY = (
    1000  # bytes that are counted for the question of an answer: a digest, and states of stores
)


@dataclass(frozen=True)
class IndexSummary:
    """An index of the library."""

    id: str
    documents: int
    sentences: int
    tokens: int
    words: int
    language: str
    vectors: str
    topics: bool
    metadata: dict[str, dict[str, int]]
    uploaded: bool


@dataclass(frozen=True)
class ModelsSummary:
    """Models of the library, by their dimensions."""

    id: str
    dims: list[int]
    models: int
    words: int


@dataclass(frozen=True)
class Holdings:
    """What a server holds, and its limits; ``damaged`` says what cannot be read, and why."""

    indexes: list[IndexSummary]
    models: list[ModelsSummary]
    vectors: list[str]
    methods: list[str]
    limits: dict[str, float]
    damaged: dict[str, str]


@dataclass(frozen=True)
class PreviewColumn:
    """A column of a table, and what it would be used for."""

    name: str
    role: Literal["text", "title", "id", "metadata"]


@dataclass(frozen=True)
class Preview:
    """The beginning of a table; a file of plain text has no columns."""

    columns: list[PreviewColumn]
    rows: list[dict[str, str]]


def find_verb(name: str) -> Verb:
    """Return a verb that can be a job, by its name or by that of version 0.1."""
    listed = list_functions().get(_OLD_JOBS.get(name, name))
    verb = listed.load() if listed else None
    if verb is None or verb.served == "no":
        known = ", ".join(one.name for one in list_served())
        raise NotFoundError(f"There is no verb {name[:100]!r}.", f"There are: {known}.")
    return verb


def list_served() -> list[Verb]:
    """Return the verbs that are offered over HTTP."""
    loaded = (listed.load() for listed in list_functions().values())
    return sorted((verb for verb in loaded if verb.served != "no"), key=lambda verb: verb.name)


class Server:
    """Asks workers and remembers their answers; starts jobs; builds indexes."""

    def __init__(self, library: Library, limits: Limits, workers: int) -> None:
        self.library, self.limits = library, limits
        self.pool = Pool(workers, self._choose_first_task, limits.memory)
        self.pastes = Pastes(library.folder / "pastes")
        self.jobs = Jobs(memory=limits.memory)
        self.scrubber = Scrubber(library)
        self.ready = False
        self._cache: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._size = 0

    async def warm(self) -> None:
        """Open the indexes before the first request asks for them."""
        await self.pool.warm()
        self.ready = True
        await self.jobs.warm(WARM, {"paths": []})

    def _choose_first_task(self) -> tuple[str, JsonObject]:
        """Return what a new process does first."""
        return WARM, {"paths": [str(kept.path) for kept in self.library.indexes.values()]}

    def make_item(self, request: VerbRequest) -> tuple[JsonObject, Holding | None]:
        """Return what a worker is asked, and the index that it is asked about."""
        request = self.pastes.expand(request)
        call = Call(request, self.library)
        for kept in call.kept:
            self.scrubber.check(kept)
        names = call.sources | {str(find_home()): "~"}
        if call.index is not None:
            names[str(call.index.path)] = call.index.id
        item = {
            "verb": request.verb.name,
            "path": None if call.index is None else str(call.index.path),
            "options": call.arguments,
            "format": request.format,
            "names": names,
            "sources": list(call.sources),
            "request": digest_request(request.verb.name, request.values),
        }
        return item, call.index

    async def answer(self, request: VerbRequest) -> bytes:
        """Return the answer of a verb; one that was given before, unless something has changed."""
        item, kept = self.make_item(request)
        key = make_key(item, kept)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        found = await self.pool.ask(TASK, item)
        if key == make_key(item, kept):  # else it is of a newer state
            self._remember(key, found)
        return found

    def _remember(self, key: tuple[Any, ...], found: bytes) -> None:
        if len(found) <= _LARGEST:
            if key in self._cache:
                self._size -= len(self._cache.pop(key)) + _ENTRY
            self._cache[key] = found
            self._size += len(found) + _ENTRY
            while self._size > _KEPT:
                self._size -= len(self._cache.popitem(last=False)[1]) + _ENTRY

    def start(self, request: VerbRequest, follower: str | None = None) -> Job:
        """Start a verb as a job, the same for the same question; its answer is remembered, too."""
        item, kept = self.make_item(request)
        key = make_key(item, kept)
        name, answers = request.verb.name, request.verb.served == "yes"
        changes = request.verb.served == "own"  # repeated requests run again
        if not changes and (job := self.jobs.share(key, follower, answered=answers)):
            return job
        if name == TRAIN and kept is not None:
            return self._train(item, kept, key, follower)

        def done(answer: bytes) -> None:
            if answers and key == make_key(item, kept):
                self._remember(key, answer)

        index = kept.id if kept else None
        return self.jobs.start(name, index, TASK, item, key=key, follower=follower, done=done)

    def _train(
        self, item: JsonObject, kept: Holding, key: tuple[Any, ...], follower: str | None
    ) -> Job:
        """Train models of an index, as a job; a job that fails leaves nothing behind."""
        room = self.library.make_room(MODELS, kept.id)
        item["options"] |= {"output": str(room.target), "replace": True}
        item["names"][str(room.target)] = room.id
        ending: JsonObject = {"done": room.move_in, "ended": room.clear}
        return self.jobs.start(TRAIN, kept.id, TASK, item, key=key, follower=follower, **ending)

    def build(
        self,
        name: str,
        files: list[uploads.Sent],
        reading: JsonObject,
        follower: str | None = None,
    ) -> Job:
        """Build an index of files, as a job; they are deleted at its end.

        ``reading`` are the fields with the text and the title, and the language.
        """
        room = self.library.make_room(INDEXES, name)
        texts = room.folder / "texts sent"
        try:
            texts.mkdir(0o700)
            _, left_out = uploads.keep(files, texts)
        except BaseException:
            room.clear()
            raise
        place = {"folder": str(texts), "target": str(room.target), "left_out": left_out}
        options = {**place, **reading}
        names = {str(texts): "", str(room.target): room.id}
        request = digest_request("build", {"name": name, **reading})
        item = {"id": room.id, "options": options, "names": names, "request": request}
        ending: JsonObject = {"done": room.move_in, "ended": room.clear}
        return self.jobs.start("build", room.id, BUILD, item, follower=follower, **ending)

    async def preview(self, files: list[uploads.Sent]) -> bytes:
        """Return the beginning of the first of some files, as JSON; nothing of it is kept."""
        with TemporaryDirectory(prefix="lexfield-") as folder:  # only its owner can read it
            (name, *_), _ = uploads.keep(files[:1], Path(folder))
            item = {"path_sent": str(Path(folder) / name), "names": {folder: ""}}
            return await self.pool.ask(PREVIEW, item)

    async def describe(self) -> Holdings:
        """Return everything that this server holds, and its limits."""
        asked = self.library.list_all()
        found = await asyncio.gather(*(self._summarise(*one) for one in asked.items()))
        problems = zip(asked, found, strict=True)
        still = self.library.list_all()  # something may have been deleted meanwhile
        return Holdings(
            indexes=[one for one in found if isinstance(one, IndexSummary)],
            models=[one for one in found if isinstance(one, ModelsSummary)],
            vectors=[entry.name for entry in list_sets() if entry.words is not None],
            methods=[name for name in METHODS.names() if name != "fuse"],
            limits=asdict(self.limits),
            damaged={id: what for id, what in problems if isinstance(what, str) and id in still},
        )

    async def _summarise(self, name: str, kept: Holding) -> IndexSummary | ModelsSummary | str:
        """Describe an index or models; return the problem of one that cannot be read."""
        try:
            self.scrubber.check(kept)
            is_index = name in self.library.indexes
            return await self._describe_index(kept) if is_index else _summarise_models(kept)
        except LexfieldError as error:
            names = {str(kept.path): kept.id}
            return self.scrubber.find_damage(kept) or hide_paths(error.message, names)

    async def _describe_index(self, kept: Holding) -> IndexSummary:
        info = msgspec.json.decode(await self.answer_info(kept.id))["results"][0]
        info |= {"id": kept.id, "uploaded": kept.uploaded, "vectors": info["vectors"]["name"]}
        return msgspec.convert(info, IndexSummary)

    async def answer_info(self, id: str) -> bytes:
        """Return what ``lexfield info --json`` prints about an index."""
        return await self.answer(read_request(find_verb("info"), {"index": id}))


def _summarise_models(kept: Holding) -> ModelsSummary:
    store = Store.open(kept.path, "models")
    made = store.meta["models"]
    dims = sorted({dims for dims, _ in made})
    return ModelsSummary(kept.id, dims, len(made), len(store.strings("words")))


def make_key(item: JsonObject, kept: Holding | None) -> tuple[Any, ...]:
    """Return the same for the same question to the same state of an index and of all sources.

    Questions may hold long texts, so a digest stands for them.
    """
    states = tuple(map(generation_of, item["sources"]))
    asked = sha256(msgspec.json.encode(item, order="deterministic")).digest()
    return asked, None if kept is None else kept.state(), states
