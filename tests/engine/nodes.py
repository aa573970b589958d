"""A Dask cluster of real processes over TCP on loopback, started by tests and stopped by pid."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import lexfield

SOURCE = Path(lexfield.__file__).parents[1]
TASKS = Path(__file__).parent / "tasks"
PYTHONPATH = os.pathsep.join([str(TASKS), str(SOURCE), os.environ.get("PYTHONPATH", "")])


class Nodes:
    """A scheduler and workers, each a process with one thread."""

    def __init__(
        self, folder: Path, workers: int = 2, settings: dict[str, str] | None = None
    ) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.address = f"tcp://127.0.0.1:{_free_port()}"
        self._environment = {
            **os.environ,
            "PYTHONPATH": PYTHONPATH,
            "OMP_NUM_THREADS": "1",
            **(settings or {}),
        }
        self._processes: list[subprocess.Popen[bytes]] = []
        port = self.address.rpartition(":")[2]
        self._start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        self.workers = [self.start_worker(f"w{number}") for number in range(workers)]

    def start_worker(self, name: str, **more: Any) -> subprocess.Popen[bytes]:
        where = self._folder / name
        where.mkdir(exist_ok=True)
        return self._start(
            "worker", self.address, "--name", name, "--nthreads", "1", "--no-nanny",
            "--host", "127.0.0.1", "--no-dashboard", "--local-directory", str(where),
            "--death-timeout", "60", **more,
        )  # fmt: skip

    def _start(self, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
        log = open(self._folder / f"{arguments[0]}-{len(self._processes)}.log", "wb")  # noqa: SIM115
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            env=self._environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            **more,
        )
        log.close()
        self._processes.append(process)
        return process

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    def wait(self, workers: int = 2) -> None:
        """Until so many workers have registered."""
        if not workers:
            return
        from distributed import Client

        end = time.monotonic() + 60
        while True:
            try:
                with Client(self.address, timeout=5) as client:  # type: ignore[no-untyped-call]
                    client.wait_for_workers(workers, timeout=max(1, end - time.monotonic()))
                return
            except (OSError, TimeoutError):
                if time.monotonic() > end:
                    raise

    def __enter__(self) -> Nodes:
        try:
            self.wait(len(self.workers))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
