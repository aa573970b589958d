"""``lexfield sign``"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lexfield.errors import InputError
from lexfield.index.names import is_in_memory
from lexfield.store.signature import sign_root
from lexfield.verbs.declare import Flags, Help, verb
from lexfield.verbs.info import VerifiedInput, check_store, name_signature
from lexfield.verbs.options import FileInput, Target
from lexfield.verbs.results import Result


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

    Everything is verified first; then the root is signed. Whoever has your public key checks the
    signature with lexfield verify --key. Sign again after every change.

        openssl genpkey -algorithm ed25519 -out private.pem
        openssl pkey -in private.pem -pubout -out public.pem
        lexfield sign my.idx --key private.pem
        lexfield verify my.idx --key public.pem
    """
    checked = check_store(index)
    if failure := checked.failure:
        raise failure
    if not isinstance(checked.root, str) or (output is None and is_in_memory(checked.path)):
        raise InputError(f"{checked.path} has no root to sign.", "Name an index or a vector set.")
    target = Path(output) if output is not None else name_signature(checked.path)
    sign_root(checked.root, key, target)
    return Signed([SignatureRow(signature=str(target), root=checked.root)])
