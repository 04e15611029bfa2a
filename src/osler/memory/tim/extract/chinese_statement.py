"""A Chinese clause that states something: a medicine, results, a course, a clause with a predicate, or a bare value."""

from __future__ import annotations

import re

from osler.memory.tim.extract.answers import repeated
from osler.memory.tim.extract.chinese_clause import read_clause
from osler.memory.tim.extract.chinese_course import read_course, score
from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_results import read_results
from osler.memory.tim.extract.chinese_sentence import END, MARK
from osler.memory.tim.extract.chinese_value import bare_value, measured
from osler.memory.tim.extract.chinese_words import ADVERBS, PREDICATES, SELF, TIME
from osler.memory.tim.extract.clauses import UNSURE, Reading, Sketch, whole
from osler.records.language import Language

_HEDGE = re.compile(
    r"可能|好像|也许|估计|说不定|似乎|印象里|应该是|不太确定|大概(?!有?\s*(?:\d|[一二两三四五六七八九十几]))"
)
_ALSO = re.compile(r"(?<=^[我他她咱])(?:还|也|都)+(?=有(?!时|的))")
_LIMIT = re.compile(r"^(?:上限|下限|正常值|正常(?:说?是|要|不超过|应该)|参考)")
_DOSE = re.compile(
    r"^(?!.{0,9}[吃用服打喂买开停])[\u4e00-\u9fffA-Za-z]{2,10}?\s*\d[\d.]*\s*(?:毫克|mg(?!/)|微克|片|单位|粒)"
)


def state(core: str, piece: str, reading: Reading, shown: bool) -> None:
    """A statement: results, a denial, a clause with a predicate, or a bare value."""
    core = _ALSO.sub("", core)
    when, hedged = TIME.search(core), UNSURE if _HEDGE.search(piece) else 1.0
    examined = shown or reading.question.examined
    told = (reading.question.topic, "显示") if examined else (PATIENT, "说")
    made = whole(_statements(core, piece, reading, shown), core, *told, Language.ZH)
    for sketch in made:
        sketch.certainty = min(sketch.certainty, hedged)
        sketch.reported = when[0] if when else ""
    if made:
        repeated(made, reading, Language.ZH)
    for sketch in made:
        reading.open(sketch)


def _statements(core: str, piece: str, reading: Reading, shown: bool) -> list[Sketch]:
    """What the clause says, by the first pattern that fits; nothing when it goes on with the one before."""
    question, last = reading.question, reading.last
    stripped = SELF.sub("", ADVERBS.sub("", core)) or core
    if _DOSE.match(stripped) and not question.examined and not PREDICATES.match(stripped):
        return [Sketch(PATIENT, "服用", stripped, piece)]
    medicine = question.value == "服用"
    results = [] if medicine else read_results(stripped)
    degree = score(stripped, piece, question)
    if degree:
        return [degree]
    limit = last and last.result and _LIMIT.match(stripped)
    nameless = len(results) == 1 and not results[0].name and last and not last.answer
    if last and (limit or nameless):
        last.add(END.sub("", piece), MARK)
        return []
    if results:
        return [measured(result, piece, question) for result in results]
    sketch = read_course(core, stripped, piece, reading) or read_clause(core, piece, reading)
    if sketch:
        return [sketch]
    if last and _goes_on(last, question.examined):
        last.add(END.sub("", piece), MARK)
        return []
    return [bare_value(stripped, piece, reading, shown)]


def _goes_on(last: Sketch, examined: bool) -> bool:
    """Whether words without a predicate belong to the statement before them."""
    told = last.answer or last.negated or last.relation == "不知道"
    return not told and not (last.result and examined)
