"""What answers a Chinese question without a statement of its own: yes, no, perhaps, not known, and words beside it."""

from __future__ import annotations

import re
from dataclasses import replace

from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_sentence import END, MARK, NO, YES
from osler.memory.tim.extract.chinese_words import KIN, PARTICLES
from osler.memory.tim.extract.clauses import UNKNOWN, UNSURE, Question, Reading, Sketch

NOT_KNOWN = re.compile(
    r"不知道(?!自己|在哪|人|谁|饿|疼|痛)|(?<![边界看听音影话])不清楚|不太清楚|说不上来|说不上|不记得|记不得|记不清|想不起来(?!家里)|不晓得|没注意|不确定|说不准|不好说|说不好|答不上|不大清楚|不了解|"
    r"没留意|没法告诉"
)
_ASIDE = re.compile(
    r"^(?:好的?|当然|我?看看啊?|好像是这么说的|(?:我|他|她)?的?(?:家族史|病史|既往史)[里中]|行|没关系|我给您念念啊?|给您念念|这个也查了|哎呀|唉|哎|大夫|医生|您看|我想想啊?|我找找|单子(?:我带着|就?在我(?:这儿|手里|手上))?呢?|片子(?:就?在我(?:这儿|手里|手上)|我带着)呢?|别的(?:倒|都|也|就)*没(?:有|听说|什么)了?|一[口根滴点]都[不没][喝抽沾碰]过?|别的[我也都就还]*(?:想不起来|不知道|不清楚|记不得)了?|说来也怪|说起来也怪|您说怪不怪|我也说不好|也不知怎么的?|不瞒您说|老实说|叫什么来着|等一下|我记着呢|哦在这儿|差点忘了说|我?找到了|在这儿呢?|对了|要紧吗|"
    r"是不是很(?:重要|严重)|从来没人问过我|这个嘛|我也想知道|不好意思|真受不了|吓死我了|还好|(?:幸亏|幸好|多亏)[您你]问|[您你]?问得好|好问题|[您你]这一问我想起来了|说实话|这个我记得|这样涨?正常吗|嗯|哦|说错了|呃|要打分的话|打分的话|抱歉|"
    r"(?:据|就)我(?:所|们)?知道?|我?实在抱歉|谢谢(?:大夫|医生)?)$"
)
_PERHAPS = re.compile(r"^(?:可能|好像|也许|大概|应该)(?:有|是|会|吧)?(?:吧|的)?$")
_LONE_VERBS = frozenset({"怕", "会", "能", "敢", "爱"})
"""An answer to a question that was not asked: what follows tells it."""
_ON_MEDICINE = re.compile(r"^[我他她]?(?:最近|现在|平时)?在(?:吃|用)药$")
_NEVER = re.compile(r"^[^，对]{0,6}?(?:从来)?没有?过敏过?$")
_AILS = frozenset({"胀", "疼", "痛", "痒", "酸", "麻", "晕", "喘"})
_HAS_HAD = frozenset({"得过", "患过", "有过", "得了"})
_HAS_IT = re.compile(r"(?:[也都倒就是]*)(?:(?P<no>没有?(?:得过|患过)?)|(?:有|得过|患过|得了|得的))(?:的|了|啊|呀)?$")
_SHORT = 16
"""Characters of a clause that says no more than that something is not known."""


def is_aside(piece: str) -> bool:
    """Whether words are said only to the listener."""
    return _ASIDE.match(END.sub("", piece)) is not None


def is_lone(bare: str, question: Question) -> bool:
    """Whether a first word answers what was not asked, and the words after it tell it: `疼，每晚都疼醒`."""
    return bare in _AILS and not question.yes.startswith(bare)


def answered(piece: str, bare: str, reading: Reading) -> bool:
    """Whether the clause was no statement of its own: yes, no, not known, an aside."""
    if not bare or _ASIDE.match(bare):
        if bare:
            reading.aside(piece)
        return True
    if NOT_KNOWN.search(bare) and len(bare) <= _SHORT:
        _unknown(piece, reading)
        return True
    if not reading.question.yes and (YES.match(bare) or NO.match(bare)):
        reading.aside(piece)
        return True
    perhaps, no = _PERHAPS.match(bare), NO.match(bare)
    if perhaps or no or _agrees(bare, reading.question):
        answer = _resolved(reading.question, piece, negated=bool(no))
        answer.certainty = UNSURE if perhaps else 1.0
        reading.open(answer)
        return True
    if of_kin := _of_kin(piece, bare, reading.question):
        reading.open(of_kin)
        return True
    if reading.question.yes == "过敏" and reading.denied and _NEVER.match(bare):
        reading.aside(piece)
        return True
    if reading.question.yes == "过敏" and _ON_MEDICINE.match(bare):
        reading.aside(piece)  # asked for allergies, a medicine without a name tells nothing
        return True
    if bare in _LONE_VERBS or (bare[:-1] in _AILS and bare[-1] in "啊呀"):
        reading.aside(piece)
        return True
    return False


def _agrees(bare: str, question: Question) -> bool:
    """Whether it is a yes; a verb alone is one when the question asked with it (`怕不怕光？` `怕。`)."""
    said = PARTICLES.sub("", bare).rstrip("了")
    if question.yes == "有" and said in _HAS_HAD:
        return True
    return bool(YES.match(bare)) or bool(said and said in {question.yes, question.yes[:1]})


def _of_kin(piece: str, bare: str, question: Question) -> Sketch | None:
    """`我爸有`: who has what was asked for."""
    kin = KIN.match(bare)
    said = _HAS_IT.match(bare, kin.end()) if kin else None
    if not kin or not said or question.yes != "有" or not question.object:
        return None
    return replace(_resolved(question, piece, negated=bool(said["no"])), subject=kin[1], answer=False)


def _unknown(piece: str, reading: Reading) -> None:
    """Not knowing what was asked, once."""
    matter, last = reading.question.matter, reading.last
    if last and not last.answer and last.certainty and not last.result:
        last.add(END.sub("", piece), MARK)  # `我爸突然走的，不知道什么原因`: of what was just told
        return
    already = [sketch for sketch in reading.sketches if sketch.relation == "不知道"]
    if already:
        already[-1].hear(piece, MARK)
        return
    reading.open(Sketch(PATIENT, "不知道", matter, f"{matter}：{piece}", certainty=UNKNOWN))


def _resolved(question: Question, piece: str, negated: bool) -> Sketch:
    """A yes or no, completed by the question."""
    relation = question.no if negated else question.yes
    sentence = f"{question.topic}：{piece}"
    return Sketch(question.subject, relation, question.object, sentence, negated=negated, answer=True)
