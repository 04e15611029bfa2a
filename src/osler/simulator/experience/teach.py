"""Lessons from a consultation that has ended: by the doctor's model, or by rules without one."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, Field

from osler.agents.calls import Caller
from osler.agents.messages import Briefing
from osler.agents.prompt_slots import SEMICOLON, case_slots
from osler.agents.rules.findings import Findings, known_from
from osler.agents.rules.knowledge import knowledge
from osler.errors import RunStopped, StorageError, printable
from osler.eval.exact_diagnosis import judge_diagnosis
from osler.eval.judge import Kind
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.scoring import exact_verdicts
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.loosejson import json_begun, json_of
from osler.memory.base import MemorySettings, Query, Recall
from osler.memory.raw import RawMemory
from osler.models import ChatMessage
from osler.prompts import phrases, prompt
from osler.records.schema import PatientRecord
from osler.runs.events import Concluded, Journal, Learned, Maker, Role
from osler.runs.lessons import Lesson
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript
from osler.settings.names import RULES, Feedback
from osler.settings.run_settings import RunSettings
from osler.simulator.build import Opener, case_of
from osler.simulator.experience.recall import Experience

MOST_LESSONS = 3
"""Lessons that one case gives."""
LONGEST = 400
"""Characters of a lesson, and of when it applies."""
_DIALOGUE_TOKENS = 1500
"""Tokens of the consultation that the model reads when it looks back, by estimate; the oldest turns
are left out."""
_NAMED = 6
"""Findings that the words of a rules doctor's lesson name."""


class _LessonForm(BaseModel):
    when: str
    lesson: str


class _LessonsForm(BaseModel):
    lessons: list[_LessonForm] = Field(max_length=MOST_LESSONS)


async def learn(
    transcript: Transcript,
    record: PatientRecord,
    settings: RunSettings,
    experience: Experience | None,
    journal: Journal,
    clients: Opener,
) -> Transcript:
    """Keep lessons from a consultation, as its last event; one that gave no answer teaches nothing.

    A fault here costs the lessons and never the consultation.
    """
    conclusion = transcript.conclusion
    if experience is None or not experience.is_learning:
        return transcript
    if conclusion is None or not transcript.ending.is_answer:
        return transcript
    feedback = ""
    fields: dict[str, object]
    try:
        feedback = await _feedback(transcript, record, experience.feedback, settings, clients)
        if transcript.header.backbone == RULES:
            lesson = _rules_lesson(transcript, conclusion, record, experience.feedback)
            fields = {"lessons": (lesson,), "maker": Maker.RULES}
        else:
            caller = Caller(clients.open(transcript.header.backbone), Role.EXPERIENCE, journal)
            lessons = await _model_lessons(
                caller, transcript, conclusion, record, feedback, settings
            )
            failure = None if lessons else "the model's answer holds no lesson"
            fields = {"lessons": lessons, "maker": Maker.MODEL, "requests": 1, "failure": failure}
    except (RunStopped, StorageError):
        raise
    except Exception as error:
        line = f"{type(error).__name__}: {printable(str(error))[:300]}"
        fields = {"lessons": (), "maker": Maker.SILENT, "failure": line}
    journal.add(Learned, Role.EXPERIENCE, told=feedback, **fields)
    return transcript.model_copy(update={"events": tuple(journal.events)})


async def _feedback(
    transcript: Transcript,
    record: PatientRecord,
    kind: Feedback,
    settings: RunSettings,
    clients: Opener,
) -> str:
    """Return what the doctor is told of its conclusion."""
    line = phrases("lesson_lines", record.language)
    if kind is Feedback.TRUTH:
        truths = [line["truth_diagnosis"].format(truth=record.diagnosis.name)]
        if record.treatment:
            truths.append(line["truth_treatment"].format(truth=record.treatment.name))
        return "\n".join(truths)
    verdicts = exact_verdicts(transcript, record)
    if settings.feedback_judge is not None:
        judge = ModelJudge(clients.open(settings.feedback_judge))
        verdicts = [await _read(verdict, transcript, record, judge) for verdict in verdicts]
    return "\n".join(
        line[f"verdict_{verdict.kind}"].format(verdict=line[verdict.verdict])
        for verdict in verdicts
    )


async def _read(
    verdict: StoredVerdict, transcript: Transcript, record: PatientRecord, judge: ModelJudge
) -> StoredVerdict:
    """Have a model read an answer that is not exactly a name of the record."""
    conclusion = transcript.conclusion
    if verdict.verdict != Verdict.UNDECIDED or conclusion is None:
        return verdict
    kind: Kind = "diagnosis" if verdict.kind == "diagnosis" else "treatment"
    opinion = await judge.judge(kind, getattr(conclusion, kind), record)
    return replace(verdict, verdict=opinion.verdict.value)


