"""What a run came to, in one table: answers, failures, and how the participants worked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rich.table import Table
from rich.text import Text

from osler.eval.match import names_diagnosis, names_treatment
from osler.events import Ending, Voice
from osler.records.schema import PatientRecord
from osler.simulator.transcript import Transcript


def summary(transcripts: Iterable[Transcript], records: Mapping[str, PatientRecord], patient: str) -> Table:
    """One column per backbone and memory, so that no figure is cut on a narrow terminal.

    A failed consultation is counted as failed, never as wrong.
    """
    groups: dict[tuple[str, str], list[Transcript]] = defaultdict(list)
    for transcript in transcripts:
        if transcript.header.case in records:
            groups[transcript.header.backbone, transcript.header.memory].append(transcript)
    columns = {group: _figures(some, records) for group, some in groups.items()}
    table = Table(title=f"patient: {patient}", title_justify="left")
    table.add_column("", no_wrap=True)
    for backbone, memory in columns:
        table.add_column(Text(f"{backbone}\n{memory}"), justify="right")
    for row in next(iter(columns.values()), {}):
        table.add_row(row, *(figures[row] for figures in columns.values()))
    return table


def _figures(some: list[Transcript], records: Mapping[str, PatientRecord]) -> dict[str, str]:
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
    return {
        "consultations": str(len(some)),
        "failed": str(len(some) - len(answered)),
        "unparsed": str(sum(transcript.ending is Ending.UNPARSED for transcript in some)),
        "diagnosis right": _share(right, len(answered)),
        "treatment right": _share(treated, with_treatment),
        "turns": _mean(sum(transcript.turns for transcript in answered), len(answered)),
        "repeated questions": _mean(sum(transcript.repeats for transcript in answered), len(answered)),
        "replies": str(len(replies)),
        "that leak": str(sum(bool(reply.leaks) for reply in replies)),
        "that fabricate": str(sum(bool(reply.fabrications) for reply in replies)),
        "replaced by rules": _share(sum(reply.voice is Voice.REPLACED for reply in replies), len(replies)),
    }


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def _mean(whole: int, count: int) -> str:
    return f"{whole / count:.1f}" if count else "–"
