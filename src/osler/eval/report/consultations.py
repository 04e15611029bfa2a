"""Consultations to read on the page: what was said, what was concluded, and, for who wants to know, the truth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from osler.eval.compare import ColumnFigures
from osler.eval.faithfulness import ReplyVerdict
from osler.eval.faithfulness.patient_verdicts import faults_in
from osler.eval.report.markup import Html, bounded, element, joined
from osler.eval.report.snapshot import Row, Snapshot, column_of
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records.schema import PatientRecord
from osler.runs.events import Answered, Asked, Concluded, Failed, Retrieved
from osler.runs.makers import making_lines, mark
from osler.runs.transcript import Transcript, heard

MOST = 200
"""Consultations on a page; more would make it too large to open."""
MOST_SAID = 12_000
"""Characters of one consultation."""
_MARKS = {Verdict.CORRECT: "✓", Verdict.PARTIAL: "◐", Verdict.WRONG: "✗", Verdict.UNSAFE: "⚠"}
_WORDS = {
    Language.EN: {
        "doctor": "Doctor",
        "patient": "Patient",
        "report": "Report",
        "diagnosis": "Diagnosis",
        "treatment": "Treatment",
        "differential": "Or",
        "reasoning": "Because",
        "truth": "Ground truth",
        "parts": "Must contain",
        "unsafe": "Unsafe here",
        "judge": "The judge",
        "failed": "Failed",
        "repeated": "asked before",
        "leaks": "gives the diagnosis away",
        "fabrications": "not in the record",
        "contradictions": "the opposite of the record",
        "more": "{count} more lines",
    },
    Language.ZH: {
        "doctor": "医生",
        "patient": "患者",
        "report": "报告单",
        "diagnosis": "诊断",
        "treatment": "治疗",
        "differential": "或者",
        "reasoning": "依据",
        "truth": "标准答案",
        "parts": "必须包含",
        "unsafe": "对该患者不安全",
        "judge": "评判",
        "failed": "失败",
        "repeated": "重复提问",
        "leaks": "泄露诊断",
        "fabrications": "病历中没有",
        "contradictions": "与病历相反",
        "more": "另有{count}行",
    },
}


def consultations(run: Snapshot, rows: list[Row], columns: list[ColumnFigures], shown: set[int]) -> Html:
    """ColumnFigures by column, those that are shown; the others are counted."""
    parts: list[Html] = []
    for place, column in enumerate(columns, start=1):
        own = [row for row in rows if column_of(row) == column.column]
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
    inside = (
        _read(
            transcript, run.file.record(row["record"]), row, faults_in(run.file, row["number"], row["patient_ruler"])[1]
        )
        if transcript is not None
        else element("p", "It was taken up again while this page was made.", class_="note")
    )
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


def _read(transcript: Transcript, record: PatientRecord, row: Row, faults: dict[int, ReplyVerdict]) -> Html:
    words = _WORDS[record.language]
    opening = _line("patient", words["patient"], record.complaint)
    return joined(
        [
            element("ol", opening, *_within(_talk(transcript, faults, words), words), class_="talk"),
            *_conclusion(transcript, words),
            *(element("p", line, class_="note") for line in making_lines(transcript)),
            _truth(record, row, words),
        ]
    )


def _within(lines: Iterator[Html], words: dict[str, str]) -> Iterator[Html]:
    """As many lines as there is room for."""
    left = MOST_SAID
    for line in lines:
        left -= len(line)
        if left < 0:
            count = 1 + sum(1 for _ in lines)
            yield element("li", words["more"].format(count=count), class_="note")
            return
        yield line


def _talk(transcript: Transcript, faults: dict[int, ReplyVerdict], words: dict[str, str]) -> Iterator[Html]:
    header = transcript.header
    for event in transcript.events:
        match event:
            case Asked():
                told = heard(event, header.language)
                by = mark(event.maker, header.backbone, header.language)
                yield _line("doctor", words["doctor"] + by, told, words["repeated"] if event.repeated else "")
            case Answered():
                notes = [
                    f"{words[kind]}: {bounded(', '.join(found[:10]), 200)}"
                    for kind, found in _faults(faults.get(event.turn, ReplyVerdict()))
                    if found
                ]
                by = mark(event.maker, header.patient_backbone, header.language)
                yield _line("patient", words["patient"] + by, event.reply, "; ".join(notes))
            case Retrieved() if event.results:
                yield _line("report", words["report"], event.results)
            case Failed():
                yield _line("failed", words["failed"], f"{event.kind}: {event.message}")
            case _:
                pass


def _faults(verdict: ReplyVerdict) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "leaks", verdict.leaks
    yield "fabrications", tuple(claim.quote for claim in verdict.unsupported)
    yield "contradictions", verdict.turned_round


def _line(kind: str, speaker: str, text: str, note: str = "") -> Html:
    marked = [element("span", note, class_="flag")] if note else []
    return element("li", element("b", speaker), " ", element("span", bounded(text)), *marked, class_=kind)


def _conclusion(transcript: Transcript, words: dict[str, str]) -> Iterator[Html]:
    concluded: Concluded | None = transcript.conclusion
    if concluded is None:
        return
    told = {
        "diagnosis": concluded.diagnosis,
        "treatment": concluded.treatment,
        "differential": "; ".join(concluded.differential[:20]),
        "reasoning": concluded.reasoning,
    }
    yield _terms((words[name], text) for name, text in told.items() if text)


def _truth(record: PatientRecord, row: Row, words: dict[str, str]) -> Html:
    """Closed until it is wanted; the judge's words are with it, since they name it."""
    code = f" ({record.diagnosis.icd10})" if record.diagnosis.icd10 else ""
    told = [(words["diagnosis"], record.diagnosis.name + code)]
    if (treatment := record.treatment) is not None:
        told.append((words["treatment"], treatment.name))
        told += [(words["parts"], part.name) for part in treatment.parts[:20]]
        told += [(words["unsafe"], f"{unsafe.name}: {unsafe.because}") for unsafe in treatment.unsafe[:20]]
    told += [(words["judge"], because) for kind in ("diagnosis", "treatment") if (because := row[f"{kind}_because"])]
    return element("details", element("summary", words["truth"]), _terms(told), class_="truth")


def _terms(pairs: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> Html:
    """Names with what they stand for; the same name is said once."""
    parts: list[Html] = []
    for name, some in groupby(pairs, key=lambda pair: pair[0]):
        parts.append(element("dt", name))
        parts += [element("dd", bounded(text)) for _, text in some]
    return element("dl", *parts)
