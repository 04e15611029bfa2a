"""Chinese words without a predicate: a result, the verdict on one, a name. The question says what of."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_question import COMPLAINT, PATIENT, fits
from osler.memory.tim.extract.chinese_results import Result, measure_of, of_specimen, verdict_of
from osler.memory.tim.extract.chinese_sentence import END, MARK, NEGATION
from osler.memory.tim.extract.chinese_words import TIME
from osler.memory.tim.extract.clauses import Question, Reading, Sketch

_FROM_A_PART = re.compile(r"^从[^，]*?[腹胸头脚腿腰背脐眼膝手脸颈脖肩咽喉](?:部|口|周|子|上|下)?(?:开始|起)")
"""`从右上腹开始`: where, and not when."""


def judge(bare: str, piece: str, reading: Reading) -> bool:
    """`偏高`, after a result: part of it, or of all results of the sentence when it says `都`."""
    results = [sketch for sketch in reading.sketches[reading.began :] if sketch.result]
    if not results and reading.last and not reading.last.answer and not reading.last.negated:
        reading.last.add(END.sub("", piece), MARK)
        return True
    if not results:
        return False
    for sketch in [sketch for sketch in results if not sketch.judged] if "都" in bare else results[-1:]:
        sketch.judged = True
        sketch.object = f"{sketch.object} {verdict_of(bare)}"
        sketch.hear(piece, MARK)
    return True


def measured(result: Result, piece: str, question: Question) -> Sketch:
    """A measured value under its name, under what its unit tells, or under what was asked."""
    if result.name:
        return Sketch(of_specimen(result.name, question.topic), "为", result.value, piece, result=True)
    measure = measure_of(result.value, question.topic)
    if measure:
        return Sketch(measure, "为", result.value, f"{question.topic}：{piece}", result=True)
    if not question.presumed and question.value == "为":
        return Sketch(PATIENT, "说", result.value, f"{question.topic}：{piece}", result=True)
    relation = question.value if question.value.endswith("为") else "为"
    return Sketch(question.holder, relation, result.value, f"{question.topic}：{piece}", result=True)


def bare_value(core: str, piece: str, reading: Reading, shown: bool) -> Sketch:
    """A value or a name alone: the question says what of, unless the answer to it was no."""
    question = reading.question
    sentence = f"{question.topic}：{piece}"
    negated = bool(NEGATION.search(core))
    if reading.denied and question.holder != COMPLAINT and not shown and not question.examined:
        return Sketch(PATIENT, "说", core, piece, negated=negated)
    if question.value == "说" or (question.value == "为" and not question.presumed and not TIME.fullmatch(core)):
        return Sketch(PATIENT, "说", core, sentence, negated=negated)
    if shown or question.examined:
        return Sketch(question.topic, "显示", core, sentence, negated=negated)
    if not fits(question.value, core) or (question.value == "开始于" and _FROM_A_PART.match(core)):
        return Sketch(PATIENT, "说", core, sentence, negated=negated)
    when = TIME.match(core)
    if when and when.end() >= len(core) - 1 and question.value not in {"服用", "为"}:
        return Sketch(question.topic if question.topic != PATIENT else COMPLAINT, "开始于", core, sentence)
    names = question.value not in {"过敏", "服用"} or (
        len(core) <= 14 and not re.search(r"[了得吓]|吃|在|最近|没|不", core)
    )
    if not names:
        return Sketch(PATIENT, "说", core, sentence, negated=negated)
    if question.value == "过敏":
        core = core.removeprefix("于")
    return Sketch(question.holder, question.value or "说", core, sentence, negated=negated)
