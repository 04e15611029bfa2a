"""Lessons from a consultation that has ended.

By the doctor's model, or by rules for the doctor without one.
"""

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

MOST_LESSONS, LONGEST = 3, 400
"""Lessons that one case gives, and characters of a lesson and of when it applies."""
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
    said = transcript.conclusion
    if (
        experience is None
        or not experience.is_learning
        or said is None
        or not transcript.ending.is_answer
    ):
        return transcript
    told = ""
    fields: dict[str, object]
    try:
        told = await _told(transcript, record, experience.feedback, settings, clients)
        if transcript.header.backbone == RULES:
            lesson = _rules_lesson(transcript, said, record, experience.feedback)
            fields = {"lessons": (lesson,), "maker": Maker.RULES}
        else:
            caller = Caller(clients.open(transcript.header.backbone), Role.EXPERIENCE, journal)
            lessons = await _model_lessons(caller, transcript, said, record, told, settings)
            failure = None if lessons else "the model's answer holds no lesson"
            fields = {"lessons": lessons, "maker": Maker.MODEL, "requests": 1, "failure": failure}
    except (RunStopped, StorageError):
        raise
    except Exception as error:
        line = f"{type(error).__name__}: {printable(str(error))[:300]}"
        fields = {"lessons": (), "maker": Maker.SILENT, "failure": line}
    journal.add(Learned, Role.EXPERIENCE, told=told, **fields)
    return transcript.model_copy(update={"events": tuple(journal.events)})


async def _told(
    transcript: Transcript,
    record: PatientRecord,
    feedback: Feedback,
    settings: RunSettings,
    clients: Opener,
) -> str:
    """Return what the doctor is told of its conclusion."""
    line = phrases("lesson_lines", record.language)
    if feedback is Feedback.TRUTH:
        truths = {"diagnosis": record.diagnosis, "treatment": record.treatment}
        return "\n".join(
            line[f"truth_{kind}"].format(truth=one.name) for kind, one in truths.items() if one
        )
    verdicts = exact_verdicts(transcript, record)
    if settings.feedback_judge is not None:
        judge = ModelJudge(clients.open(settings.feedback_judge))
        verdicts = [await _read(verdict, transcript, record, judge) for verdict in verdicts]
    return "\n".join(
        line[f"verdict_{one.kind}"].format(verdict=line[one.verdict]) for one in verdicts
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
    said: Concluded,
    record: PatientRecord,
    told: str,
    settings: RunSettings,
) -> tuple[Lesson, ...]:
    template = prompt("lesson", record.language)
    text = template.fill(
        **case_slots(case_of(record)),
        dialogue=await _dialogue(transcript),
        diagnosis=said.diagnosis,
        treatment=said.treatment,
        told=told,
    )
    messages = [ChatMessage("user", text)]
    answer = await caller.text(
        messages, template, schema=_LessonsForm, max_tokens=settings.answer_tokens
    )
    return tuple(_lessons_in(answer, record))[:MOST_LESSONS]


def _lessons_in(answer: str, record: PatientRecord) -> list[Lesson]:
    """Return the lessons in a model's answer, in its words.

    What is empty or overlong is left out.
    """
    rows = (json_of(answer) or json_begun(answer) or {}).get("lessons")
    found = []
    for row in rows if isinstance(rows, list) else ():
        fields = row if isinstance(row, dict) else {}
        when, text = (" ".join(str(fields.get(name) or "").split()) for name in ("when", "lesson"))
        if text and max(len(when), len(text)) <= LONGEST:
            found.append(Lesson(case=record.id, language=record.language, when=when, text=text))
    return found


async def _dialogue(transcript: Transcript) -> str:
    """The consultation as its doctor heard it.

    The dialogue, or the record of a doctor who was told everything.
    """
    header = transcript.header
    memory = RawMemory(
        MemorySettings(language=header.language, budget=_DIALOGUE_TOKENS, speaker=header.speaker)
    )
    for turn in transcript.exchanges.values():
        await memory.remember(turn)
    return (
        (await memory.recall(Query(""))).text
        or _last_recall(transcript).text
        or phrases("lesson_lines", header.language)["nothing"]
    )


def _last_recall(transcript: Transcript) -> Recall:
    recalls = [turn.recall for turn in transcript.turn_views if turn.recall]
    return recalls[-1] if recalls else Recall()


def _rules_lesson(
    transcript: Transcript, said: Concluded, record: PatientRecord, feedback: Feedback
) -> Lesson:
    """The findings of the case with the doctor's diagnosis and the verdict, or with the truth."""
    language, conditions = record.language, knowledge().conditions
    turns = tuple(transcript.exchanges.values())
    recall = Recall(exchanges=turns) if turns else _last_recall(transcript)
    briefing = Briefing(
        case=case_of(record), turn=len(turns) + 1, turns_left=0, reply="", recall=recall
    )
    findings = known_from(briefing).findings
    given = next(
        (one.id for one in conditions.values() if one.name[language] == said.diagnosis), ""
    )
    line = phrases("lesson_lines", language)
    known: dict[str, object]
    if feedback is Feedback.TRUTH:
        truth, treatment = _condition_of(record), record.treatment.name if record.treatment else ""
        text = line["was_true"].format(diagnosis=record.diagnosis.name, treatment=treatment)
        known = {
            "truth": truth,
            "diagnosis": record.diagnosis.name,
            "treatment": treatment,
            "given_was": given == truth,
        }
    else:
        verdict = next(
            Verdict(one.verdict)
            for one in exact_verdicts(transcript, record)
            if one.kind == "diagnosis"
        )
        was = {Verdict.CORRECT: True, Verdict.WRONG: False}.get(verdict)
        text = line[{True: "was_right", False: "was_wrong", None: "was_open"}[was]].format(
            diagnosis=said.diagnosis
        )
        known = {"given_was": was}
    when = _when(findings, language)
    return Lesson(
        case=record.id,
        language=language,
        when=when,
        text=text,
        findings=findings,
        given=given,
        **known,
    )


def _condition_of(record: PatientRecord) -> str:
    """The id of the condition that the rules doctor knows the true diagnosis as.

    Empty if it does not know it.
    """
    for one in knowledge().conditions.values():
        if (
            judge_diagnosis(one.name[record.language], record.diagnosis, one.icd10).verdict
            is Verdict.CORRECT
        ):
            return one.id
    return ""


def _when(findings: Findings, language: Language) -> str:
    line, items, joint = phrases("lesson_lines", language), knowledge().item_of, SEMICOLON[language]
    present, absent = (
        list(
            dict.fromkeys(
                items[name].names[language][0]
                for name, there in findings.items()
                if there is wanted
            )
        )
        for wanted in (True, False)
    )
    absent = [name for name in absent if name not in present]
    if not present:
        return line["when_nothing"]
    told = line["when"].format(present=joint.join(present[:_NAMED]))
    space = " " if language is Language.EN else ""
    return told + (
        space + line["without"].format(absent=joint.join(absent[:_NAMED])) if absent else ""
    )
