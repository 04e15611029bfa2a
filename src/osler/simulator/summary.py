"""What a run came to, in one table: answers, failures, and how the participants worked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rich.table import Table

from osler.eval.match import names_diagnosis, names_treatment
from osler.events import Ending, Voice
from osler.records.schema import PatientRecord
from osler.simulator.transcript import Transcript

_COLUMNS = (
    "backbone",
    "memory",
    "n",
    "failed",
    "unparsed",
    "diagnosis",
    "treatment",
    "turns",
    "repeats",
    "leaks",
    "fabricated",
    "replaced",
)


def summary(transcripts: Iterable[Transcript], records: Mapping[str, PatientRecord], patient: str) -> Table:
    """Backbones × memories; a failed consultation is counted as failed, never as wrong."""
    groups: dict[tuple[str, str], list[Transcript]] = defaultdict(list)
    for transcript in transcripts:
        if transcript.header.case in records:
            groups[transcript.header.backbone, transcript.header.memory].append(transcript)
    table = Table(title=f"patient: {patient}", title_justify="left")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name in {"backbone", "memory"} else "right")
    for (backbone, memory), some in groups.items():
        table.add_row(backbone, memory, *_figures(some, records))
    return table


def _figures(some: list[Transcript], records: Mapping[str, PatientRecord]) -> list[str]:
    answered = [transcript for transcript in some if transcript.ending.is_answer]
    right = treated = with_treatment = 0
    for transcript in answered:
        record, conclusion = records[transcript.header.case], transcript.conclusion
        right += conclusion is not None and names_diagnosis(conclusion.diagnosis, record.diagnosis, record.language)
        if record.treatment is not None:
            with_treatment += 1
            treated += conclusion is not None and names_treatment(
                conclusion.treatment, record.treatment, record.language
            )
    replies = [reply for transcript in some for reply in transcript.replies]
    return [
        str(len(some)),
        str(len(some) - len(answered)),
        str(sum(transcript.ending is Ending.UNPARSED for transcript in some)),
        _share(right, len(answered)),
        _share(treated, with_treatment),
        _mean(sum(transcript.turns for transcript in answered), len(answered)),
        _mean(sum(transcript.repeats for transcript in answered), len(answered)),
        str(sum(bool(reply.leaks) for reply in replies)),
        str(sum(bool(reply.fabrications) for reply in replies)),
        _share(sum(reply.voice is Voice.REPLACED for reply in replies), len(replies)),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def _mean(whole: int, count: int) -> str:
    return f"{whole / count:.1f}" if count else "–"
