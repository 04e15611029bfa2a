"""A consultation as a page to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from osler.errors import printable
from osler.eval.faithfulness.verdict import ReplyVerdict
from osler.language import Language
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Event,
    Failed,
    Intervened,
    Maker,
    Recalled,
    Remembered,
    Retrieved,
)
from osler.runs.maker_rows import seat_name
from osler.runs.maker_words import making_lines, mark
from osler.runs.transcript import Header, Transcript, heard

_NAMES = {Language.EN: ("Doctor", "Patient"), Language.ZH: ("医生", "患者")}


def page(transcript: Transcript, *, details: bool, faults: Mapping[int, ReplyVerdict] | None = None) -> Group:
    """The conversation, and with details what stood behind it; below a faulty reply, what is wrong with it."""
    header = transcript.header
    title = Text(header.case, style="bold").append(f"  {made_with(header)}", style="not bold")
    lines = [
        line
        for event in transcript.events
        for line in (*_lines(event, header, details=details), *_faults(event, faults or {}))
    ]
    return Group(
        title,
        Text(),
        *lines,
        Text(f"\n{transcript.ending} after {transcript.turns} turn(s), {transcript.repeats} repeated"),
        *(Text(line, style="dim") for line in making_lines(transcript)),
    )


def made_with(header: Header) -> str:
    """What a consultation was held with, in one line."""
    parts = {
        "doctor": header.backbone,
        "strategy": header.strategy,
        "memory": header.memory,
        **header.variants,
        "patient": header.patient_backbone,
        "RAM": header.ram_backbone,
        "trial": header.trial,
    }
    return " · ".join(f"{name} {value}" for name, value in parts.items() if value)


def _lines(event: Event, header: Header, *, details: bool) -> Iterator[Text | Padding]:
    language = header.language
    doctor, patient = _NAMES[language]
    match event:
        case Asked():
            by = mark(event.maker, header.backbone, language)
            yield Text(f"{event.turn:>2} {doctor}{by}: ", style="cyan").append(
                printable(heard(event, language)), style="default"
            )
        case Answered():
            by = mark(event.maker, header.patient_backbone, language)
            yield Text(f"   {patient}{by}: ", style="green").append(printable(event.reply), style="default")
        case Concluded():
            yield Text("\n   diagnosis  ", style="bold").append(printable(event.diagnosis))
            yield Text("   treatment  ", style="bold").append(printable(event.treatment), style="not bold")
            if event.differential:
                yield Text(f"   or         {printable('; '.join(event.differential))}", style="dim")
            if event.reasoning:
                yield Text(f"   because    {printable(event.reasoning)}", style="dim")
        case Failed():
            yield Text(f"   failed ({event.kind}): {printable(event.message)}", style="red")
        case _:
            if details and (text := _detail(event)):
                yield Padding(Text(printable(text), style="dim"), (0, 0, 0, 6))
            if isinstance(event, Retrieved):
                yield from _report(event, language)


def _report(event: Retrieved, language: Language) -> Iterator[Text]:
    """What the doctor was handed itself."""
    name = "Report" if language is Language.EN else "报告单"
    for line in event.results.splitlines():
        yield Text(f"   {name}: ", style="magenta").append(printable(line), style="default")


def _faults(event: Event, faults: Mapping[int, ReplyVerdict]) -> Iterator[Padding]:
    if not isinstance(event, Answered) or event.turn not in faults:
        return
    verdict = faults[event.turn]
    for what, found in (
        ("gives the diagnosis away", verdict.leaks),
        ("fabricates", tuple(claim.quote for claim in verdict.unsupported)),
        ("says the opposite of", verdict.turned_round),
    ):
        if found:
            yield Padding(Text(f"{what}: {printable('; '.join(found))}", style="yellow"), (0, 0, 0, 6))


def _detail(event: Event) -> str:
    match event:
        case Retrieved():
            found = ", ".join(f"{one.name} {one.score:.2f}" for one in event.entries) or "nothing"
            missing = "".join(f"; {one.name}: {one.unrecorded}" for one in event.things if one.unrecorded)
            return f"retrieved: {found}{missing}" + ("" if event.maker is Maker.RULES else f" [{event.maker}]")
        case Intervened():
            because = f" because {'; '.join(event.reasons)}" if event.reasons else ""
            return f"{seat_name(event.role)}: {event.kind}: {event.draft!r}{because}"
        case Recalled():
            recall = event.recall
            dropped = f", dropped turns {recall.dropped}" if recall.dropped else ""
            return f"recalled {len(recall.facts)} fact(s) and {len(recall.exchanges)} exchange(s){dropped}"
        case Remembered():
            refused = f", {len(event.change.refused)} refused" if event.change.refused else ""
            return f"remembered {len(event.change.inserted)} item(s){refused}"
        case Called():
            came = event.failure or f"{event.tokens_in} + {event.tokens_out} tokens"
            beyond = f", the last {event.unread:,} characters were not read" if event.unread else ""
            return f"called {event.model}: {came}, {event.seconds:.1f} s{beyond}"
        case _:
            return ""
