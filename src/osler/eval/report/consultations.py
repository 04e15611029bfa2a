"""Consultations on the page: what was said and concluded, and the truth behind a click."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import groupby

from osler.eval.compare import ColumnFigures
from osler.eval.faithfulness.patient_verdicts import faults_in
from osler.eval.report.snapshot import Snapshot
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.locale import load_texts
from osler.records.schema import PatientRecord
from osler.runs.events import Concluded
from osler.runs.makers import making_lines, mark
from osler.runs.reply_faults import ReplyFaults
from osler.runs.scored import DIAGNOSIS, TREATMENT, ScoredConsultation
from osler.runs.transcript import Transcript
from osler.runs.turns import earlier_visits
from osler.tables.markup import Html, bounded, element, joined

_MOST_CHARACTERS = 12_000
"""Of one consultation."""
_MARKS: dict[str, str] = {
    Verdict.CORRECT: "✓",
    Verdict.PARTIAL: "◐",
    Verdict.WRONG: "✗",
    Verdict.UNSAFE: "⚠",
    Verdict.UNDECIDED: "?",
}

Words = Mapping[str, str]
"""The page's own words in the language of a consultation."""


def consultations_section(
    run: Snapshot,
    consultations: Iterable[ScoredConsultation],
    columns: Iterable[ColumnFigures],
    shown: Collection[int],
) -> Html:
    """Consultations by column, those whose number is shown; the others are counted."""
    every = list(consultations)
    parts: list[Html] = []
    for place, column in enumerate(columns, start=1):
        own = [consultation for consultation in every if consultation.column == column.column]
        inside = [consultation for consultation in own if consultation.number in shown]
        parts.append(element("h3", bounded(column.name, 200), id=f"column-{place}"))
        parts += [_consultation(run, consultation) for consultation in inside]
        left = len(own) - len(inside)
        if left:
            note = (
                f"{left:,} further consultation(s) of this column are not on this page; `osler"
                " show` prints any."
            )
            parts.append(element("p", note, class_="note"))
    return joined(parts)


def _consultation(run: Snapshot, consultation: ScoredConsultation) -> Html:
    """One consultation: its line, and behind a click all that was said."""
    trial = f" · trial {consultation.trial}" if consultation.trial > 1 else ""
    title = element("span", bounded(consultation.case, 120), trial, class_="case")
    turns = element("span", f"{consultation.turns} turns", class_="turns")
    summary = element("summary", title, *_verdicts(consultation), turns)
    language = "zh-Hans" if consultation.language is Language.ZH else "en"
    body = element("div", _inside(run, consultation), lang=language, class_="inside")
    anchor = f"c{consultation.number}"
    return element("details", summary, body, id=anchor, class_="consultation")


def _verdicts(consultation: ScoredConsultation) -> Iterator[Html]:
    if consultation.is_failed:
        yield element("span", f"failed: {consultation.ending.value}", class_="verdict failed")
        return
    for kind in (DIAGNOSIS, TREATMENT):
        verdict = consultation.verdict(kind)
        if verdict is not None:
            text = f"{_MARKS.get(verdict, '–')} {kind} {bounded(verdict, 20)}"
            style = verdict if verdict in _MARKS else "none"
            yield element("span", text, class_=f"verdict {style}")
        elif kind == DIAGNOSIS:
            yield element("span", "– not judged", class_="verdict none")
    explanation = consultation.explanation
    if explanation is not None:
        turn = f", turn {explanation.lost_at}" if explanation.lost_at is not None else ""
        yield element("span", f"lost: {explanation.cause}{turn}", class_="verdict none")


def _inside(run: Snapshot, consultation: ScoredConsultation) -> Html:
    """What was said, what was concluded, and the truth."""
    transcript = run.file.transcript(consultation.number)
    if transcript is None:
        return element("p", "It was taken up again while this page was made.", class_="note")
    record = run.file.record(consultation.case)
    faults = faults_in(run.file, consultation.number, consultation.patient_ruler)
    words = {**load_texts(record.language, "replay"), **load_texts(record.language, "report")}
    opening = _line("patient", words["patient"], record.complaint)
    lines = _within(_talk(transcript, faults, words), words)
    conclusion = transcript.conclusion
    parts = list(_visits(transcript, words))
    parts.append(element("ol", opening, *lines, class_="talk"))
    if conclusion is not None:
        parts.append(_conclusion(conclusion, words))
    for line in making_lines(transcript):
        parts.append(element("p", line, class_="note"))
    parts.append(_truth(record, consultation, words))
    return joined(parts)


