"""What a server says over HTTP/1.1, read as it comes, and never more of it than an answer can have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from osler.models.counts import count

_LONGEST_HEAD = 65_536
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |$)")
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;|$)")


class Said(NamedTuple):
    """What a server said to a request."""

    status: int
    headers: Mapping[str, str]
    """By names in small letters."""
    body: bytes


class NoHttp(ConnectionError):
    """What came is not HTTP."""


class TooLong(ConnectionError):
    """What came is longer than any answer."""


class Reading:
    """An answer as far as it has come."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._rest, self._body = bytearray(), bytearray()
        self._status, self._length = 0, 0
        self._headers: dict[str, str] = {}
        self._read: Callable[[Reading], Said | None] = Reading._head  # unbound: it must not hold itself
        self.may_go_on = False
        """Whether the server takes another request after it."""

    def add(self, data: bytes) -> Said | None:
        """Take in what came; the answer when it is whole."""
        self._rest += data
        if len(self._rest) + len(self._body) > self._largest + _LONGEST_HEAD:
            raise TooLong("it sends more than any answer has")
        return self._read(self)

    def ended(self) -> Said | None:
        """The answer of a server that ends it by closing; None when it was cut off."""
        return self._said(self._rest) if self._read is Reading._until_closed else None

    def _said(self, body: bytearray) -> Said:
        return Said(self._status, self._headers, bytes(body))

    def _head(self) -> Said | None:
        while self._status < 200:  # below, it is word that the server has begun; the answer follows
            end = self._rest.find(b"\r\n\r\n")
            if end < 0 or end > _LONGEST_HEAD:
                if len(self._rest) > _LONGEST_HEAD or not b"HTTP/1.".startswith(self._rest[:7]):
                    raise NoHttp("it does not speak HTTP/1.1")
                return None
            first, *lines = bytes(self._rest[:end]).split(b"\r\n")
            status = _STATUS.match(first)
            if status is None:
                raise NoHttp("it does not speak HTTP/1.1")
            del self._rest[: end + 4]
            self._status = int(status[1])
        self._headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.decode("latin-1").partition(":") for line in lines)
        }
        self._read = self._how_long(first)
        return self._read(self)

    def _how_long(self, first: bytes) -> Callable[[Reading], Said | None]:
        """How the end of the body is known, by the headers."""
        headers = self._headers
        self.may_go_on = first.startswith(b"HTTP/1.1") and headers.get("connection", "").lower() != "close"
        length = headers.get("content-length", "")
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return Reading._chunked
        if self._status in {204, 304}:
            return Reading._counted
        if not length:
            self.may_go_on = False
            return Reading._until_closed
        if not (length.isascii() and length.isdigit()):
            raise NoHttp("it does not say how long its answer is")
        size = count(length)
        if size is None or size > self._largest:
            raise TooLong("it sends more than any answer has")
        self._length = size
        return Reading._counted

    def _counted(self) -> Said | None:
        if len(self._rest) < self._length:
            return None
        self.may_go_on = self.may_go_on and len(self._rest) == self._length
        return self._said(self._rest[: self._length])

    def _until_closed(self) -> Said | None:
        return None

    def _chunked(self) -> Said | None:
        rest = self._rest
        while (end := rest.find(b"\r\n")) >= 0:
            size = _CHUNK.match(rest, 0, end)
            if size is None:
                raise NoHttp("it sends chunks of no length")
            length, begin = int(size[1], 16), end + 2
            if length == 0:
                return self._said(self._body) if rest.find(b"\r\n\r\n", end) >= 0 else None
            if len(rest) < begin + length + 2:
                return None
            self._body += rest[begin : begin + length]
            del rest[: begin + length + 2]
        return None
