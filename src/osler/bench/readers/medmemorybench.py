"""Reader of MedMemoryBench: `persona_N/eval/generated_dialogues.json` and `generated_queries.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, QuestionKind, Said, TurnWriter
from osler.bench.readers.json_files import DataFile
from osler.language import Language
from osler.memory.store.messages import language_of

_KINDS = {
    "entity_exact_match": QuestionKind.SINGLE,
    "temporal_localization": QuestionKind.TEMPORAL,
    "state_update": QuestionKind.UPDATE,
    "multiple_choice": QuestionKind.OPEN,
    "inference_generation": QuestionKind.OPEN,
    "multi_hop_clinical_deduction": QuestionKind.MULTI,
}
_SPEAKERS = {
    Language.EN: {"user": "patient", "assistant": "doctor"},
    Language.ZH: {"user": "患者", "assistant": "医生"},
}
_NOISY = "generated_dialogues_with_noise.json"
_CHOICE = "multiple_choice"


def is_medmemorybench(folder: Path) -> bool:
    """Check whether a folder holds personas of MedMemoryBench."""
    return any(folder.glob("persona_*/eval/generated_queries.json"))


def read_medmemorybench(folder: Path) -> Iterator[BenchCase]:
    """Each persona is one person; the dialogues with noise are read where there are such."""
    for queries in sorted(folder.glob("persona_*/eval/generated_queries.json"), key=_number):
        noisy = queries.with_name(_NOISY)
        dialogues = noisy if noisy.exists() else queries.with_name("generated_dialogues.json")
        yield _case(DataFile(dialogues, "MedMemoryBench"), DataFile(queries, "MedMemoryBench"))


def _number(path: Path) -> tuple[int, str]:
    name = path.parent.parent.name
    digits = name.rpartition("_")[2]
    return (int(digits) if digits.isdecimal() else 0, name)


def _case(file: DataFile, asked: DataFile) -> BenchCase:
    name = file.path.parent.parent.name
    rows = asked.field(asked.json(), "queries", list, name)
    language = language_of(" ".join(str(row.get("question", "")) for row in rows[:20] if isinstance(row, dict)))
    writer, held = TurnWriter(), dict[int, list[int]]()
    for place, session in enumerate(file.field(file.json(), "sessions", list, name), 1):
        where = f"{name}, session {place}"
        messages = file.field(session, "messages", list, where)
        said = [_said(file, one, where, language or Language.EN) for one in messages]
        numbers = writer.session(said, _date(session))
        if "noise_id" not in session and "noise_family_id" not in session:
            held[file.field(session, "session_id", int, where)] = numbers
    questions = tuple(_question(asked, row, held, f"{name}, query {place}") for place, row in enumerate(rows, 1))
    usable = tuple(question for question in questions if question.text and question.answer)
    return BenchCase(
        name,
        f"medmemorybench {language or Language.EN}",
        language or Language.EN,
        tuple(writer.turns),
        usable,
        tuple(writer.sessions),
        left_out=len(questions) - len(usable),
    )


def _said(file: DataFile, message: Any, where: str, language: Language) -> Said:
    role = file.field(message, "role", str, where)
    return Said(_SPEAKERS[language].get(role, role), file.field(message, "content", str, where))


def _date(session: Mapping[str, Any]) -> datetime | None:
    """The day of a session, if it tells one."""
    told = str((session.get("event_info") or {}).get("date", ""))[:10]
    try:
        return datetime.strptime(told, "%Y-%m-%d")  # noqa: DTZ007 -- turns have no time zone
    except ValueError:
        return None


def _question(asked: DataFile, row: Any, held: Mapping[int, list[int]], where: str) -> BenchQuestion:
    """A query: asked after its session, with the turns of the sessions that its key points come from as gold."""
    kind = asked.field(row, "query_type", str, where)
    if kind not in _KINDS:
        raise asked.error(f"{where}: there is no query type {kind!r}")
    answers = asked.field(row, "answers", list, where)
    right = [asked.field(one, "content", str, where) for one in answers if one.get("is_correct")]
    text = asked.field(row, "question", str, where)
    if kind == _CHOICE:
        text = "\n".join([text, *(str(one.get("content", "")) for one in answers)])
    points = row.get("source_key_points") or ()
    sessions = {point.get("session_id", 0) for point in points if isinstance(point, dict)}
    after = held.get(row.get("session_id", 0), ())
    return BenchQuestion(
        text,
        "; ".join(right),
        tuple(right),
        frozenset(turn for session in sessions for turn in held.get(session, ())),
        _KINDS[kind],
        relation=kind,
        asked_after=max(after, default=None),
    )
