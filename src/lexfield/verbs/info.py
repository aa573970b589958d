"""``lexfield info``, ``verify`` and ``sign``: what is stored, and whether it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from lexfield.cluster.shards import check_shards
from lexfield.errors import CorruptError, InputError, LexfieldError, NotAStoreError, StoreError
from lexfield.index.build import KIND
from lexfield.index.names import is_in_memory, name_encoding
from lexfield.index.parts import ENCODER, legacy_folders, stale_parts
from lexfield.index.topics import has_topics
from lexfield.results import JsonObject, pluralise
from lexfield.search.index import Index
from lexfield.store.folder import SHARDS, Store, manifest_sum
from lexfield.store.manifest import CURRENT, FileCheck, root_of
from lexfield.store.manifest import verify as verify_store
from lexfield.store.mirror import Mirror, name_path
from lexfield.store.remote import is_address
from lexfield.store.signature import is_signed, sign_root
from lexfield.study.database import verify as verify_study
from lexfield.vectors.sources import find_metric
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.input import IndexInput, Sources, open_index
from lexfield.verbs.options import FileInput, Target
from lexfield.verbs.results import Result, hidden

_LINE = 160  # characters of the values of a metadata field


@dataclass(kw_only=True)
class IndexInfo:
    """The sizes of an index in bytes and by part, its vectors and the words they know, metadata."""

    path: str
    generation: int
    bytes: int
    parts: dict[str, int]
    documents: int
    deleted: int
    segments: int
    sentences: int
    tokens: int
    words: int
    language: str
    normalisation: dict[str, bool | str]
    vectors: JsonObject
    encoder: JsonObject | None = None  # its name, and whether all texts were encoded
    metadata: dict[str, dict[str, int]]
    shards: list[JsonObject] | UnsetType = UNSET
    topics: bool


@dataclass(repr=False)
class Info(Result[IndexInfo]):
    """The contents of an index, in figures."""

    def lines(self) -> Iterable[str]:
        (info,) = self.results
        coverage = info.vectors["coverage"]
        total = sum(matches["tokens"] for matches in coverage.values())
        yield (
            f"index       {info.path} ({info.bytes / 1e6:,.1f} MB, generation {info.generation})"
        )
        yield f"documents   {info.documents:,}"
        yield f"sentences   {info.sentences:,}"
        yield f"tokens      {info.tokens:,} ({info.words:,} distinct)"
        yield f"vectors     {info.vectors['name']}, {info.vectors['dims']} dimensions"
        if info.encoder:
            state = "" if info.encoder["finished"] else "; it has not seen all texts yet"
            yield f"encoder     {info.encoder['name']}, {info.encoder['dims']} dimensions{state}"
        if (stem := info.normalisation.get("stem", "none")) != "none":
            yield f"stems       {stem}"
        for match, matches in coverage.items():
            if matches["types"]:
                share = f"{matches['tokens'] / total:.2%} of tokens"
                yield f"  {match:<9} {matches['types']:,} distinct words, {share}"
        for name, values in info.metadata.items():
            shown = ", ".join(f"{value or '(empty)'} {count:,}" for value, count in values.items())
            yield f"{name:<11} {shown[:_LINE]}{'…' if len(shown) > _LINE else ''}"
        each = max(1, info.sentences)
        yield f"size        {info.bytes / each:,.0f} bytes per sentence"
        for part, size in info.parts.items():
            yield f"  {part:<13} {size / each:9,.1f} {size / max(1, info.bytes):7.1%}"


@verb
def info(index: IndexInput) -> Info:
    """Describe an index: sizes, metadata, vectors and how many words they cover.

    lexfield info my.idx
    lexfield info my.idx --json
    """
    row, notes = describe_index(open_index(index))
    return Info([row], notes=notes)


def describe_index(index: Index) -> tuple[IndexInfo, list[str]]:
    """Return the figures of an index, and notes."""
    found = index.info()
    notes = found.pop("notes")
    if index.is_in_memory:
        found["path"] = "in memory"
    return IndexInfo(**found, topics=has_topics(index.path)), notes


@dataclass(repr=False)
class Verification(Result[FileCheck]):
    """What was found of each file; ``root`` is one checksum over everything, ``mismatch`` says how
    it differs from the one that was expected or signed."""

    root: str | UnsetType = UNSET
    mismatch: str | UnsetType = UNSET
    path: Path = hidden()

    @property
    def place(self) -> str:
        """The path or the address."""
        return name_path(self.path)

    @property
    def damaged(self) -> list[FileCheck]:
        """The files that are damaged, missing or foreign."""
        return [check for check in self.results if check.problem]

    @property
    def failure(self) -> LexfieldError | None:
        if not self.damaged:
            hint = "It was changed, or is another: ask whoever gave you the root or the key."
            return CorruptError(self.mismatch, hint) if self.mismatch is not UNSET else None
        return CorruptError(
            f"{len(self.damaged)} of {len(self.results)} files in {self.place} are damaged, missing"
            " or foreign.",
            "Restore it from a backup or build it again from its source.",
        )

    def lines(self) -> Iterable[str]:
        for check in self.damaged:
            yield f"damaged: {check.file}: {check.problem}"
        if not self.damaged:
            size = sum(check.bytes for check in self.results) / 1e6
            unit = "row" if self.path.is_file() else "block"
            files = pluralise(len(self.results), "file")
            start = "ok" if self.mismatch is UNSET else "not the one expected"
            yield f"{start}: {files}, {size:,.1f} MB, every {unit} as written"
        if self.root is not UNSET:
            yield f"root: {self.root}"


VerifiedInput = Annotated[
    IndexInput,
    Flags(metavar="PATH", old="path"),
    Help("An index, a vector set, a metric or a study."),
]


@verb
def verify(
    index: VerifiedInput,
    *,
    root: Annotated[
        str | None,
        Meta(pattern="^[0-9a-f]{64}$"),
        Flags(metavar="HEX"),
        Help("Root that it must have, from a source that you trust."),
    ] = None,
    key: Annotated[
        FileInput | None,
        Flags(metavar="PEM"),
        Help("Public Ed25519 key of the person who should have signed it."),
    ] = None,
    signature: Annotated[
        FileInput | None,
        Flags(metavar="FILE"),
        Help("Its signature; PATH.sig by default."),
    ] = None,
) -> Verification:
    """Check that an index, a vector set or a study is undamaged.

    Every byte of an index or a vector set is checked, and every row of a study. The topics,
    metrics and shards of an index are checked with it. Files that are damaged, missing or foreign
    (added by someone else) are named. The exit code is 0 if everything is as written, else 2. The
    root is one SHA-256 over everything: two indexes with the same root have the same content.
    Damage is found by checksums alone; forgery only by --root or --key.

        lexfield verify my.idx
        lexfield verify my.idx --key public.pem
        lexfield verify my.idx/metrics/same
        lexfield verify study.db
    """
    checked = check_store(index)
    if not isinstance(checked.root, str):
        if root or key or signature:
            raise InputError(f"{checked.place} has no root.", "Name an index or a vector set.")
        return checked
    if root not in (None, checked.root):
        checked.mismatch = f"{checked.place} has the root {checked.root}, not {root}."
    elif key is not None:
        signed = signature or name_signature(checked.path)
        if not is_signed(checked.root, key, signed):
            checked.mismatch = f"{signed} is not a signature of {checked.place} by this key."
    elif signature is not None:
        raise InputError("A signature is checked with a key.", "Add --key PEM.")
    return checked


def name_signature(path: Path) -> Path:
    """Return where the signature of a store is by default."""
    if Mirror.at(path):
        raise InputError(f"{name_path(path)} is an address.", "Name the file of its signature.")
    return path.with_name(f"{path.name}.sig")


def check_store(index: Index | Sources) -> Verification:
    """Check every byte of a store, and every row of a study."""
    address = index.address if isinstance(index, Index) else str(index)
    if is_address(address):
        return _check_address(address)
    place = index.path if isinstance(index, Index) else Path(str(index))
    if place.is_file():
        return Verification(_check_study(place), path=place)
    if find_metric(place):
        prefix = f"/metrics@{place.name}@"
        checks = [one for one in verify_store(place.parent.parent) if prefix in one.file]
        return Verification(checks, path=place)
    checks = verify_store(place)
    try:
        store = Store.open(place)
    except StoreError:  # a file is missing, as the checks say
        return Verification(checks + _check_folders(place, None), path=place)
    return Verification(
        checks + _check_folders(place, store),
        root=root_of(place),
        path=place,
        notes=_list_notes(place, store),
    )


def _check_address(address: str) -> Verification:
    """Check every byte of an index at an address, with its shards, as it is there."""
    mirror = Mirror(address)
    checks = mirror.verify()
    store = Store.open(mirror.root)
    for shard in _list_shards(store):
        name = f"{SHARDS}/{shard['name']}"
        inner = Mirror(f"{mirror.address}/{name}")
        try:
            found = inner.verify()
            if root_of(inner.root) != shard["root"]:
                found.append(FileCheck(CURRENT, 0, "foreign: not the shard that was built"))
        except StoreError as error:
            found = [FileCheck(CURRENT, 0, error.message)]
        checks += [replace(check, file=f"{name}/{check.file}") for check in found]
    return Verification(checks, root=store.root, path=mirror.root)


def _check_study(path: Path) -> list[FileCheck]:
    try:
        return verify_study(path)
    except NotAStoreError as error:
        raise NotAStoreError(
            f"{path} is neither an index, a vector set nor a study.",
            "An index and a vector set are folders. If it was a study, its first bytes are damaged:"
            " restore it from a backup.",
        ) from error


def _check_folders(path: Path, store: Store | None) -> list[FileCheck]:
    """Check the stores in the folder of an index: shards, and what was never part of it."""
    listed = {f"shards/{shard['name']}": shard for shard in _list_shards(store)}
    existing = {
        found.parent.relative_to(path).as_posix()
        for pattern in (f"topics/{CURRENT}", f"metrics/*/{CURRENT}", f"shards/*/{CURRENT}")
        for found in path.glob(pattern)
    }
    checks: list[FileCheck] = []
    for name in sorted(existing | set(listed)):
        if name not in existing:
            checks.append(FileCheck(f"{name}/{CURRENT}", 0, "missing: the index lists it"))
        elif store is not None and store.schema > 1 and not name.startswith("shards/"):
            checks.append(FileCheck(f"{name}/{CURRENT}", 0, "foreign: not part of this index"))
        else:
            checks += _check_inner(path, name, listed.get(name))
    return checks


def _check_inner(path: Path, name: str, listed: dict[str, str] | None) -> list[FileCheck]:
    """Check a store in the folder of another, and whether it is the one that is listed."""
    try:
        checks = verify_store(path / name)
        if listed and (
            manifest_sum(path / name) != listed["manifest"]
            or listed.get("root") not in (None, root_of(path / name))
        ):
            checks.append(FileCheck(CURRENT, 0, "foreign: not the shard that was built"))
    except (CorruptError, NotAStoreError) as error:  # the rest is checked all the same
        checks = [FileCheck(CURRENT, 0, error.message)]
    return [replace(check, file=f"{name}/{check.file}") for check in checks]


def _list_shards(store: Store | None) -> list[dict[str, str]]:
    if store is None or store.kind != "index in shards":
        return []
    check_shards(store)
    shards: list[dict[str, str]] = store.meta["shards"]
    return shards


def _list_notes(path: Path, store: Store) -> list[str]:
    """Return what is not damage, but good to know."""
    if store.kind != KIND:
        return []
    try:
        stale = stale_parts(store, open_index(path).segments)
    except CorruptError:  # as the checks say
        return []
    return [
        f"some texts have not been encoded; continue with: {name_encoding(path)}"
        if name == ENCODER
        else f"stale: {name} lacks the newest texts, so every search computes it again;"
        f" update it with: lexfield compact {path}"
        for name in stale
    ] + [
        f"{folder.relative_to(path).as_posix()} was written by lexfield 0.1, which did not bind it"
        f" to this index; bind it, if it fits, with: lexfield compact {path}"
        for folder in legacy_folders(store)
    ]


@dataclass(kw_only=True)
class SignatureRow:
    """A signature: its file, and the root that it is over."""

    signature: str
    root: str


@dataclass(repr=False)
class Signed(Result[SignatureRow]):
    """The signature of a store."""

    def lines(self) -> Iterable[str]:
        (row,) = self.results
        return [f"wrote {row.signature}", f"root: {row.root}"]


@verb(served="no")
def sign(
    index: VerifiedInput,
    *,
    key: Annotated[
        FileInput, Flags(metavar="PEM"), Help("Your private Ed25519 key, without a password.")
    ],
    output: Annotated[
        Target | None, Flags(("-o",), "FILE"), Help("File for the signature; PATH.sig by default.")
    ] = None,
) -> Signed:
    """Sign an index or a vector set, so that others can tell it from a forged one.

    Everything is verified first; then the root is signed. Anyone who has your public key can check
    the signature with lexfield verify --key. Sign again after every change.

        openssl genpkey -algorithm ed25519 -out private.pem
        openssl pkey -in private.pem -pubout -out public.pem
        lexfield sign my.idx --key private.pem
        lexfield verify my.idx --key public.pem
    """
    checked = check_store(index)
    if failure := checked.failure:
        raise failure
    if not isinstance(checked.root, str) or (output is None and is_in_memory(checked.path)):
        raise InputError(f"{checked.place} has no root to sign.", "Name an index or a vector set.")
    target = Path(output) if output is not None else name_signature(checked.path)
    sign_root(checked.root, key, target)
    return Signed([SignatureRow(signature=str(target), root=checked.root)])
