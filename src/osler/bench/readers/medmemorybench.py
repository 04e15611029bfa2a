"""Reader of MedMemoryBench: `generated_dialogues.json` and `generated_queries.json`.

Both stand in `persona_N/eval`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter
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


def _case(dialogue_file: DataFile, query_file: DataFile) -> BenchCase:
    name = dialogue_file.path.parent.parent.name
    queries = query_file.field(query_file.json(), "queries", list, name)
    language = _language(queries)
    writer = TurnWriter()
    turns: dict[int, list[int]] = {}
    sessions = dialogue_file.field(dialogue_file.json(), "sessions", list, name)
    for place, session in enumerate(sessions, 1):
        where = f"{name}, session {place}"
        rows = dialogue_file.field(session, "messages", list, where)
        messages = [_message(dialogue_file, row, where, language) for row in rows]
        numbers = writer.session(messages, _date(session))
        # Sessions of noise have numbers of their own, which would hide those of true sessions.
        if "noise_id" not in session and "noise_family_id" not in session:
            turns[dialogue_file.field(session, "session_id", int, where)] = numbers
    questions = []
    for place, query in enumerate(queries, 1):
        question = _question(query_file, query, turns, f"{name}, query {place}")
        if question.text and question.answer:
            questions.append(question)
    return BenchCase(
        person=name,
        data=f"medmemorybench {language}",
        language=language,
        turns=tuple(writer.turns),
        questions=tuple(questions),
        sessions=tuple(writer.sessions),
        left_out=len(queries) - len(questions),
    )


def _language(queries: Sequence[Any]) -> Language:
    texts = [str(query.get("question", "")) for query in queries[:20] if isinstance(query, dict)]
    return language_of(" ".join(texts)) or Language.EN


def _message(file: DataFile, row: Any, where: str, language: Language) -> Message:
    role = file.field(row, "role", str, where)
    return Message(_SPEAKERS[language].get(role, role), file.field(row, "content", str, where))


def _date(session: Mapping[str, Any]) -> datetime | None:
    """The day of a session, if it tells one."""
    event = session.get("event_info") or {}
    day = str(event.get("date", ""))[:10]
    try:
        return datetime.strptime(day, "%Y-%m-%d")  # noqa: DTZ007 -- turns have no time zone
    except ValueError:
        return None


def _question(
    file: DataFile, query: Any, turns: Mapping[int, list[int]], where: str
) -> BenchQuestion:
    """A query, asked after its session; its gold turns are those of its key points' sessions."""
    kind = file.field(query, "query_type", str, where)
    if kind not in _KINDS:
        raise file.error(f"{where}: there is no query type {kind!r}")
    answers = file.field(query, "answers", list, where)
    right = []
    for answer in answers:
        if answer.get("is_correct"):
            right.append(file.field(answer, "content", str, where))
    lines = [file.field(query, "question", str, where)]
    if kind == _CHOICE:
        lines += [str(answer.get("content", "")) for answer in answers]
    gold: set[int] = set()
    for point in query.get("source_key_points") or ():
        if isinstance(point, dict):
            gold.update(turns.get(point.get("session_id", 0), ()))
    asked_after = max(turns.get(query.get("session_id", 0), ()), default=None)
    return BenchQuestion(
        text="\n".join(lines),
        answer="; ".join(right),
        parts=tuple(right),
        turns=frozenset(gold),
        kind=_KINDS[kind],
        relation=kind,
        asked_after=asked_after,
    )
