"""How long, since when, how bad, better or worse: what a Chinese clause says of a course."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_question import COMPLAINT, PATIENT
from osler.memory.tim.extract.chinese_subject import POINTERS, is_name, who_or_what
from osler.memory.tim.extract.chinese_words import LASTING, PARTICLES, SELF, SPAN, TIME
from osler.memory.tim.extract.clauses import Question, Reading, Sketch

_DENIES = re.compile(r"没|不|无|未")
_COURSE = re.compile(
    r"^(?P<who>[^，]{0,8}?)(?P<how>(?:一直|越来越|慢慢|逐渐|渐渐|反复|持续|也|都|在|有所|明显|没有|没|不|还)*"
    r"(?:加重|减轻|好转|恶化|缓解|变重|变大|变小|变多|变少|重了|轻了|严重))(?:了|的|着)*$"
)
_BEGAN = re.compile(
    rf"^(?P<what>[^从，]{{0,8}}?)(?:是|就)*(?P<when>从?(?:{TIME.pattern}))(?:就)?(?:开始|出现)(?:的|了)?(?P<doing>[^，]{{0,6}}?)(?:的|了)*$"
)
_SCORE = re.compile(r"^(?:要是|按|满分)?10分(?:里|的话|满分)?(?:得|能|大概|差不多)*有?(?P<score>\d+)分(?P<rest>.*)$")
_SINCE = re.compile(rf"^(?P<what>[\u4e00-\u9fff]{{2,8}}?)(?:都|已经|大概|有)*(?P<span>{SPAN})(?:多)?了$")
_OF_SUBJECT = frozenset({"开始于", "持续", "位于", "程度为"})
_AILS = frozenset({"疼", "痛", "肿", "红", "痒", "麻", "酸", "胀", "晕", "闷", "难受", "咳", "喘"})
"""Predicates that make a name with their subject."""
_NAME = 6
"""Characters that a name may have; `排便以后肚子痛会减轻` is a question."""


def read_course(core: str, stripped: str, piece: str, reading: Reading) -> Sketch | None:
    """How long something lasts, how it goes or when it began; `stripped` is the clause without whom it is about."""
    since = _SINCE.match(stripped)
    if since and since["what"][-1] not in "了着过得":
        return Sketch(since["what"], "持续", since["span"], piece)
    if LASTING.match(stripped):
        return _lasting(stripped, piece, reading)
    return _going(SELF.sub("", core.removeprefix("现在")), piece, reading) or _began(stripped, piece)


def score(core: str, piece: str, question: Question) -> Sketch | None:
    """`10分里有7分`."""
    found = _SCORE.match(core)
    if not found:
        return None
    degree = f"{found['score']}分（满分10分）{PARTICLES.sub('', found['rest'])}"
    return Sketch(_thing(question), "程度为", degree, f"{question.topic}：{piece}")


def _thing(question: Question) -> str:
    """What a length of time or a score belongs to: the thing asked about, where the question names one."""
    return question.topic if len(question.topic) <= _NAME else COMPLAINT


def _lasting(core: str, piece: str, reading: Reading) -> Sketch:
    """A length of time alone: of what was asked about. After a statement it belongs to that (`chinese_statement`)."""
    question = reading.question
    thing = _thing(question) if question.holder == PATIENT or len(question.holder) > _NAME else question.holder
    if reading.last and not reading.last.answer and not reading.last.result:
        thing = lasting_thing(reading.last) or thing
    span = re.sub(r"^(?:都|已经|有|持续了?)+|了$", "", core)
    return Sketch(thing, "持续", span, f"{thing}：{piece}")


def lasting_thing(last: Sketch) -> str:
    """What a length of time is of, where the statement before it names one thing: `右眼疼`; empty where it does not."""
    if last.subject == PATIENT:
        return last.object if last.relation == "有" and len(last.object) <= _NAME else ""
    if last.relation in _OF_SUBJECT:
        return last.subject
    return f"{last.subject}{last.relation}" if last.relation in _AILS and is_name(last.subject) else ""


def _going(core: str, piece: str, reading: Reading) -> Sketch | None:
    """`一直在加重`: of the thing named before it, or of what was asked about."""
    found = _COURSE.match(core)
    if not found or found["who"].endswith(("觉得", "感觉")):
        return None
    who = who_or_what(found["who"]) if found["who"] else ""
    if re.search(r".[后时].", who):
        return None
    if reading.last and who and not is_name(who):
        return None
    if who in POINTERS or who == PATIENT:
        who = _meant(reading)
    return Sketch(who, found["how"], "", piece, negated=bool(_DENIES.search(found["how"])))


def _meant(reading: Reading) -> str:
    """The last thing named in the reply, or what the question is about."""
    last = reading.sketches[-1] if reading.sketches else None
    if last and not last.answer and last.relation in {"开始于", "持续", "位于"}:
        return last.subject
    if last and not last.answer and last.subject == PATIENT and last.relation in {"有", "有点"}:
        return re.split(r"[，（]", last.object)[0]
    return reading.question.thing or COMPLAINT


def _began(core: str, piece: str) -> Sketch | None:
    """`疼痛从昨天开始`, `昨天开始疼的`."""
    found = _BEGAN.match(core)
    if not found:
        return None
    what = SELF.sub("", found["what"]) if found["what"] else ""
    thing = found["doing"] or ("" if what in POINTERS else what)
    if not thing:
        return None
    when = re.sub(r"^从|(?:起|开始|就)$", "", found["when"])
    return Sketch(thing, "开始于", when, piece)
