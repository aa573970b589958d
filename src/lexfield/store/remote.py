"""Files at an address: read with a bound, written, listed, and one of them swapped atomically.

Only S3 and files are allowed unless ``LEXFIELD_SCHEMES`` names other schemes. Whatever fsspec and
the libraries below it raise becomes a StoreError that names the address.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock

from lexfield.errors import CorruptError, LexfieldError, StoreError, need
from lexfield.store.manifest import REBUILD

T = TypeVar("T")
SCHEMES = "LEXFIELD_SCHEMES"  # further kinds of addresses, such as "https gs"
ONE_WRITER = "LEXFIELD_ONE_WRITER"  # set: write even where nothing keeps two writers apart
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# Blocks have checksums of ours; some servers send that of a whole file with a part of it.
_S3 = {
    "connect_timeout": 10, "read_timeout": 60, "response_checksum_validation": "when_required",
}  # fmt: skip
_POINTER = 1 << 16  # bytes of a file that is swapped, at most
_REFUSED = (409, 412)  # what S3 answers if a condition is not met, or another writes right now


class AbsentError(StoreError):
    """There is no such file at an address."""


def is_address(path: str | Path) -> bool:
    """Return whether this is an address such as s3://bucket/name rather than a path."""
    return "://" in str(path)


class Remote:
    """The files below an address."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        check_scheme(address)

    @cached_property
    def _reached(self) -> tuple[Any, str]:
        """The file system, and the address as it knows it."""
        fsspec = need("fsspec", "cluster")
        options: dict[str, Any] = {}
        if self.address.startswith("file://"):
            options = {"auto_mkdir": True}
        elif self.address.startswith("s3://"):
            # S3-compatible servers are named by AWS_ENDPOINT_URL, as in other tools.
            options = {"config_kwargs": _S3}
            if endpoint := os.environ.get("AWS_ENDPOINT_URL"):
                options["endpoint_url"] = endpoint
        try:
            files, root = fsspec.core.url_to_fs(self.address, **options)
        except (ImportError, ValueError) as error:
            raise StoreError(
                f"{self.address} cannot be reached: {error}", "Install the package that it names."
            ) from error
        return files, str(root).rstrip("/")

    def reach(self) -> None:
        """Raise StoreError if the package for this kind of address is missing."""
        self._reached  # noqa: B018

    @property
    def _files(self) -> Any:
        return self._reached[0]

    def _path(self, name: str) -> str:
        return f"{self._reached[1]}/{name}".rstrip("/")

    @contextmanager
    def _asking(self, name: str) -> Iterator[None]:
        """Turn errors of the network into a StoreError that names the address."""
        try:
            yield
        except LexfieldError:
            raise
        except FileNotFoundError as error:
            raise AbsentError(f"{self.address} has no {name}.", "Check the address.") from error
        except Exception as error:
            raise StoreError(f"{self.address} cannot be reached: {error}") from error

    def read(self, name: str, most: int) -> bytes:
        """Return a file. Raise CorruptError if it has more than ``most`` bytes."""
        return self.read_tagged(name, most)[0]

    def read_tagged(self, name: str, most: int) -> tuple[bytes, str]:
        """Return a file of at most ``most`` bytes, and the tag of this version of it."""
        with self._asking(name):
            self._files.invalidate_cache()
            if hasattr(self._files, "_call_s3"):
                data, tag = self._get_object(name, most + 1)
            else:
                with self._files.open(self._path(name)) as file:
                    data = bytes(file.read(most + 1))
                tag = hashlib.sha256(data).hexdigest()
        if len(data) > most:
            raise CorruptError(f"{self.address}/{name} is too large.", REBUILD)
        return data, tag

    def _get_object(self, name: str, most: int) -> tuple[bytes, str]:
        from fsspec.asyn import sync

        async def get() -> tuple[bytes, str]:
            bucket, key, _ = self._files.split_path(self._path(name))
            answer = await self._files._call_s3("get_object", Bucket=bucket, Key=key)
            data = bytearray()
            try:
                while len(data) < most and (piece := await answer["Body"].read(most - len(data))):
                    data += piece  # of what has arrived so far
                return bytes(data), str(answer["ETag"])
            finally:
                answer["Body"].close()

        found: tuple[bytes, str] = sync(self._files.loop, get)
        return found

    def read_range(self, name: str, start: int, stop: int) -> bytes:
        """Return the bytes of a file from ``start`` to ``stop``, at most."""
        with self._asking(name):
            return bytes(self._files.cat_file(self._path(name), start=start, end=stop))

    def write(self, name: str, data: bytes) -> None:
        """Write a small file."""
        with self._asking(name):
            self._files.pipe_file(self._path(name), data)

    def send(self, sources: dict[str, Path]) -> None:
        """Copy files of this machine to the names that are given for them."""
        if not sources:
            return
        with self._asking(next(iter(sources))):
            names = [self._path(name) for name in sources]
            self._files.put([str(path) for path in sources.values()], names)

    def create(self, name: str) -> bool:
        """Create an empty file; return False if there is one. Of two processes one succeeds."""
        return self._put_if(name, b"", None)

    def swap(self, name: str, data: bytes, tag: str | None) -> bool:
        """Replace a file if its version is still the one of ``tag`` (None: if there is none).

        Return whether it was replaced. If the answer is lost, the file tells.
        """
        try:
            done = self._put_if(name, data, tag)
        except StoreError:
            if not self._is(name, data):
                raise
            done = True
        return done or self._is(name, data)  # a library may have sent it twice

    def _is(self, name: str, data: bytes) -> bool:
        with suppress(StoreError):
            return self.read(name, len(data)) == data
        return False

    def _put_if(self, name: str, data: bytes, tag: str | None) -> bool:
        with self._asking(name):
            if hasattr(self._files, "_call_s3"):
                condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
                try:
                    self._files.pipe_file(self._path(name), data, **condition)
                except OSError as error:
                    response = getattr(error.__cause__, "response", {})
                    code = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
                    if code == 404 and tag is None:
                        raise StoreError(
                            f"{self.address} cannot be written: there is no such bucket.",
                            "Check the address, or create the bucket.",
                        ) from error
                    if code not in (*_REFUSED, 404):  # 404: what is to be replaced is gone
                        raise
                    return False
                return True
            if hasattr(self._files, "auto_mkdir"):  # of this machine
                return self._put_here(name, data, tag)
            if self._files.exists(self._path(name)) if tag is None else self._is_not(name, tag):
                return False
            self._files.pipe_file(self._path(name), data)
            return True

    def _put_here(self, name: str, data: bytes, tag: str | None) -> bool:
        target = self._path(name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with FileLock(self._path(".lock")):
            self._files.invalidate_cache()
            if self._files.exists(target) if tag is None else self._is_not(name, tag):
                return False
            temporary = f"{os.path.dirname(target)}/.{uuid.uuid4().hex}.tmp"
            try:
                self._files.pipe_file(temporary, data)
                self._files.mv(temporary, target)
            finally:
                with suppress(OSError):
                    os.unlink(temporary)
        return True

    def _is_not(self, name: str, tag: str) -> bool:
        try:
            return self.read_tagged(name, _POINTER)[1] != tag
        except AbsentError:
            return True

    def check_conditions(self, existing: str) -> None:
        """Raise StoreError if nothing keeps two writers apart here: a server may ignore conditions.

        ``existing`` is an empty file, which must not be created again.
        """
        if os.environ.get(ONE_WRITER):
            return
        if not hasattr(self._files, "_call_s3") and not hasattr(self._files, "auto_mkdir"):
            problem = f"{self.address.partition(':')[0]}:// has no conditional writes"
        elif self.create(existing):
            problem = "its server ignores the conditions of conditional writes"
        else:
            return
        raise StoreError(
            f"{self.address} cannot be written: {problem}, so two writers could overwrite each"
            " other.",
            f"If no two processes ever write there at once, set {ONE_WRITER}=1. Or write to a"
            " folder and copy it there, CURRENT last.",
        )

    def holds(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        with self._asking(name):
            self._files.invalidate_cache()
            return bool(self._files.isfile(self._path(name)))

    def names(self, folder: str = "") -> list[str]:
        """Return the names in a folder; none if it does not exist."""
        return sorted(name.rstrip("/").rpartition("/")[2] for name, _ in self._list(folder, False))

    def list_times(self) -> dict[str, float]:
        """Return when each file below the address was written, by the clock of the other side."""
        found = {}
        for path, about in self._list("", True):
            if about["type"] == "file":
                when = about.get("LastModified", about.get("mtime", about.get("created", 0.0)))
                name = path.removeprefix(self._path("")).lstrip("/")
                found[name] = when.timestamp() if isinstance(when, datetime) else float(when)
        return found

    def _list(self, folder: str, deep: bool) -> list[tuple[str, Any]]:
        with self._asking(folder):
            self._files.invalidate_cache()
            list_: Callable[..., Any] = self._files.find if deep else self._files.ls
            try:
                found = list_(self._path(folder), detail=True)
            except FileNotFoundError:
                return []
        every = found.values() if isinstance(found, dict) else found
        return [(str(about["name"]), about) for about in every]

    def remove(self, name: str) -> None:
        """Delete a file, or all below a name."""
        with self._asking(name), suppress(FileNotFoundError):
            self._files.rm(self._path(name), recursive=True)


def check_scheme(address: str) -> None:
    """Raise StoreError if an address is not allowed; by default only S3 and files are."""
    allowed = {"s3", "file", *os.environ.get(SCHEMES, "").replace(",", " ").lower().split()}
    found = _SCHEME.match(address)
    if found is None or "::" in address:
        raise StoreError(f"{address} is not an address.", "Addresses look like s3://bucket/name.")
    if found[1].lower() not in allowed:
        raise StoreError(
            f"{found[1]}:// is not among the addresses that lexfield opens:"
            f" {', '.join(sorted(allowed))}.",
            f"If you trust what is there, allow it: {SCHEMES}={found[1].lower()} lexfield …",
        )
