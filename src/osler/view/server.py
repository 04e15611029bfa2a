"""Start the page's server."""

from __future__ import annotations

import gc
import re
import secrets
import socket
import webbrowser
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import typer

from osler.api_keys import is_loopback
from osler.errors import UserError

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")
_EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 -- names to recognise, not to bind


def serve(
    runs: Iterable[str | Path],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    browser: bool = True,
    backbones: Sequence[str] = (),
    memories: Sequence[str] = (),
    request_seconds: float = 10.0,
) -> None:
    """Serve the page of some runs, or of all there are, until it is stopped.

    Args:
        runs: By name or file.
        host: The address to listen on.
        port: 0: any that is free.
        token: The secret part of the page's address; None means a new one.
        browser: Whether to open it.
        backbones: Models that can be played with, besides `rules` and, from this machine, `local`.
        memories: Memories that can be chosen there, besides those that are built in or registered.
        request_seconds: How long a client may take to send a request.

    Raises:
        UserError: The extra is missing, a name, a run or the address cannot be used, or the token
            is too weak.
    """
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UserError(f"the page needs {' and '.join(missing)}", "pip install 'osler[view]'")
    import uvicorn

    from osler.view.access import MOST_WAITING, Access, bounded_http
    from osler.view.app import application
    from osler.view.run_list import RunList

    if token is not None and not _TOKEN.fullmatch(token):
        raise UserError(
            "the token is too weak",
            "give 16 or more letters, digits, - or _ with --token, or leave it out",
        )
    near = is_loopback(host)
    listed = RunList(runs)
    _check_names(backbones, memories)
    app = application(listed, (*backbones, *(("local",) if near else ())), memories)
    given = token is not None
    token = token or secrets.token_urlsafe(24)
    with _listening(host, port) as listening:
        port = listening.getsockname()[1]
        name = socket.gethostname() if host in _EVERYWHERE else host
        guarded = Access(app, token, {name, "localhost"})
        address = f"http://{f'[{name}]' if ':' in name else name}:{port}/{token}/"
        if not near:
            made = "the one you gave" if given else "made for this start"
            typer.echo(
                "Others can reach this page. Only someone with the tokenised URL can open it; the"
                f" token is {made}.",
                err=True,
            )
        typer.echo(f"{address}\nCtrl-C stops it.")
        if browser:
            # In a thread, because some browsers only return when they are closed.
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        settings = uvicorn.Config(
            guarded,
            http=bounded_http(request_seconds),
            ws="none",
            # As many are taken in at once: those that ask are heard before others push them out.
            backlog=MOST_WAITING,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        gc.freeze()  # what is loaded stays, and looking through it for garbage makes answers late
        uvicorn.Server(settings).run(sockets=[listening])


def _check_names(backbones: Sequence[str], memories: Sequence[str]) -> None:
    """Report a wrong name at the start, rather than to the first player."""
    if backbones:
        from osler.models import parse_spec

        for spec in backbones:
            parse_spec(spec)
    if memories:
        from osler.memory import check_memories

        check_memories(memories)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(address, family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(
            f"{host}:{port} cannot be listened on ({reason})", "give another --host or --port"
        ) from None
    # Connections inherit it. asyncio does not set it on a socket of ours, and small responses would
    # wait 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
