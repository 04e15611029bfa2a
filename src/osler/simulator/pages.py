"""A consultation as a page to read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from osler.errors import printable
from osler.events import Answered, Asked, Called, Concluded, Event, Failed, Intervened, Recalled, Remembered, Retrieved
from osler.records.language import Language
from osler.simulator.transcript import Transcript

_NAMES = {Language.EN: ("Doctor", "Patient"), Language.ZH: ("医生", "患者")}


def page(transcript: Transcript, *, details: bool) -> Group:
    """The conversation, and with details what stood behind it."""
    header = transcript.header
    about = (
        f"doctor {header.backbone} · memory {header.memory} · patient {header.patient_backbone} · trial {header.trial}"
    )
    title = Text(header.case, style="bold").append(f"  {about}", style="not bold")
    lines = [line for event in transcript.events for line in _lines(event, header.language, details=details)]
    return Group(
        title,
        Text(),
        *lines,
        Text(f"\n{transcript.ending} after {transcript.turns} turn(s), {transcript.repeats} repeated"),
    )


def _lines(event: Event, language: Language, *, details: bool) -> Iterator[Text | Padding]:
    doctor, patient = _NAMES[language]
    match event:
        case Asked():
            yield Text(f"{event.turn:>2} {doctor}: ", style="cyan").append(printable(event.question), style="default")
        case Answered():
            yield Text(f"   {patient}: ", style="green").append(printable(event.reply), style="default")
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


def _detail(event: Event) -> str:
    match event:
        case Retrieved():
            found = ", ".join(f"{one.name} {one.score:.2f}" for one in event.entries) or "nothing"
            missing = "".join(f"; {one.name}: {one.unrecorded}" for one in event.things if one.unrecorded)
            return f"retrieved: {found}{missing}"
        case Intervened():
            return f"{event.kind}: {event.draft!r} because {'; '.join(event.reasons)}"
        case Recalled():
            return f"recalled {len(event.recall.items)} item(s)" + (
                f", dropped turns {event.recall.dropped}" if event.recall.dropped else ""
            )
        case Remembered():
            return f"remembered {len(event.change.inserted)} item(s)"
        case Called():
            came = event.failure or f"{event.tokens_in} + {event.tokens_out} tokens"
            beyond = f", the last {event.unread:,} characters were not read" if event.unread else ""
            return f"called {event.model}: {came}, {event.seconds:.1f} s{beyond}"
        case _:
            return ""
