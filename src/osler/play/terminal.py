"""Play at a terminal.

The event loop is paused while the person types, so that Ctrl-C works at once.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress

from osler.agents.human import END_WORDS, shown_lines
from osler.agents.messages import Briefing
from osler.errors import printable
from osler.locale import label, load_texts
from osler.play.lobby import PlayLobby
from osler.play.played_runs import PlayRequest
from osler.play.session import LONGEST, PlaySession, Result, one_line
from osler.records.schema import Relevance
from osler.replay.pages import change_rows, recalled_rows
from osler.runs.events import Role
from osler.runs.store import run_name

_QUIT = frozenset({"quit", "exit", "退出"})
_HELP = frozenset({"?", "？", "help", "帮助"})
_MEMORY = frozenset({"memory", "记忆"})
INTERRUPTED = 130
"""Exit code after Ctrl-C."""
FAILED = 1
"""Exit code of a consultation that failed or could not be stored."""
_SOON = 2.0
"""Seconds after which a person who waits is told so."""


class _Left(Exception):
    """The person leaves, with this exit code."""


def play(lobby: PlayLobby, request: PlayRequest, show: Callable[[str], None]) -> int:
    """Play one consultation, from the briefing to its score; return the exit code."""
    _prepare_input()
    with ExitStack() as stack, asyncio.Runner() as runner:
        # A closed window counts as Ctrl-C, so that what was said is kept.
        for name in (signal.SIGTERM, signal.SIGHUP):
            earlier = signal.signal(name, lambda *_: signal.raise_signal(signal.SIGINT))
            stack.callback(signal.signal, name, earlier)
        try:
            _, session = runner.run(lobby.start(request))
            return _Terminal(session, runner, show).play()
        finally:
            runner.run(lobby.close())


def _prepare_input() -> None:
    """Turn on line editing if there is any. A byte that is no text must not end anything."""
    with suppress(ImportError):
        import readline  # noqa: F401
    with suppress(AttributeError, OSError):
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]


class _Terminal:
    def __init__(
        self, session: PlaySession, runner: asyncio.Runner, show: Callable[[str], None]
    ) -> None:
        self._session = session
        self._runner = runner
        self._show = show
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
            code = left.args[0]
        for line in _ending(self._session, self._texts):
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
        texts = self._texts
        role = self._role
        record = self._session.assignment.record
        line = texts["who"].format(
            age=record.age.label(record.language),
            sex=label(record.sex, record.language),
            speaker=label(record.speaker, record.language),
            limit=self._session.assignment.turn_limit,
        )
        self._show(texts[f"you_{role}"])
        self._show(line)
        self._show(texts[f"how_{role}"] + "\n")
        if role is Role.PATIENT:
            self._show(f"{texts['patient']}{printable(record.complaint)}")

    def _turn(self) -> None:
        before = self._session.before
        assert before is not None
        for line in shown_lines(before):
            self._show(line)
        if isinstance(before, Briefing):
            self._ask_or_conclude(before.turns_left)
        else:
            self._session.say(self._read(self._texts["answer"]))

    def _ask_or_conclude(self, left: int) -> None:
        texts = self._texts
        if left > 0:
            line = self._read(texts["left"].format(left=left))
            if line.casefold() not in END_WORDS:
                self._session.say(line)
                return
        else:
            self._show(texts["no_more"])
        diagnosis = self._read(f"{texts['diagnosis']} > ")
        treatment = self._read(f"{texts['treatment']} > ")
        self._session.conclude(diagnosis, treatment)

    def _read(self, prompt: str) -> str:
        """Ask until there is a line that is not a command, not empty and not too long."""
        while True:
            try:
                line = one_line(input(prompt))
            except (EOFError, KeyboardInterrupt) as error:
                self._show("")
                raise _Left(INTERRUPTED if isinstance(error, KeyboardInterrupt) else 0) from None
            word = line.casefold()
            if word in _QUIT:
                raise _Left(0)
            if word in _HELP:
                self._show(self._texts[f"help_{self._role}"])
            elif word in _MEMORY:
                self._let(self._session.remembered(_SOON))
                self._show_memory()
            elif len(line) > LONGEST:
                self._show(self._texts["too_long"].format(length=len(line), most=LONGEST))
            elif line:
                return line

    def _show_memory(self) -> None:
        """Show per turn what remembering it changed, then what is recalled for the doctor now."""
        language = self._session.assignment.record.language
        turns = self._session.turns
        changed = [turn for turn in turns if turn.change]
        for turn in changed:
            if turn.change:
                title = self._texts["turn"].format(turn=turn.number)
                self._show_block(title, change_rows(turn.change, language))
        if not changed:
            self._show(self._texts["memory_empty"])
        recalls = [turn.recall for turn in turns if turn.recall]
        rows = recalled_rows(recalls[-1], language) if recalls else ()
        if rows:
            self._show_block(self._texts["recalled"], rows)

    def _show_block(self, title: str, rows: Sequence[str]) -> None:
        self._show(f"  {title}")
        for row in rows:
            self._show(f"    {row}")


def _ending(session: PlaySession, texts: Mapping[str, str]) -> Iterator[str]:
    """Show the verdicts, what was missed, the right order, and where it is stored."""
    assignment = session.assignment
    run = run_name(assignment.run)
    if not session.left:
        yield ""
        yield texts["end"].format(asked=session.questions, limit=assignment.turn_limit)
        if session.result is not None:
            yield from _verdicts(session, session.result, texts)
            yield from _asking(session, session.result, texts)
        yield texts["was"].format(case=assignment.record.id)
    if session.not_kept:
        yield texts["not_kept"].format(reason=session.not_kept)
    elif session.kept is None:
        yield texts["gone"]
    elif session.left:
        yield texts["gone_kept"].format(run=run)
    else:
        case = assignment.record.id
        memory = assignment.cell.column.memory
        yield texts["kept"].format(run=run, case=case, memory=memory, trial=session.kept.trial)


def _verdicts(session: PlaySession, result: Result, texts: Mapping[str, str]) -> Iterator[str]:
    concluded = next((turn.concluded for turn in session.turns if turn.concluded), None)
    if concluded is None and session.failed:
        yield texts["broken"].format(reason=session.failed)
    verdicts = {verdict.kind: verdict for verdict in result.verdicts}
    who = texts["you_said"] if session.assignment.role is Role.DOCTOR else texts["doctor_said"]
    record = session.assignment.record
    treatment = record.treatment.name if record.treatment else texts["no_treatment"]
    truths = {"diagnosis": record.diagnosis.name, "treatment": treatment}
    for kind, truth in truths.items():
        yield ""
        yield texts[kind]
        if concluded is not None:
            yield f"  {who}{printable(getattr(concluded, kind))}"
        yield f"  {texts['truth']}{printable(truth)}"
        if kind in verdicts:
            stored = verdicts[kind]
            verdict = texts[f"verdict_{stored.verdict}"]
            yield texts["verdict_line"].format(verdict=verdict, because=printable(stored.because))
    unsafe = record.treatment.unsafe if record.treatment else ()
    if unsafe:
        yield f"  {texts['harmful']}"
    for harm in unsafe:
        yield texts["harm"].format(name=printable(harm.name), because=printable(harm.because))


def _asking(session: PlaySession, result: Result, texts: Mapping[str, str]) -> Iterator[str]:
    language = session.assignment.record.language
    figures = result.measures
    yield ""
    yield texts["coverage"].format(
        asked=result.key_total - len(result.missed),
        total=result.key_total,
        rounds=figures.rounds,
        expected=figures.rounds_expected,
    )
    if session.assignment.role is Role.PATIENT:
        yield texts["unknown_digits"].format(replies=figures.unknown_digits)
    if result.missed:
        yield texts["missed"]
    for entry in result.missed:
        kind = label(entry.category, language)
        if entry.relevance is Relevance.DECIDING:
            kind += texts["deciding"]
        yield texts["entry"].format(name=printable(entry.name), kind=kind)
    if result.order:
        yield texts["order"]
    for step in result.order:
        when = texts["never"]
        if step.asked_in_turn is not None:
            when = texts["turn"].format(turn=step.asked_in_turn)
        if step.after:
            when += texts["after"].format(names=", ".join(map(printable, step.after)))
        yield texts["step"].format(rank=step.should, name=printable(step.name), when=when)
    if figures.order_pairs:
        in_order = round((figures.order_share or 0) * figures.order_pairs)
        yield texts["pairs"].format(kept=in_order, pairs=figures.order_pairs)
    yield ""
