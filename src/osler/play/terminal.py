"""Playing at a terminal. The loop stands still while the person types, so Ctrl-C is heard at once."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress

from osler.agents.participant import Briefing
from osler.errors import printable
from osler.play.ending import ending
from osler.play.keeping import run_name
from osler.play.memory import memory_lines
from osler.play.moves import LONGEST, one_line
from osler.play.seat import Seat
from osler.play.sitting import Chair, Wish
from osler.play.state import known
from osler.play.table import PlayTable
from osler.play.words import Words, words_in
from osler.records.labels import label

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


def play(table: PlayTable, wish: Wish, show: Show) -> int:
    """One consultation, from the briefing to its score; the exit code."""
    _prepare_input()
    with _closed_window_is_interrupt(), asyncio.Runner() as runner:
        try:
            _, seat = runner.run(table.sit(wish))
            return _Terminal(seat, runner, show).play()
        finally:
            runner.run(table.close())


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
    def __init__(self, seat: Seat, runner: asyncio.Runner, show: Show) -> None:
        self._seat, self._runner, self._show = seat, runner, show
        self._words: Words = words_in(seat.sitting.record.language)
        self._chair = seat.sitting.chair

    def play(self) -> int:
        code = 0
        try:
            self._brief()
            while self._waits():
                self._turn()
        except _Left as left:
            self._runner.run(self._seat.leave())
            code = left.code
        for line in [self._gone()] if self._seat.left else ending(self._seat, self._words):
            self._show(line)
        lost = self._seat.not_kept or (self._seat.failed and not self._seat.left)
        return code or (FAILED if lost else 0)

    def _waits(self) -> bool:
        """Let the others go on until the person has to move; not any more when it is over."""
        self._let(self._seat.your_turn(_SOON))
        if self._seat.before is None and not self._seat.over:
            self._show(self._words.wait)
            self._let(self._seat.your_turn())
        return not self._seat.over

    def _let(self, go_on: Coroutine[None, None, None]) -> None:
        try:
            self._runner.run(go_on)
        except KeyboardInterrupt:
            raise _Left(INTERRUPTED) from None

    def _brief(self) -> None:
        words, record, chair = self._words, self._seat.sitting.record, self._chair
        language, limit = record.language, self._seat.sitting.turn_limit
        self._show(words.you[chair])
        self._show(
            words.who.format(
                age=record.age.label(language),
                sex=label(record.sex, language),
                speaker=label(record.speaker, language),
                limit=limit,
            )
        )
        self._show(f"{words.how[chair]}\n")
        if chair is Chair.PATIENT:
            self._show(f"{words.patient}{printable(record.complaint)}")

    def _turn(self) -> None:
        before, words = self._seat.before, self._words
        if isinstance(before, Briefing):
            self._show(f"{words.patient}{printable(before.reply)}")
            for line in before.results.splitlines():
                self._show(f"  {printable(line)}")
            self._ask_or_conclude(before.turns_left)
        elif before is not None:
            self._show(f"{words.doctor}{printable(before.question)}")
            lines = [words.known.format(**one) for one in known(self._seat)] or [words.nothing_known]
            for line in lines:
                self._show(f"  {printable(line)}")
            self._seat.say(self._read(words.answer))

    def _ask_or_conclude(self, left: int) -> None:
        words = self._words
        if left > 0:
            said = self._read(words.left.format(left=left))
            if said.casefold() not in _END:
                self._seat.say(said)
                return
        else:
            self._show(words.no_more)
        self._seat.conclude(self._read(f"{words.diagnosis} > "), self._read(f"{words.treatment} > "))

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
                self._show(self._words.help[self._chair])
            elif word in _MEMORY:
                self._let(self._seat.remembered(_SOON))
                for line in memory_lines(self._seat.journal.events, self._words, self._seat.sitting.record.language):
                    self._show(line)
            elif len(said) > LONGEST:
                self._show(self._words.too_long.format(length=len(said), most=LONGEST))
            elif said:
                return said

    def _gone(self) -> str:
        seat = self._seat
        if seat.kept is not None:
            return self._words.gone_kept.format(run=run_name(seat.kept.run))
        return self._words.not_kept.format(reason=seat.not_kept) if seat.not_kept else self._words.gone
