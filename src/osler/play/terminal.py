"""Playing at a terminal. The loop stands still while the person types, so Ctrl-C is heard at once."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress

from osler.agents.messages import Briefing
from osler.errors import printable
from osler.locale import label, load_texts
from osler.play.json_state import known
from osler.play.lobby import PlayLobby
from osler.play.moves import LONGEST, one_line
from osler.play.request import PlayRequest, PlayRole
from osler.play.result_page import ending
from osler.play.saving import run_name
from osler.play.session import PlaySession
from osler.replay.pages import change_rows, recalled_rows
from osler.runs.events import Recalled, Remembered

_END, _QUIT = frozenset({"end", "结束"}), frozenset({"quit", "exit", "退出"})
_HELP, _MEMORY = frozenset({"?", "？", "help", "帮助"}), frozenset({"memory", "记忆"})
INTERRUPTED, FAILED = 130, 1
_SOON = 2.0
"""Seconds after which a person who waits is told so."""

Show = Callable[[str], None]


class _Left(Exception):
    """The person goes; with Ctrl-C or not."""

    def __init__(self, code: int = 0) -> None:
        self.code = code


def play(lobby: PlayLobby, request: PlayRequest, show: Show) -> int:
    """One consultation, from the briefing to its score; the exit code."""
    _prepare_input()
    with _closed_window_is_interrupt(), asyncio.Runner() as runner:
        try:
            _, session = runner.run(lobby.start(request))
            return _Terminal(session, runner, show).play()
        finally:
            runner.run(lobby.close())


def _prepare_input() -> None:
    """Line editing where there is any. A byte that is no text must not cost a consultation."""
    with suppress(ImportError):
        import readline  # noqa: F401
    with suppress(AttributeError, OSError):
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]


@contextmanager
def _closed_window_is_interrupt() -> Iterator[None]:
    """Whatever ends the terminal is heard as Ctrl-C, so that what was said is kept."""
    before = {
        name: signal.signal(name, lambda *_: signal.raise_signal(signal.SIGINT))
        for name in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


class _Terminal:
    def __init__(self, session: PlaySession, runner: asyncio.Runner, show: Show) -> None:
        self._session, self._runner, self._show = session, runner, show
        self._texts = load_texts(session.assignment.record.language, "play")
        self._role = session.assignment.role

    def play(self) -> int:
        code = 0
        try:
            self._brief()
            while self._waits():
                self._turn()
        except _Left as left:
            self._runner.run(self._session.leave())
            code = left.code
        for line in [self._gone()] if self._session.left else ending(self._session, self._texts):
            self._show(line)
        lost = self._session.not_kept or (self._session.failed and not self._session.left)
        return code or (FAILED if lost else 0)

    def _waits(self) -> bool:
        """Let the others go on until the person has to move; not any more when it is over."""
        self._let(self._session.your_turn(_SOON))
        if self._session.before is None and not self._session.over:
            self._show(self._texts["wait"])
            self._let(self._session.your_turn())
        return not self._session.over

    def _let(self, go_on: Coroutine[None, None, None]) -> None:
        try:
            self._runner.run(go_on)
        except KeyboardInterrupt:
            raise _Left(INTERRUPTED) from None

    def _brief(self) -> None:
        texts, record, role = self._texts, self._session.assignment.record, self._role
        language, limit = record.language, self._session.assignment.turn_limit
        self._show(texts[f"you_{role}"])
        self._show(
            texts["who"].format(
                age=record.age.label(language),
                sex=label(record.sex, language),
                speaker=label(record.speaker, language),
                limit=limit,
            )
        )
        self._show(texts[f"how_{role}"] + "\n")
        if role is PlayRole.PATIENT:
            self._show(f"{texts['patient']}{printable(record.complaint)}")

    def _turn(self) -> None:
        before, texts = self._session.before, self._texts
        if isinstance(before, Briefing):
            self._show(f"{texts['patient']}{printable(before.reply)}")
            for line in before.results.splitlines():
                self._show(f"  {printable(line)}")
            self._ask_or_conclude(before.turns_left)
        elif before is not None:
            self._show(f"{texts['doctor']}{printable(before.question)}")
            lines = [texts["known"].format(**one) for one in known(self._session)] or [texts["nothing_known"]]
            for line in lines:
                self._show(f"  {printable(line)}")
            self._session.say(self._read(texts["answer"]))

    def _ask_or_conclude(self, left: int) -> None:
        texts = self._texts
        if left > 0:
            said = self._read(texts["left"].format(left=left))
            if said.casefold() not in _END:
                self._session.say(said)
                return
        else:
            self._show(texts["no_more"])
        self._session.conclude(self._read(f"{texts['diagnosis']} > "), self._read(f"{texts['treatment']} > "))

    def _read(self, prompt: str) -> str:
        """A line that is no command, not empty and not too long; until there is one, it is asked for again."""
        while True:
            try:
                said = one_line(input(prompt))
            except EOFError:
                self._show("")
                raise _Left from None
            except KeyboardInterrupt:
                self._show("")
                raise _Left(INTERRUPTED) from None
            word = said.casefold()
            if word in _QUIT:
                raise _Left
            if word in _HELP:
                self._show(self._texts[f"help_{self._role}"])
            elif word in _MEMORY:
                self._let(self._session.remembered(_SOON))
                self._show_memory()
            elif len(said) > LONGEST:
                self._show(self._texts["too_long"].format(length=len(said), most=LONGEST))
            elif said:
                return said

    def _show_memory(self) -> None:
        """Per turn what remembering it changed, then what is recalled for the doctor now."""
        events, language = self._session.journal.events, self._session.assignment.record.language
        remembered = [event for event in events if isinstance(event, Remembered)]
        if not remembered:
            self._show(self._texts["memory_empty"])
        for event in remembered:
            self._show_block(self._texts["turn"].format(turn=event.of), change_rows(event.change, language))
        recalled = [event for event in events if isinstance(event, Recalled)]
        if recalled and (rows := recalled_rows(recalled[-1].recall, language)):
            self._show_block(self._texts["recalled"], rows)

    def _show_block(self, title: str, rows: Sequence[str]) -> None:
        for line in (f"  {title}", *(f"    {row}" for row in rows)):
            self._show(line)

    def _gone(self) -> str:
        session = self._session
        if session.kept is not None:
            return self._texts["gone_kept"].format(run=run_name(session.kept.run))
        return self._texts["not_kept"].format(reason=session.not_kept) if session.not_kept else self._texts["gone"]
