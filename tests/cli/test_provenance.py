"""Every answer names its request and the state of what it was computed from; roots are signed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from lexfield.search.index import Index
from lexfield.store.folder import Store
from lexfield.store.manifest import root_of
from tests.cli.conftest import Run
from tests.fault.artefacts import documents


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Index.build(documents(0, 8), tmp_path / "i")
    return tmp_path / "i"


def test_an_answer_names_what_it_was_computed_from(run: Run, path: Path) -> None:
    first = run("search", path, "storm", "--json").json["provenance"]
    assert first["stores"] == [{"path": str(path), "generation": "000001", "root": root_of(path)}]
    assert run("search", path, "storm", "--json").json["provenance"] == first
    other = run("search", path, "storms", "--json").json["provenance"]
    assert other["request"] != first["request"] and other["stores"] == first["stores"]
    deleted = run("delete", path, "d1", "--json").json["provenance"]
    assert deleted["stores"][0]["generation"] == "000002"
    assert deleted["stores"][0]["root"] == root_of(path) != first["stores"][0]["root"]


def test_the_root_covers_topics_metrics_and_vectors(run: Run, path: Path) -> None:
    before = root_of(path)
    assert run("topics", "fit", path, "-t", 3, "--passes", 1).code == 0
    assert root_of(path) != before
    manifest = json.loads((path / "000002" / "manifest.json").read_bytes())
    assert {name.split("@")[0] for name in manifest["files"] if "@" in name} == {"topics"}
    assert any(name.endswith(".vectors.npy") for name in manifest["files"])
    assert run("verify", path, "--root", root_of(path)).code == 0
    wrong = run("verify", path, "--root", before)
    assert wrong.code == 2 and f"not {before}" in wrong.err and "ok" not in wrong.out
    assert run("verify", path, "--root", "beef").code == 2


def test_signatures(run: Run, path: Path, tmp_path: Path) -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization as s

    private = ed25519.Ed25519PrivateKey.generate()
    (tmp_path / "private").write_bytes(
        private.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    )
    spki = s.PublicFormat.SubjectPublicKeyInfo
    (tmp_path / "public").write_bytes(private.public_key().public_bytes(s.Encoding.PEM, spki))
    check = ("verify", path, "--key", tmp_path / "public")
    assert "i.sig cannot be read" in run(*check).err
    assert run("sign", path, "--key", tmp_path / "private").code == 0
    assert run(*check).code == 0
    signature = bytes.fromhex((tmp_path / "i.sig").read_text())
    private.public_key().verify(signature, f"lexfield root {root_of(path)}\n".encode())
    assert "is not a private key" in run("sign", path, "--key", tmp_path / "public").err
    assert "checked with a key" in run("verify", path, "--signature", tmp_path / "i.sig").err

    forge(path)  # every checksum is right again
    assert run("verify", path).code == 0
    forged = run(*check, "--json")
    assert forged.code == 2 and "not a signature of" in forged.json["mismatch"]


def forge(path: Path) -> None:
    """Change a text, and the checksums of its file, of the manifest and of CURRENT."""
    import xxhash

    folder = path / Store.open(path).generation
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (name,) = (name for name in manifest["files"] if name.endswith("texts.bytes.npy"))
    data = (folder / name).read_bytes().replace(b"boat", b"goat")
    (folder / name).write_bytes(data)
    manifest["files"][name] |= {
        "xxh3": [xxhash.xxh3_64_hexdigest(data)], "sha256": hashlib.sha256(data).hexdigest(),
    }  # fmt: skip
    text = json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
    (folder / "manifest.json").write_text(text, "utf-8")
    current = json.loads((path / "CURRENT").read_bytes())
    current["manifest"] = xxhash.xxh3_64_hexdigest(text.encode())
    (path / "CURRENT").write_text(json.dumps(current, sort_keys=True, indent=1) + "\n")
