"""HTTP as servers really write it: chunks, closed ends, word in between, and what no server should send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import uvloop

from osler.models import connections
from osler.models.connections import Connections
from osler.models.http_answer import NoHttp, TooLong
from osler.models.pace import Go, Pace, Rates

LARGEST = 100_000
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Server:
    """Sends what it is told to, in pieces, for each request; an empty piece closes the connection."""

    def __init__(self, answers: Sequence[Sequence[bytes]]) -> None:
        self._answers = iter(answers)
        self.opened = 0
        self.requests: list[bytes] = []
        self.url = ""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                for piece in next(self._answers):
                    if not piece:
                        return
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0.005)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(
    *answers: Sequence[bytes], pace: Pace | None = None, limit: float = 5.0
) -> AsyncIterator[tuple[Server, Connections]]:
    told = Server(answers)
    server = await asyncio.start_server(told, "127.0.0.1", 0)
    told.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat"
    client = Connections(told.url, {"Authorization": "Bearer none"}, LARGEST, pace=pace or Pace(), timeout=limit)
    try:
        yield told, client
    finally:
        await client.close()
        server.close()
        await asyncio.sleep(0.01)


def counted(body: bytes, more: bytes = b"") -> bytes:
    return OK + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def test_a_request_is_whole_and_a_connection_is_used_again() -> None:
    async with serving([counted(b"one")], [counted(b"two")]) as (server, client):
        assert [(await client.post(body, 1)).body for body in (b"{}", b'{"a": 1}')] == [b"one", b"two"]
        assert server.opened == 1
    first = server.requests[0]
    assert first.startswith(b"POST /v1/chat HTTP/1.1\r\n")
    assert first.endswith(b"Content-Length: 2\r\n\r\n{}")
    assert b"\r\nAuthorization: Bearer none\r\n" in first
    assert b"\r\nHost: " + server.url.split("/")[2].encode() + b"\r\n" in first


@pytest.mark.parametrize(
    ("pieces", "body"),
    [
        ([counted(b"all at once")], b"all at once"),
        ([bytes([byte]) for byte in counted(b"bytewise")], b"bytewise"),
        (
            [OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", b"A;x=y\r\n0123456789\r\n0\r\n\r\n"],
            b"abc0123456789",
        ),
        ([OK + b"transfer-encoding: Chunked\r\n\r\n1", b"\r\na", b"\r", b"\n0\r\nTrailer: x\r\n", b"\r\n"], b"a"),
        ([OK + b"\r\nuntil it ", b"closes", b""], b"until it closes"),
        ([b"HTTP/1.1 100 Continue\r\n\r\n", counted(b"then")], b"then"),
        ([b"HTTP/1.1 102 \r\n\r\n" * 2000 + counted(b"at last")], b"at last"),
        ([OK + b"Content-Length: " + b"0" * 5_000 + b"5\r\n\r\nafter"], b"after"),
        ([counted(b"said goodbye", b"Connection: close\r\n"), b""], b"said goodbye"),
        ([b"HTTP/1.1 204 No Content\r\n\r\n"], b""),
        ([b"HTTP/1.1 503 \r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy"], b"busy"),
    ],
)
async def test_bodies_end_as_servers_end_them(pieces: list[bytes], body: bytes) -> None:
    async with serving(pieces, [counted(b"next")]) as (_, client):
        assert (await client.post(b"{}", 1)).body == body
        assert (await client.post(b"{}", 1)).body == b"next"


async def test_status_and_headers_are_told() -> None:
    async with serving([b"HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"]) as (_, client):
        said = await client.post(b"{}", 1)
    assert (said.status, said.headers["retry-after"], said.body) == (429, "7", b"")


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ([b""], ConnectionResetError),
        ([OK[:20], b""], ConnectionResetError),
        ([counted(b"cut short")[:-3], b""], ConnectionResetError),
        ([OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabc", b""], ConnectionResetError),
        ([b"SSH-2.0-OpenSSH_9.6\r\n"], NoHttp),
        ([b"HTTP/2 200\r\n\r\n"], NoHttp),
        ([OK + b"Content-Length: -5\r\n\r\nabcde"], NoHttp),
        ([OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n0\r\n\r\n"], NoHttp),
        ([b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000], NoHttp),
        ([OK + b"Content-Length: 100001\r\n\r\n"], TooLong),
        ([OK + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n"], TooLong),
        ([OK + b"Content-Length: 5" + b"0" * 30 + b"\r\n\r\nabcde"], TooLong),
        ([OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"F" * 5_000 + b"\r\nabcde\r\n"], NoHttp),
        ([OK + b"\r\n", *[b"x" * 50_000] * 4], TooLong),
        ([OK + b"Transfer-Encoding: chunked\r\n\r\n", *[b"C350\r\n" + b"x" * 50_000 + b"\r\n"] * 4], TooLong),
    ],
)
async def test_what_is_no_whole_answer_is_an_error_and_the_next_request_gets_its_own(
    pieces: list[bytes], error: type[Exception]
) -> None:
    async with serving(pieces, [counted(b"next")]) as (server, client):
        with pytest.raises(error):
            await client.post(b"{}", 1)
        assert (await client.post(b"{}", 1)).body == b"next"
        assert server.opened == 2


async def test_what_nobody_asked_for_is_not_taken_for_an_answer() -> None:
    """Some servers say 408 on a connection that was idle, before they close it."""
    stray = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"
    async with serving([counted(b"one"), stray], [counted(b"one") + stray], [counted(b"three")]) as (server, client):
        assert (await client.post(b"{}", 1)).body == b"one"
        await asyncio.sleep(0.05)
        assert (await client.post(b"{}", 1)).status == 200
        assert (await client.post(b"{}", 1)).body == b"three"
        assert server.opened == 3


async def test_a_connection_is_not_kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.0)
    async with serving([counted(b"one")], [counted(b"two")]) as (server, client):
        for _ in range(2):
            await client.post(b"{}", 1)
            await asyncio.sleep(0.01)
        assert server.opened == 2


async def test_who_gives_up_waiting_leaves_no_answer_behind() -> None:
    async with serving([b"HTTP/1.1 200"], [counted(b"mine")]) as (_, client):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.post(b"{}", 1)
        assert (await client.post(b"{}", 1)).body == b"mine"


async def test_a_server_that_hangs_is_given_up_and_its_place_goes_to_the_next() -> None:
    async with serving([b"HTTP/1.1 200"], [counted(b"mine")], pace=Pace(Rates(1)), limit=0.2) as (server, client):
        first, second = (asyncio.create_task(client.post(b"{}", 1)) for _ in range(2))
        with pytest.raises(TimeoutError):
            await first
        assert (await second).body == b"mine"
        assert server.opened == 2


async def test_waiting_for_a_turn_is_not_counted_as_time_to_answer() -> None:
    slowly = [b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 20, b"Content-Length: 2\r\n\r\n{}"]  # a tenth of a second
    # All of them take longer than one may, and one has room to be slow on a busy machine.
    async with serving(*[slowly] * 24, pace=Pace(Rates(1)), limit=2.0) as (server, client):
        said = await asyncio.gather(*(client.post(b"{}", 1) for _ in range(24)))
    assert [one.body for one in said] == [b"{}"] * 24
    assert server.opened == 1


async def test_the_next_request_goes_out_before_anybody_reads_the_answer() -> None:
    """A busy loop comes round to who asked only later: meanwhile the server would have nothing to do."""
    happened: list[str] = []

    class Told(Pace):
        def enter(self, tokens: int, go: Go) -> None:
            def told() -> bool:
                happened.append("sent")
                return go()

            super().enter(tokens, told)

    async def ask(client: Connections) -> None:
        await client.post(b"{}", 1)
        happened.append("read")

    async with serving([counted(b"one")], [counted(b"two")], pace=Told(Rates(1))) as (server, client):
        await asyncio.gather(ask(client), ask(client))
    assert happened == ["sent", "sent", "read", "read"] and server.opened == 1


async def test_who_is_cancelled_gives_its_place_back() -> None:
    async with serving([b"HTTP/1.1 200"], [counted(b"mine")], pace=Pace(Rates(1))) as (_, client):
        under_way, waiting, last = (asyncio.create_task(client.post(b"{}", 1)) for _ in range(3))
        await asyncio.sleep(0.02)
        waiting.cancel()
        under_way.cancel()
        assert (await last).body == b"mine"


async def test_a_connection_that_does_not_open_in_time_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    abandoned_transcript: list[str] = []

    async def never(*_: object, **__: object) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            abandoned_transcript.append("opening")
            raise

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", never)
    client = Connections("http://127.0.0.1:9/v1", {}, LARGEST, pace=Pace(Rates(1)), timeout=0.05)
    with pytest.raises(TimeoutError):
        await client.post(b"{}", 1)
    await asyncio.sleep(0)
    assert abandoned_transcript == ["opening"]


async def test_a_refused_connection_gives_its_place_back() -> None:
    client = Connections("http://127.0.0.1:9/v1", {}, LARGEST, pace=Pace(Rates(1)), timeout=5.0)
    for _ in range(2):
        with pytest.raises(ConnectionRefusedError):
            await client.post(b"{}", 1)


def test_another_event_loop_does() -> None:
    async def asked() -> bytes:
        async with serving([OK + b"Content-Length: 2\r\n\r\n{}"]) as (_, client):
            return (await client.post(b"{}", 1)).body

    assert uvloop.run(asked()) == b"{}"
