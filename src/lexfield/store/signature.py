"""Ed25519 signatures over the root of a store: they reveal forgery, as checksums reveal damage.

A signature is a file of 128 hexadecimal digits. It is computed over the line
``lexfield root ROOT``, so any tool that knows Ed25519 can check it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lexfield.errors import InputError, need
from lexfield.store.files import replace_file

_MOST = 10_000  # bytes of a key or a signature
_SIGNATURE = re.compile(r"[0-9a-f]{128}\n?")
_MAKE = "Make one with: openssl genpkey -algorithm ed25519 -out private.pem"


def sign_root(root: str, key: str | Path, output: str | Path) -> None:
    """Write the signature of a root by the private key in a PEM file."""
    private = _load_key(key, "private")
    signature: bytes = private.sign(_message(root))
    replace_file(Path(output), signature.hex().encode() + b"\n")


def is_signed(root: str, key: str | Path, signature: str | Path) -> bool:
    """Return whether a file has the signature of this root by the owner of a public key."""
    public = _load_key(key, "public")
    text = _read(signature).decode("ascii", "replace")
    if not _SIGNATURE.fullmatch(text):
        raise InputError(f"{signature} is not a signature.", "Sign again: lexfield sign")
    try:
        public.verify(bytes.fromhex(text.strip()), _message(root))
    except need("cryptography.exceptions", "sign").InvalidSignature:
        return False
    return True


def _message(root: str) -> bytes:
    return f"lexfield root {root}\n".encode()


def _load_key(path: str | Path, kind: str) -> Any:
    """Return the Ed25519 key of a PEM file."""
    serialization = need("cryptography.hazmat.primitives.serialization", "sign")
    ed25519 = need("cryptography.hazmat.primitives.asymmetric.ed25519", "sign")
    data = _read(path)
    try:
        if kind == "private":
            found = serialization.load_pem_private_key(data, password=None)
        else:
            found = serialization.load_pem_public_key(data)
    except Exception as error:  # of several kinds, some of them not documented
        raise InputError(f"{path} is not a {kind} key in PEM format.", _MAKE) from error
    wanted = ed25519.Ed25519PrivateKey if kind == "private" else ed25519.Ed25519PublicKey
    if not isinstance(found, wanted):
        raise InputError(f"{path} is a key of another kind than Ed25519.", _MAKE)
    return found


def _read(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
