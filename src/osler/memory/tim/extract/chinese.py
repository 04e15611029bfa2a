"""Chinese replies into thoughts: each sentence by its clauses, each clause by the first pattern that fits."""

from __future__ import annotations

import re

from osler.memory.tim.extract.answers import settled
from osler.memory.tim.extract.chinese_answer import answered
from osler.memory.tim.extract.chinese_question import PATIENT, read_question
from osler.memory.tim.extract.chinese_results import of_specimen, verdict_of
from osler.memory.tim.extract.chinese_sentence import DATED, END, MARK, cut, pieces, titled
from osler.memory.tim.extract.chinese_statement import state
from osler.memory.tim.extract.chinese_value import judge
from osler.memory.tim.extract.chinese_words import SELF
from osler.memory.tim.extract.clauses import Question, Reading, Sketch, Titled
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import content

_FRAME = re.compile(
    r"^(?P<who>[^没不听，]{0,14}?)(?P<verb>告诉我|说是|说(?!话|过|不|实)|写的是|写的|写着|写(?!字)|显示|提示|查出|上有(?:一项|个))(?P<rest>.+)$"
)
_PAPERS = re.compile(r"(?:单子上?|上面|报告上?|那张单子|那项|结果)$")
_PEOPLE = re.compile(r"^(?:大夫|医生|护士|他|她|我|人家|他们|大夫听了|医生听了)?(?:跟我|给我)?$")
_MADE = re.compile(r"^(?:拍了|做了|做过|查了)")
_NOTHING = re.compile(r"^(?:未见(?:明显)?|未闻及|未触及|未发现|没有|没见|无|未)(?P<what>.+)$")


def think_chinese(question: str, reply: str) -> list[Draft]:
    """The facts of a Chinese reply."""
    reading = Reading(read_question(question), MARK)
    for sentence in cut(reply):
        reading.began = len(reading.sketches)
        title = titled(sentence)
        if title:
            reading.open(_under(title, sentence, reading.question))
            continue
        dated = DATED.match(END.sub("", sentence))
        if dated and reading.sketches:
            reading.date(dated["when"], sentence)
            continue
        for piece in pieces(sentence):
            _read(piece, reading)
    _flush(reading)
    return [sketch.draft() for sketch in settled(reading.sketches, MARK, Language.ZH)]


def _under(title: Titled, sentence: str, question: Question) -> Sketch:
    """One thought with all that is said under a title: a value, a denial, or what was found."""
    name, said = of_specimen(title.name, question.topic), title.said
    if re.match(r"(?:[<>≤≥约])?\s*\d", said) or verdict_of(said):
        return Sketch(name, "为", said, sentence, result=True)
    none = _NOTHING.match(said)
    if none and not re.search(r"[，；,;]", said):
        return Sketch(name, "没有", none["what"], sentence, negated=True)
    return Sketch(name, "显示", said, sentence)


def _flush(reading: Reading) -> None:
    """Words still waiting are kept with the last thought, or as what the patient says."""
    if reading.waiting and reading.sketches:
        reading.sketches[-1].hear(reading.waiting, MARK)
    elif reading.waiting and content(reading.waiting, Language.ZH):
        reading.sketches.append(Sketch(PATIENT, "说", reading.waiting, reading.waiting))


def _read(piece: str, reading: Reading) -> None:
    """One clause, by the first pattern that fits."""
    bare = END.sub("", piece)
    if answered(piece, bare, reading):
        return
    if verdict_of(bare) and judge(bare, piece, reading):
        return
    framed = _FRAME.match(bare)
    if framed:
        state(framed["rest"], piece, reading, shown=_framed(framed["who"], reading))
    else:
        state(bare, piece, reading, shown=False)


def _framed(said_by: str, reading: Reading) -> bool:
    """Whether it is an examination that says it (`CT显示……`): what follows is about that, and not about a person."""
    who = "" if _PEOPLE.match(said_by) else SELF.sub("", said_by)
    if who:
        reading.about(_MADE.sub("", _PAPERS.sub("", who)) or reading.question.topic)
    return bool(who)