async def _model_lessons(
    caller: Caller,
    transcript: Transcript,
    conclusion: Concluded,
    record: PatientRecord,
    feedback: str,
    settings: RunSettings,
) -> tuple[Lesson, ...]:
    template = prompt("lesson", record.language)
    text = template.fill(
        **case_slots(case_of(record)),
        dialogue=await _dialogue(transcript),
        diagnosis=conclusion.diagnosis,
        treatment=conclusion.treatment,
        told=feedback,
    )
    messages = [ChatMessage("user", text)]
    answer = await caller.text(
        messages, template, schema=_LessonsForm, max_tokens=settings.answer_tokens
    )
    return tuple(_lessons_in(answer, record))[:MOST_LESSONS]


def _lessons_in(answer: str, record: PatientRecord) -> list[Lesson]:
    """Return the lessons in a model's answer, without those that are empty or overlong."""
    data = json_of(answer) or json_begun(answer) or {}
    rows = data.get("lessons")
    lessons = []
    for row in rows if isinstance(rows, list) else ():
        fields = row if isinstance(row, dict) else {}
        when = " ".join(str(fields.get("when") or "").split())
        text = " ".join(str(fields.get("lesson") or "").split())
        if text and max(len(when), len(text)) <= LONGEST:
            lessons.append(Lesson(case=record.id, language=record.language, when=when, text=text))
    return lessons


async def _dialogue(transcript: Transcript) -> str:
    """The dialogue of a consultation, or the record of a doctor who was told everything."""
    header = transcript.header
    memory = RawMemory(
        MemorySettings(language=header.language, budget=_DIALOGUE_TOKENS, speaker=header.speaker)
    )
    for turn in transcript.exchanges.values():
        await memory.remember(turn)
    recall = await memory.recall(Query(""))
    nothing = phrases("lesson_lines", header.language)["nothing"]
    return recall.text or _last_recall(transcript).text or nothing


def _last_recall(transcript: Transcript) -> Recall:
    recalls = [turn.recall for turn in transcript.turn_views if turn.recall]
    if recalls:
        return recalls[-1]
    return Recall()


def _rules_lesson(
    transcript: Transcript, conclusion: Concluded, record: PatientRecord, feedback: Feedback
) -> Lesson:
    """The findings of the case with the doctor's diagnosis and the verdict, or with the truth."""
    language = record.language
    turns = tuple(transcript.exchanges.values())
    recall = Recall(exchanges=turns) if turns else _last_recall(transcript)
    briefing = Briefing(
        case=case_of(record), turn=len(turns) + 1, turns_left=0, reply="", recall=recall
    )
    findings = known_from(briefing).findings
    lesson = Lesson(
        case=record.id,
        language=language,
        when=_when(findings, language),
        text="",
        findings=findings,
        given=_condition_named(conclusion.diagnosis, language),
    )
    line = phrases("lesson_lines", language)
    if feedback is Feedback.TRUTH:
        truth = _condition_of(record)
        diagnosis = record.diagnosis.name
        treatment = record.treatment.name if record.treatment else ""
        update: dict[str, object] = {
            "text": line["was_true"].format(diagnosis=diagnosis, treatment=treatment),
            "truth": truth,
            "diagnosis": diagnosis,
            "treatment": treatment,
            "given_was": lesson.given == truth,
        }
    else:
        [verdict] = [
            Verdict(stored.verdict)
            for stored in exact_verdicts(transcript, record)
            if stored.kind == "diagnosis"
        ]
        was_right: bool | None = None
        template = line["was_open"]
        if verdict is Verdict.CORRECT:
            was_right = True
            template = line["was_right"]
        elif verdict is Verdict.WRONG:
            was_right = False
            template = line["was_wrong"]
        text = template.format(diagnosis=conclusion.diagnosis)
        update = {"text": text, "given_was": was_right}
    return lesson.model_copy(update=update)


def _condition_named(name: str, language: Language) -> str:
    """The id of the condition with that name; empty if the rules doctor knows none."""
    for condition in knowledge().conditions.values():
        if condition.name[language] == name:
            return condition.id
    return ""


def _condition_of(record: PatientRecord) -> str:
    """The id of the condition that the rules doctor knows the true diagnosis as.

    Empty if it does not know it.
    """
    for condition in knowledge().conditions.values():
        name = condition.name[record.language]
        opinion = judge_diagnosis(name, record.diagnosis, condition.icd10)
        if opinion.verdict is Verdict.CORRECT:
            return condition.id
    return ""


def _when(findings: Findings, language: Language) -> str:
    """Say for which findings a lesson applies: those that are present, and those that are not."""
    line = phrases("lesson_lines", language)
    items = knowledge().item_of
    present: dict[str, None] = {}
    absent: dict[str, None] = {}
    for finding, is_present in findings.items():
        name = items[finding].names[language][0]
        if is_present is True:
            present[name] = None
        elif is_present is False:
            absent[name] = None
    if not present:
        return line["when_nothing"]
    joint = SEMICOLON[language]
    text = line["when"].format(present=joint.join(list(present)[:_NAMED]))
    only_absent = [name for name in absent if name not in present]
    if only_absent:
        space = " " if language is Language.EN else ""
        text += space + line["without"].format(absent=joint.join(only_absent[:_NAMED]))
    return text