def _conclusion(conclusion: Concluded, words: Words) -> Html:
    parts = {
        "diagnosis": conclusion.diagnosis,
        "treatment": conclusion.treatment,
        "differential": "; ".join(conclusion.differential[:20]),
        "reasoning": conclusion.reasoning,
    }
    return _terms((words[name], text) for name, text in parts.items() if text)


def _visits(transcript: Transcript, words: Words) -> Iterator[Html]:
    """What the memory heard before the consultation, folded, a visit at a time."""
    for visit in earlier_visits(transcript.turn_views):
        title = words["small_talk"] if visit.filler else words["visit"].format(visit.number)
        began = visit.exchanges[0].at
        day = f" · {began:%Y-%m-%d}" if began else ""
        lines: list[Html] = []
        for turn in visit.exchanges:
            lines.append(_line("doctor", words["doctor"], turn.question))
            lines.append(_line("patient", words["patient"], turn.reply))
            if turn.results:
                lines.append(_line("report", words["report"], turn.results))
        talk = element("ol", *_within(iter(lines), words), class_="talk")
        summary = element("summary", title + day)
        yield element("details", summary, talk, class_="visit")


def _within(lines: Iterator[Html], words: Words) -> Iterator[Html]:
    """As many lines as there is room for."""
    left = _MOST_CHARACTERS
    for line in lines:
        left -= len(line)
        if left < 0:
            count = 1 + sum(1 for _ in lines)
            yield element("li", words["more_lines"].format(count=count), class_="note")
            return
        yield line


def _talk(
    transcript: Transcript, faults: Mapping[int, ReplyFaults], words: Words
) -> Iterator[Html]:
    header = transcript.header
    for turn in transcript.turn_views:
        if turn.asked is not None:
            by = mark(turn.asked.maker, header.backbone, header.language)
            note = words["repeated"] if turn.asked.repeated else ""
            question = turn.shown_question(header.language)
            yield _line("doctor", words["doctor"] + by, question, note)
        if turn.retrieved is not None and turn.retrieved.results:
            yield _line("report", words["report"], turn.retrieved.results)
        if turn.answered is not None:
            by = mark(turn.answered.maker, header.patient_backbone, header.language)
            notes = _fault_notes(faults.get(turn.number, ReplyFaults()), words)
            reply = turn.answered.reply
            yield _line("patient", words["patient"] + by, reply, "; ".join(notes))
        if turn.failed is not None:
            reason = f"{turn.failed.kind}: {turn.failed.message}"
            yield _line("failed", words["failed"], reason)


def _fault_notes(faults: ReplyFaults, words: Words) -> Iterator[str]:
    for kind, quotations in asdict(faults).items():
        if quotations:
            yield f"{words[kind]}: {bounded(', '.join(quotations[:10]), 200)}"


def _line(kind: str, speaker: str, text: str, note: str = "") -> Html:
    flags = [element("span", note, class_="flag")] if note else []
    name = element("b", speaker)
    speech = element("span", bounded(text))
    return element("li", name, " ", speech, *flags, class_=kind)


def _truth(record: PatientRecord, consultation: ScoredConsultation, words: Words) -> Html:
    """Closed until it is wanted; the judge's words are with it, since they name it."""
    terms = list(_true_answer(record, words))
    for because in _reasons(consultation):
        terms.append((words["judge"], because))
    if consultation.explanation is not None:
        terms.append((words["lost"], consultation.explanation.line))
    summary = element("summary", words["truth"])
    return element("details", summary, _terms(terms), class_="truth")


def _true_answer(record: PatientRecord, words: Words) -> Iterator[tuple[str, str]]:
    code = f" ({record.diagnosis.icd10})" if record.diagnosis.icd10 else ""
    yield words["diagnosis"], record.diagnosis.name + code
    if record.treatment is None:
        return
    yield words["treatment"], record.treatment.name
    for part in record.treatment.parts[:20]:
        yield words["parts"], part.name
    for unsafe in record.treatment.unsafe[:20]:
        yield words["unsafe"], f"{unsafe.name}: {unsafe.because}"


def _reasons(consultation: ScoredConsultation) -> Iterator[str]:
    """Why the judge gave its verdicts."""
    for kind in (DIAGNOSIS, TREATMENT):
        verdict = consultation.verdicts.get(kind)
        if verdict is not None and verdict.because:
            yield verdict.because


def _terms(pairs: Iterable[tuple[str, str]]) -> Html:
    """Names with their meanings; the same name is said once."""
    parts: list[Html] = []
    for name, group in groupby(pairs, key=lambda pair: pair[0]):
        parts.append(element("dt", name))
        parts += [element("dd", bounded(text)) for _, text in group]
    return element("dl", *parts)
