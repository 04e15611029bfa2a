"""Consultations on the page: what was said and concluded, the true diagnosis behind a click, and the failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from osler.eval.compare import ColumnFigures
from osler.eval.faithfulness import ReplyVerdict
from osler.eval.faithfulness.patient_verdicts import faults_in
from osler.eval.report.markup import Html, bounded, element, joined, table
from osler.eval.report.snapshot import Row, Snapshot
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.locale import load_texts
from osler.records.schema import PatientRecord
from osler.runs.events import Answered, Asked, Failed, Retrieved, Visited
from osler.runs.makers import making_lines, mark
from osler.runs.transcript import Transcript, heard

MOST = 200
"""Consultations and failures on a page; more would make it too large to open."""
MOST_SAID = 12_000
"""Characters of one consultation."""
_MARKS = {
    Verdict.CORRECT: "✓",
    Verdict.PARTIAL: "◐",
    Verdict.WRONG: "✗",
    Verdict.UNSAFE: "⚠",
    Verdict.UNDECIDED: "?",
}
_MOST_REASONS = 20
_LONGEST_REASON = 300


def consultations(run: Snapshot, rows: list[Row], columns: list[ColumnFigures], shown: set[int]) -> Html:
    """Consultations by column, those that are shown; the others are counted."""
    parts: list[Html] = []
    for place, column in enumerate(columns, start=1):
        own = [row for row in rows if row["column"] == column.column]
        parts.append(element("h3", bounded(column.name, 200), id=f"column-{place}"))
        parts += [_consultation(run, row) for row in own if row["number"] in shown]
        left = sum(row["number"] not in shown for row in own)
        if left:
            told = f"{left:,} further consultation(s) of this column are not on this page; `osler show` prints any."
            parts.append(element("p", told, class_="note"))
    return joined(parts)


def _consultation(run: Snapshot, row: Row) -> Html:
    language = Language(row["language"])
    transcript = run.file.transcript(row["number"])
    trial = f" · trial {row['trial']}" if row["trial"] > 1 else ""
    title = element("span", bounded(row["record"], 120), trial, class_="case")
    summary = element("summary", title, *_verdicts(row), element("span", f"{row['turns']} turns", class_="turns"))
    if transcript is None:
        inside = element("p", "It was taken up again while this page was made.", class_="note")
    else:
        faults = faults_in(run.file, row["number"], row["patient_ruler"])[1]
        inside = _read(transcript, run.file.record(row["record"]), row, faults)
    body = element("div", inside, lang="zh-Hans" if language is Language.ZH else "en", class_="inside")
    return element("details", summary, body, id=f"c{row['number']}", class_="consultation")


def _verdicts(row: Row) -> Iterator[Html]:
    if row["failed"]:
        yield element("span", f"failed: {row['ending']}", class_="verdict failed")
        return
    for kind in ("diagnosis", "treatment"):
        verdict = row[f"{kind}_verdict"]
        if verdict is not None:
            told = f"{_MARKS.get(verdict, '–')} {kind} {bounded(verdict, 20)}"
            yield element("span", told, class_=f"verdict {verdict if verdict in _MARKS else 'none'}")
        elif kind == "diagnosis":
            yield element("span", "– not judged", class_="verdict none")
    if row["cause"]:
        where = f", turn {row['lost_at']}" if row["lost_at"] is not None else ""
        yield element("span", f"lost: {row['cause']}{where}", class_="verdict none")


def _read(transcript: Transcript, record: PatientRecord, row: Row, faults: dict[int, ReplyVerdict]) -> Html:
    words = {**load_texts(record.language, "replay"), **load_texts(record.language, "report")}
    opening = _line("patient", words["patient"], record.complaint)
    concluded = []
    if (said := transcript.conclusion) is not None:
        told = {"diagnosis": said.diagnosis, "treatment": said.treatment}
        told |= {"differential": "; ".join(said.differential[:20]), "reasoning": said.reasoning}
        concluded.append(_terms((words[name], text) for name, text in told.items() if text))
    return joined(
        [
            *_visits(transcript, words),
            element("ol", opening, *_within(_talk(transcript, faults, words), words), class_="talk"),
            *concluded,
            *(element("p", line, class_="note") for line in making_lines(transcript)),
            _truth(record, row, words),
        ]
    )


def _visits(transcript: Transcript, words: Mapping[str, str]) -> Iterator[Html]:
    """What the memory heard before the consultation, folded, a visit at a time."""
    for (visit, filler), group in groupby(transcript.of(Visited), lambda event: (event.visit, event.filler)):
        turns = [event.told for event in group]
        title = words["small_talk"] if filler else words["visit"].format(visit)
        day = f" · {turns[0].at:%Y-%m-%d}" if turns[0].at else ""
        said = (
            line
            for turn in turns
            for line in (
                _line("doctor", words["doctor"], turn.question),
                _line("patient", words["patient"], turn.reply),
                *([_line("report", words["report"], turn.results)] if turn.results else []),
            )
        )
        talk = element("ol", *_within(said, words), class_="talk")
        yield element("details", element("summary", title + day), talk, class_="visit")


def _within(lines: Iterator[Html], words: Mapping[str, str]) -> Iterator[Html]:
    """As many lines as there is room for."""
    left = MOST_SAID
    for line in lines:
        left -= len(line)
        if left < 0:
            count = 1 + sum(1 for _ in lines)
            yield element("li", words["more_lines"].format(count=count), class_="note")
            return
        yield line


def _talk(transcript: Transcript, faults: dict[int, ReplyVerdict], words: Mapping[str, str]) -> Iterator[Html]:
    header = transcript.header
    for event in transcript.events:
        match event:
            case Asked():
                told = heard(event, header.language)
                by = mark(event.maker, header.backbone, header.language)
                yield _line("doctor", words["doctor"] + by, told, words["repeated"] if event.repeated else "")
            case Answered():
                verdict = faults.get(event.turn, ReplyVerdict())
                quotes = [claim.quote for claim in verdict.unsupported]
                found = {"leaks": verdict.leaks, "fabrications": quotes, "contradictions": verdict.turned_round}
                notes = (f"{words[name]}: {bounded(', '.join(some[:10]), 200)}" for name, some in found.items() if some)
                by = mark(event.maker, header.patient_backbone, header.language)
                yield _line("patient", words["patient"] + by, event.reply, "; ".join(notes))
            case Retrieved() if event.results:
                yield _line("report", words["report"], event.results)
            case Failed():
                yield _line("failed", words["failed"], f"{event.kind}: {event.message}")
            case _:
                pass


def _line(kind: str, speaker: str, text: str, note: str = "") -> Html:
    marked = [element("span", note, class_="flag")] if note else []
    return element("li", element("b", speaker), " ", element("span", bounded(text)), *marked, class_=kind)


def _truth(record: PatientRecord, row: Row, words: Mapping[str, str]) -> Html:
    """Closed until it is wanted; the judge's words are with it, since they name it."""
    code = f" ({record.diagnosis.icd10})" if record.diagnosis.icd10 else ""
    told = [(words["diagnosis"], record.diagnosis.name + code)]
    if (treatment := record.treatment) is not None:
        told.append((words["treatment"], treatment.name))
        told += [(words["parts"], part.name) for part in treatment.parts[:20]]
        told += [(words["unsafe"], f"{unsafe.name}: {unsafe.because}") for unsafe in treatment.unsafe[:20]]
    told += [(words["judge"], because) for kind in ("diagnosis", "treatment") if (because := row[f"{kind}_because"])]
    told += [(words["lost"], missing)] if (missing := row["missing"]) else []
    return element("details", element("summary", words["truth"]), _terms(told), class_="truth")


