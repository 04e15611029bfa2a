"""A replay on the screen: the conversation, beside or above what stands behind it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from osler.locale import load_texts
from osler.replay.keyboard import Keys
from osler.replay.pages import ending, line_text, section_text, title
from osler.replay.player import Player
from osler.replay.scenes import scenes
from osler.runs.transcript import Transcript

_NARROW = 90
_TICK = 0.05
_KEPT = 40
"""Lines that are laid out at most: no terminal shows more of them."""
_HELP = "space pause, next line · enter play · ←/→ turn · 12g jump · +/- speed · q quit"


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
            state = (player.place, player.shown, player.playing, player.speed, player.typed, console.size)
            if state != drawn:
                live.update(screen(player, transcript, console.width), refresh=True)
                drawn = state
            for key in keys.read(_TICK):
                player.press(key)


def screen(player: Player, transcript: Transcript, width: int) -> Layout:
    """All that is seen at this moment, in a terminal of that width."""
    said = [line for scene in player.scenes[: player.place] for line in scene.lines]
    said += player.scene.lines[: player.shown]
    lines = [line_text(line) for line in said[-_KEPT:]]
    if player.ended:
        lines.append(Text(f"\n{ending(transcript)}", style="dim"))
    turn = Text(load_texts(transcript.header.language, "replay")["turn"].format(player.scene.turn))
    talk = Panel(_Fitting(lines, newest=True), title=title(transcript), title_align="left", border_style="dim")
    behind = Panel(_Fitting([section_text(section) for section in player.panel]), title=turn, border_style="dim")
    parts = (Layout(talk, ratio=3), Layout(behind, ratio=2))
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
    """As many rows of some texts as there is room for: the first ones, or the newest, as a conversation is read."""

    texts: list[Text]
    newest: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        every: RenderableType = Text("\n").join(self.texts)
        rows = console.render_lines(every, options.update(height=None), pad=False)
        height = options.height or len(rows)
        if self.newest:
            rows = rows[-height:]
        elif len(rows) > height:
            rows = [*rows[: height - 1], [Segment("…")]]
        for row in rows:
            yield from row
            yield Segment.line()
