"""Play a consultation in the terminal: what time and keys do, the screen, and the keyboard."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from osler.locale import load_texts
from osler.replay.pages import Line, Scene, ending, line_text, scenes, section_text, title
from osler.runs.transcript import Transcript

_FASTEST, _SLOWEST = 64.0, 0.125
_NARROW = 90
_TICK = 0.05
_KEPT = 40
"""Lines that are laid out at most: no terminal shows more of them."""
_HELP = "space pause, next line · enter play · ←/→ turn · 12g jump · +/- speed · q quit"
_KEY_NAMES = {
    b"\x1b[C": "right",
    b"\x1bOC": "right",
    b"\x1b[D": "left",
    b"\x1bOD": "left",
    b"\r": "enter",
    b"\n": "enter",
    b"\x1b": "escape",
}


class Player:
    """Plays scenes line by line. It knows no terminal."""

    def __init__(self, scenes: Sequence[Scene], speed: float = 1.0) -> None:
        """Begin before the first line."""
        self.scenes, self.speed = scenes, speed
        self.frames: list[tuple[Scene, int]] = [(scenes[0], 0)]
        """What can be seen, one after the other: a scene and how many of its lines."""
        self._starts: list[int] = []
        for scene in scenes:
            self._starts.append(len(self.frames))
            count = len(scene.lines)
            self.frames += [(scene, shown) for shown in range(min(1, count), count + 1)]
        self.at = 0
        """The frame that is seen."""
        self.playing = True
        self.typed: str | None = None
        """Digits of a turn to jump to, or None if none is asked for."""
        self.over = False
        self._since: float | None = None

    @property
    def scene(self) -> Scene:
        """The scene that is played."""
        return self.frames[self.at][0]

    @property
    def shown(self) -> int:
        """How many of its lines are shown."""
        return self.frames[self.at][1]

    @property
    def said(self) -> list[Line]:
        """All lines up to now."""
        return [scene.lines[shown - 1] for scene, shown in self.frames[: self.at + 1] if shown]

    @property
    def ended(self) -> bool:
        """Whether everything is shown."""
        return self.at == len(self.frames) - 1

    def tick(self, now: float) -> bool:
        """Show the next line when its time has come; return whether anything changed."""
        if self._since is None:
            self._since = now
        if not self.playing or self.ended:
            return False
        scene, shown = self.frames[self.at + 1]
        pause = scene.lines[shown - 1].pause if shown else 0.0
        if now - self._since < pause / self.speed:
            return False
        self.at, self._since = self.at + 1, now
        return True

    def jump(self, turn: int) -> None:
        """Go to a turn, or to the nearest there is, and show its first line."""
        nearest = min(range(len(self.scenes)), key=lambda place: abs(self.scenes[place].turn - turn))
        self.at, self._since = self._starts[nearest], None

    def press(self, key: str) -> None:
        """Do what a key asks for; unknown keys do nothing."""
        if key.isdecimal() and key.isascii():
            self.typed = ((self.typed or "") + key)[-6:]
        elif key == "g" or (key == "enter" and self.typed is not None):
            # `12g` jumps at once; `g` alone asks for the digits, and a second `g` or enter jumps.
            if self.typed:
                self.jump(int(self.typed))
            self.typed = "" if self.typed is None else None
        else:
            self.typed = None
            self._move(key)

    def _move(self, key: str) -> None:
        match key:
            case "q":
                self.over = True
            case " " if self.playing:
                self.playing = False
            case " " if not self.ended:
                self.at += 1
            case "enter" | "p":
                self.playing, self._since = not self.playing, None
            case "right" | "j":
                following = self.scenes.index(self.scene) + 1
                self.at = self._starts[following] if following < len(self.scenes) else len(self.frames) - 1
                self._since = None
            case "left" | "k":
                self.at, self._since = self._starts[max(0, self.scenes.index(self.scene) - 1)], None
            case "+" | "=":
                self.speed = min(_FASTEST, self.speed * 2)
            case "-":
                self.speed = max(_SLOWEST, self.speed / 2)
            case _:
                pass


def play(transcript: Transcript, speed: float, from_turn: int) -> None:
    """Play in this terminal until it is left."""
    player = Player(scenes(transcript), speed)  # there is a scene: what never began has at least failed
    if from_turn > 1:
        player.jump(from_turn)
    console = Console(markup=False, highlight=False)
    with Keys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        drawn: object = None
        while not player.over:
            player.tick(time.monotonic())
            state = (player.at, player.playing, player.speed, player.typed, console.size)
            if state != drawn:
                live.update(screen(player, transcript, console.width), refresh=True)
                drawn = state
            for key in keys.read(_TICK):
                player.press(key)


def screen(player: Player, transcript: Transcript, width: int) -> Layout:
    """All that is seen at this moment, in a terminal of that width."""
    lines = [line_text(line) for line in player.said[-_KEPT:]]
    if player.ended:
        lines.append(Text(f"\n{ending(transcript)}", style="dim"))
    labels, number = load_texts(transcript.header.language, "replay"), player.scene.turn
    turn = Text(labels["turn"].format(number) if number > 0 else labels["before"])
    behind = [section_text(section) for section in player.scene.panel if section.from_line <= player.shown]
    talk = Panel(_Fitting(lines, newest=True), title=title(transcript), title_align="left", border_style="dim")
    parts = (Layout(talk, ratio=3), Layout(Panel(_Fitting(behind), title=turn, border_style="dim"), ratio=2))
    layout, body = Layout(), Layout()
    if width < _NARROW:
        body.split_column(*parts)
    else:
        body.split_row(*parts)
    layout.split_column(body, Layout(_foot(player), size=1))
    return layout


def _foot(player: Player) -> Text:
    if player.typed is not None:
        last = player.scenes[-1].turn
        return Text(f" turn: {player.typed}▏ (of {last}; enter or g jumps, escape does not)", no_wrap=True)
    sign = "■" if player.ended else "▶" if player.playing else "‖"
    return Text(f" {sign} ×{player.speed:g}  {_HELP}", style="dim", no_wrap=True, overflow="ellipsis")


@dataclass(frozen=True)
class _Fitting:
    """As many rows of some texts as there is room for: the first ones, or the newest."""

    texts: list[Text]
    newest: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = console.render_lines(Text("\n").join(self.texts), options.update(height=None), pad=False)
        height = options.height or len(rows)
        if self.newest:
            rows = rows[-height:]
        elif len(rows) > height:
            rows = [*rows[: height - 1], [Segment("…")]]
        for row in rows:
            yield from row
            yield Segment.line()


class Keys:
    """Reads keys as they are pressed, and restores the terminal afterwards.

    Ctrl-C still interrupts; Ctrl-Z does nothing, as the screen would stay behind.
    """

    def __enter__(self) -> Keys:
        """Take the terminal; a signal that ends the process becomes a `SystemExit`."""
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._handlers: dict[int, Any] = {}
        for name in (signal.SIGTERM, signal.SIGHUP):
            self._handlers[name] = signal.signal(name, lambda number, _: sys.exit(128 + number))
        tty.setcbreak(self._file)
        now = termios.tcgetattr(self._file)
        now[6][termios.VSUSP] = b"\x00"
        termios.tcsetattr(self._file, termios.TCSANOW, now)
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
        for name, handler in self._handlers.items():
            signal.signal(name, handler)

    def read(self, seconds: float) -> list[str]:
        """The keys pressed within a time; `q` when the terminal is gone."""
        ready, _, _ = select.select([self._file], [], [], seconds)
        if not ready:
            return []
        try:
            pressed = os.read(self._file, 64)
        except OSError:
            pressed = b""
        return _keys(pressed) if pressed else ["q"]


def _keys(pressed: bytes) -> list[str]:
    keys: list[str] = []
    while pressed:
        known = next((code for code in _KEY_NAMES if pressed.startswith(code)), pressed[:1])
        if known == b"\x1b" and len(pressed) > 1:
            return keys  # a key that means nothing here
        keys.append(_KEY_NAMES.get(known) or known.decode("ascii", "ignore"))
        pressed = pressed[len(known) :]
    return keys