def _terms(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names with their meanings; the same name is said once."""
    parts: list[Html] = []
    for name, some in groupby(pairs, key=lambda pair: pair[0]):
        parts.append(element("dt", name))
        parts += [element("dd", bounded(text)) for _, text in some]
    return element("dl", *parts)


def failures(run: Snapshot, rows: list[Row], columns: list[ColumnFigures], linked: set[int]) -> Html:
    """The list; those on the page are linked."""
    failed = [row for row in rows if row["failed"]]
    if not failed:
        return element("p", "Nothing failed.")
    share = f"{len(failed):,} of {len(rows):,} consultation(s) failed. They are left out of every score above."
    names = {column.column: column.name for column in columns}
    kinds = Counter((row["ending"], _reason(row)) for row in failed).most_common()
    parts = [element("p", share)]
    if len(failed) > len(kinds):
        counts = [[reason, ending, f"{count:,}"] for (ending, reason), count in kinds]
        parts.append(table(["reason", "ending", "consultations"], counts[:_MOST_REASONS]))
    listed = [_failure(run, row, names[row["column"]], linked) for row in failed[:MOST]]
    parts.append(table(["consultation", "column", "ending", "attempts", "reason"], listed))
    if len(failed) > MOST:
        told = f"{len(failed) - MOST:,} further failure(s) are not listed; `osler runs failures` prints all."
        parts.append(element("p", told, class_="note"))
    return joined(parts)


def _failure(run: Snapshot, row: Row, column: str, linked: set[int]) -> list[str | Html]:
    name = bounded(f"{row['record']} {row['trial']}" if row["trial"] > 1 else row["record"], 120)
    case = element("a", name, href=f"#c{row['number']}") if row["number"] in linked else name
    return [case, bounded(column, 120), row["ending"], f"{len(run.file.attempts(row['number'])):,}", _reason(row)]


def _reason(row: Row) -> str:
    return bounded(row["message"] or row["failure"] or "no reason was kept", _LONGEST_REASON)
