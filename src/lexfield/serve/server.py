"""The state of one server: what it holds, who works for it, and what it has answered before."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lexfield.errors import LexfieldError, StoreError
from lexfield.serve import uploads
from lexfield.serve.guard import Limits
from lexfield.serve.jobs import Job, Jobs
from lexfield.serve.library import INDEXES, MODELS, Kept, Library
from lexfield.serve.pool import Pool, generation_of, hide_paths
from lexfield.serve.requests import VERBS, Info, OfIndex, Request
from lexfield.serve.scrub import Scrubber
from lexfield.store.folder import Store
from lexfield.vectors.sources import find_imported

TASK = "lexfield.serve.tasks.run:run"
_CACHED, _LARGEST = 64, 1_000_000  # answers that are remembered, and bytes of one


class Server:
    """Asks workers and remembers their answers; starts jobs; builds indexes."""

    def __init__(self, library: Library, limits: Limits, workers: int) -> None:
        self.library, self.limits = library, limits
        self.pool = Pool(workers, self._first, limits.memory)
        self.jobs = Jobs(memory=limits.memory)
        self.scrubber = Scrubber(library)
        self.ready = False
        self._cache: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    async def warm(self) -> None:
        """Open the indexes before the first request asks for them."""
        await self.pool.warm()
        self.ready = True

    def _first(self) -> tuple[str, dict[str, Any]]:
        """What a new process does first."""
        paths = [str(kept.path) for kept in self.library.indexes.values()]
        return "lexfield.serve.tasks.run:warm", {"paths": paths}

    def item(self, verb: str, request: Request) -> tuple[dict[str, Any], Kept | None]:
        """What a worker is asked; ids become paths here and nowhere else."""
        options = request.model_dump(mode="json")
        sources: list[str] = []  # other stores that the answer depends on
        format = options.pop("format")
        kept = self.library.index(options["index"]) if _asks_index(request, options) else None
        if kept is not None:
            self.scrubber.check(kept)
            options["index"] = kept.id
        if "models" in options and verb in ("near", "threshold"):
            options["models_path"] = None
            if options["models"]:
                models = self.library.model(options["models"])
                self.scrubber.check(models)
                options["models_path"] = str(models.path)
                sources.append(options["models_path"])
        if (folder := find_imported(options.get("vectors") or "")) is not None:
            sources.append(str(folder))
        path = None if kept is None else str(kept.path)
        item = {"verb": verb, "path": path, "options": options, "format": format}
        return {**item, "sources": sources}, kept

    async def answer(self, verb: str, request: Request) -> bytes:
        """The answer of a verb, from memory if it was given before and nothing has changed."""
        item, kept = self.item(verb, request)
        key = _key(item, kept)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        found = await self.pool.ask(TASK, item)
        if key == _key(item, kept):  # else it is of a newer state
            self._remember(key, found)
        return found

    def _remember(self, key: tuple[Any, ...], found: bytes) -> None:
        if len(found) <= _LARGEST:
            self._cache[key] = found
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)

    def start(self, verb: str, request: Request, follower: str | None = None) -> Job:
        """A verb as a job, the same for the same question; its answer is remembered, too."""
        item, kept = self.item(verb, request)
        key = _key(item, kept)
        if job := self.jobs.shared(key, follower, answered=verb in VERBS):
            return job
        if verb == "models" and kept is not None:
            return self._train(item, kept, key, follower)

        def done(answer: bytes) -> None:
            if verb in VERBS and key == _key(item, kept):
                self._remember(key, answer)

        index = kept.id if kept else None
        return self.jobs.start(verb, index, TASK, item, key=key, follower=follower, done=done)

    def _train(
        self, item: dict[str, Any], kept: Kept, key: tuple[Any, ...], follower: str | None
    ) -> Job:
        """Train models of an index, as a job; nothing is left of one that does not end well."""
        folder = self.library.room()
        id, place = self.library.place(MODELS, kept.id)
        target = folder / id
        item["options"] |= {"id": id, "target": str(target)}
        done, ended = self._move_in(MODELS, id, target, place)
        return self.jobs.start(
            "models", kept.id, TASK, item, key=key, follower=follower, done=done, ended=ended
        )

    def _move_in(
        self, kind: str, id: str, target: Path, place: Path
    ) -> tuple[Callable[[bytes], None], Callable[[], None]]:
        """Return what a job does once ``target``, is whole, and at its end."""

        def done(_: bytes) -> None:
            target.rename(place)  # whole, or not there: a crash leaves no part of it
            self.library.register(kind, id, place)

        def ended() -> None:
            shutil.rmtree(target.parent, ignore_errors=True)
            self.library.release(kind, id)

        return done, ended

    def build(
        self,
        name: str,
        files: list[uploads.Sent],
        text_field: list[str],
        language: str,
        follower: str | None = None,
    ) -> Job:
        """Files become an index, as a job; they are gone when it is over."""
        folder = self.library.room()
        try:
            (folder / "texts").mkdir(0o700)
            uploads.keep(files, folder / "texts")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        id, place = self.library.place(INDEXES, name)
        target = folder / "index"
        options = {
            "folder": str(folder / "texts"), "target": str(target), "id": id,
            "text_field": text_field, "language": language,
        }  # fmt: skip
        item = {"verb": "build", "path": None, "options": options, "format": "json"}
        done, ended = self._move_in(INDEXES, id, target, place)
        return self.jobs.start("build", id, TASK, item, follower=follower, done=done, ended=ended)

    async def about_indexes(self) -> tuple[list[dict[str, Any]], dict[str, str]]:
        """Return what is known of every index, and for each that cannot be read its problem."""
        asked = list(self.library.indexes.values())
        found = await asyncio.gather(*map(self._about, asked), return_exceptions=True)
        indexes: list[dict[str, Any]] = []
        problems: dict[str, str] = {}
        for kept, about in zip(asked, found, strict=True):
            if not isinstance(about, BaseException):
                indexes.append(about)
            elif not isinstance(about, LexfieldError):
                raise about
            elif kept.id in self.library.indexes:  # else it was deleted meanwhile
                problems[kept.id] = self.scrubber.damage(kept) or about.message
        return indexes, problems

    def about_models(self) -> tuple[list[dict[str, Any]], dict[str, str]]:
        """Return the same of models; problems are by the names of ``Library.named``."""
        found: list[dict[str, Any]] = []
        problems: dict[str, str] = {}
        for kept in self.library.models.values():
            try:
                self.scrubber.check(kept)
                found.append(_describe_models(kept))
            except StoreError as error:
                told = self.scrubber.damage(kept) or error.message
                problems[f"models/{kept.id}"] = hide_paths(told, {"path": str(kept.path)})
        return found, problems

    async def _about(self, kept: Kept) -> dict[str, Any]:
        body = json.loads(await self.answer("info", Info(index=kept.id)))
        about = body["results"][0]
        names = ("documents", "sentences", "tokens", "words", "language", "topics", "metadata")
        return {
            "id": kept.id, **{name: about[name] for name in names},
            "vectors": about["vectors"]["name"], "uploaded": kept.uploaded,
        }  # fmt: skip


def _describe_models(kept: Kept) -> dict[str, Any]:
    store = Store.open(kept.path, "models")
    made = store.meta["models"]
    return {
        "id": kept.id, "dims": sorted({dims for dims, _ in made}), "models": len(made),
        "words": len(store.strings("words")),
    }  # fmt: skip


def _asks_index(request: Request, options: dict[str, Any]) -> bool:
    """Whether a request is about an index: some verbs also take texts instead."""
    if isinstance(request, OfIndex) or options.get("index") is not None:
        return True
    texts = options.get("text_a") is not None and options.get("text_b") is not None
    return "index" in options and not texts


def _key(item: dict[str, Any], kept: Kept | None) -> tuple[Any, ...]:
    """The same for the same question to the same state of an index and of all sources."""
    states = tuple(map(generation_of, item["sources"]))
    return json.dumps(item, sort_keys=True), None if kept is None else kept.state(), states
