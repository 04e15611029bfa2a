"""Connections that ask for nothing: they are closed in time, and never keep the owner out."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import LONGEST_WAIT

HALF = b"GET / HTTP/1.1\r\nHost: nobody\r\n"
FEW = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (250, 250))"
"""As many files as the process may open: with fewer, fewer strangers show the same as 1,100 do."""


@contextmanager
def served(folder: Path, before: str = "", **options: float) -> Iterator[str]:
    program = (
        f"{before}\nfrom osler.view.server import serve\nserve([], browser=False, **{options!r})"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as server:
        try:
            assert server.stdout is not None and server.stderr is not None
            address = server.stdout.readline().strip()
            assert re.fullmatch(r"http://[\d.:]+/[\w-]+/", address), server.stderr.read()
            yield address
        finally:
            server.kill()


def connected(address: str) -> socket.socket:
    parts = urlsplit(address)
    return socket.create_connection((parts.hostname, parts.port), timeout=LONGEST_WAIT)


def ends(connection: socket.socket, seconds: float) -> bool:
    """Whether the other side closes within that time, whatever it says before."""
    connection.settimeout(seconds)
    with suppress(ConnectionError):
        try:
            while connection.recv(4096):
                pass
        except TimeoutError:
            return False
    return True


@pytest.mark.parametrize("said", [b"", HALF, b"GET / HTTP/1.1\r\nHost: nobody\r\n\r\n" + HALF])
def test_any_number_of_strangers_leaves_the_owner_a_way_in(tmp_path: Path, said: bytes) -> None:
    with ExitStack() as strangers, served(tmp_path, FEW) as address:
        for _ in range(600):
            with suppress(OSError):
                connection = strangers.enter_context(connected(address))
                connection.sendall(said)
        answers = []
        for _ in range(3):
            answers.append(
                httpx.get(f"{address}api/runs", trust_env=False, timeout=LONGEST_WAIT).status_code
            )
            time.sleep(0.2)
    assert answers == [200] * 3


@pytest.mark.parametrize(
    "said",
    [
        b"",
        HALF,
        b"POST / HTTP/1.1\r\nHost: nobody\r\nContent-Length: 99\r\n\r\n{",
        b"GET / HTTP/1.1\r\n\r\n" + HALF,
    ],
)
def test_a_request_that_is_never_whole_is_not_waited_for(tmp_path: Path, said: bytes) -> None:
    with served(tmp_path, request_seconds=1) as address, connected(address) as connection:
        connection.sendall(said)
        assert ends(connection, 30)


def test_a_request_that_comes_byte_by_byte_is_not_waited_for(tmp_path: Path) -> None:
    with served(tmp_path, request_seconds=1) as address, connected(address) as connection:
        until = time.monotonic() + 120
        with suppress(ConnectionError):
            while time.monotonic() < until:
                connection.sendall(b"G")
                if ends(connection, 0.2):
                    break
        assert time.monotonic() < until


def test_who_asks_keeps_the_connection_and_may_wait_for_a_slow_answer(tmp_path: Path) -> None:
    with served(tmp_path, request_seconds=0.5) as address, connected(address) as connection:
        parts = urlsplit(address)
        head = f"HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
        for _ in range(2):
            connection.sendall(f"GET {parts.path}api/runs {head}".encode())
            answer = b""
            while not answer.endswith(b"}"):
                answer += connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200")
            time.sleep(
                1.5
            )  # longer than a request may take, and shorter than an open connection is kept
        connection.sendall(
            f"GET {parts.path}api/changes?since=none {head}".encode()
        )  # answered when a run comes
        assert not ends(connection, 2)
