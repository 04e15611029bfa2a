"""A Chinese clause that states something: a medicine, results, a course, a clause with a predicate, or a bare value."""

from __future__ import annotations

import re

from osler.language import Language
from osler.memory.tim.extract.answers import repeated
from osler.memory.tim.extract.chinese_clause import read_clause
from osler.memory.tim.extract.chinese_course import read_course, score
from osler.memory.tim.extract.chinese_frame import unframed, unframed_talk
from osler.memory.tim.extract.chinese_joined import says_more
from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_results import is_side, read_results
from osler.memory.tim.extract.chinese_sentence import END, MARK
from osler.memory.tim.extract.chinese_value import bare_value, measured
from osler.memory.tim.extract.chinese_words import ADVERBS, PREDICATES, SELF, TIME
from osler.memory.tim.extract.clauses import UNSURE, Reading, Sketch, whole

_HEDGE = re.compile(
    r"可能|好像|也许|估计|说不定|似乎|印象里|应该是|不太确定|大概(?!有?\s*(?:\d|[一二两三四五六七八九十几]))"
)
_TURN = re.compile(r"^(?:可(?=这|上[次回]|昨|今|近)|但是|但|可是|不过|而且|并且|所以|然后)(?=.{2})")
_ALSO = re.compile(
    r"(?<=^[我他她咱])(?:还|也|都)+(?=有(?!时|的))|^(?:确实|真的?)+(?=.)|(?<=^[我他她咱])(?:确实|真的)+(?=.)"
)
_INDEED = re.compile(r"^(.{0,5}?)(?:确实|的确)(?=.)")
_LATELY = re.compile(r"^(最近|近来|平时|以前|现在|目前|之前)([我他她])(?!们)")
_FOUND = re.compile(r"^(?:我们?|家里)?(?:最近|后来|才)*发现(?=(?:我|他|她|孩子)?对.{1,12}过敏)")
_UNHEARD = re.compile(r"^(?:也|还|都)?没有?(?:听说|发现|查出)(?:过)?(?:我|他|她|孩子)?(?=对.{1,12}过敏)")
_NEVER = re.compile(r"^(烟|酒|药)([我他她]?)((?:从来|从|都|也|一直)*不)([抽喝吃碰沾])$")
_NOBODY = re.compile(r"^(?:也|还)?没听说(?:过)?(?:[我他她])?家里?(?:还)?(?:有)?(?:谁|人)(?:得|有)(?:过)?(?=.)")
_AND = re.compile(r"^还?有(?=.*\d)")
_LIMIT = re.compile(r"^(?:要?(?:低于|高于|小于|大于|不超过)|上限|下限|正常值|正常(?:说?是|要|不超过|应该)|参考)")
_MEASURES = frozenset({"体温", "血压", "心率", "心跳", "脉搏", "血糖", "体重", "身高"})
_TAKEN = re.compile(r"(?:量|测|查|数)(?:了|过)+")
_DOSE = re.compile(
    r"^(?!.{0,9}[吃用服打喂买开停])[\u4e00-\u9fffA-Za-z]{2,10}?\s*\d[\d.]*\s*(?:毫克|mg(?!/)|微克|片|单位|粒)"
)


def state(core: str, piece: str, reading: Reading, shown: bool) -> None:
    """A statement: results, a denial, a clause with a predicate, or a bare value."""
    core = _INDEED.sub(r"\1", _LATELY.sub(r"\2\1", _ALSO.sub("", _TURN.sub("", core))))
    core = _NEVER.sub(r"\2\3\4\1", core)
    core = _NOBODY.sub("家里没有", core)
    if "过敏" in core:
        core = _UNHEARD.sub("没有", _FOUND.sub("", core)).replace("过敏于", "过敏")
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
    if last and says_more(stripped, core, last, reading.question):
        last.add(unframed_talk(END.sub("", piece)), MARK, heard=piece)
        return []
    if question.value == "服用":
        stripped = _AND.sub("", stripped)
    if _DOSE.match(stripped) and not question.examined and not PREDICATES.match(stripped):
        return [Sketch(PATIENT, "服用", stripped, piece)]
    medicine = question.value == "服用"
    results = [] if medicine else read_results(stripped)
    degree = score(stripped, piece, question)
    if degree:
        return [degree]
    limit = last and last.result and _LIMIT.match(unframed(stripped))
    nameless = len(results) == 1 and not results[0].name and last and not last.answer
    sided = (
        last and not (last.answer or last.negated) and any(is_side(result.name) for result in results if result.name)
    )
    if last and nameless and not last.object and _TAKEN.fullmatch(last.relation):
        last.relation, last.result = "为", True  # `血压量了，120/80`
    if last and nameless and last.object in _MEASURES and _TAKEN.fullmatch(last.relation):
        last.subject, last.relation, last.object, last.result = last.object, "为", "", True
    if last and (limit or nameless or sided):
        last.add(unframed(piece), MARK, heard=piece)
        return []
    if results:
        return [measured(result, piece, question) for result in results]
    sketch = read_course(core, stripped, piece, reading) or read_clause(core, piece, reading)
    if sketch:
        return [sketch]
    if last and _goes_on(last, question.examined) and not SELF.match(core):
        last.add(unframed_talk(END.sub("", piece)), MARK, heard=piece)
        return []
    return [bare_value(stripped, piece, reading, shown)]


def _goes_on(last: Sketch, examined: bool) -> bool:
    """Whether words without a predicate belong to the statement before them."""
    told = last.answer or last.negated or last.relation == "不知道"
    return not told and not (last.result and examined)
