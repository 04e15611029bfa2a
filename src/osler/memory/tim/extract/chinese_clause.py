"""A Chinese clause with a predicate or a denial into a thought: who or what, the predicate, the rest."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_sentence import MARK, NEGATION
from osler.memory.tim.extract.chinese_subject import POINTERS, carried, is_name, who_or_what
from osler.memory.tim.extract.chinese_words import ADVERBS, COUNT, KIN, PARTICLES, PREDICATES, SELF, SPAN, TIME, borders
from osler.memory.tim.extract.clauses import Reading, Sketch

_ALLERGY = re.compile(r"对(?P<what>.{1,20}?)过敏")
_DONE = re.compile(r"^(?:做|查|拍|测|验|化验|检查|照|量)(?:过|呢|啊)*$")
_WHILE = re.compile(
    rf"^(?:最近(?!的)(?:{COUNT}?[天周年]|{SPAN})?|近来|近{SPAN}内?|这(?:次|回|几天|{SPAN})|既往|曾经?|之前|偶尔|经常|有时候?|(?:多数|每天)?(?:夜里|晚上|一晚上|每天|天天|一天|白天|下午|早上|最高)(?:都|也就|也|就|得)?|\d+岁(?:那年|时|的时候)?|[^，]{{1,14}}?(?:的时候|之前|以后|之后)|(?:才|不到)?{SPAN}(?:就|后|以后|之后|之内|内|里))(?=.)"
)
_TORN = re.compile(r"[以之][前后]|骨折|[、成的性时完前鸣我他她]|得(?!了|过)|起来|到(?!\d)|个(?![\u4e00-\u9fff])")
"""How the rest of a word or of a phrase begins that was taken for an object."""
_OF_ANOTHER = re.compile(r"我(?!爸|妈|父|母)[^，]{0,6}[他她](?!们)")
"""`我就怕他……`: who speaks is not the patient."""
_EVERY = re.compile(r"(?:啥|什么|任何)(?P<what>.*(?<!均))$")
_AS_SOON_AS = re.compile(r"一.{1,8}就")
_CHAIN = re.compile(r".就(?:.{1,6}了|[^，]{1,3})$")
"""`打了针几分钟脸就肿了`: what came of it is no object."""
_SO_LONG = re.compile(rf"{SPAN}(?!了|多|$)[^，]")
"""`有5天躺不平了`: how long, and then what."""
_UNLESS = re.compile(r"[^，、]{1,6}就")
"""`不发作就不慌`: denies nothing."""
_LOOKS = frozenset("红肿热烫痒麻酸胀")
_HOW = re.compile(r"[了着过得起成到不\d（]|[又也][红肿热烫疼痛]")
"""What may follow a look of the skin; `口唇红裂` is one word."""
_WHENEVER = frozenset({"疼了", "痛了", "烧了", "犯了", "难受了"})
_SO_MUCH = re.compile(r"[\d一二两三几半好数有得，（]|多")
"""`疼了3天`, but `疼了吃药`: what is done whenever it hurts."""
_AFTER = re.compile(r".[后时].")
_POINTED = frozenset({"这个地方", "那个地方", "这儿", "那儿", "这样", "那样"})
_AILMENTS = frozenset({"恶心", "发烧", "发热", "难受", "干咳"})
_TENSE = frozenset("了过着")
_DOING = re.compile(r"[看走坐躺搬按见喝翻跑\d]|吃|一.{1,6}就")
_TAKES = frozenset({"吃", "服用", "服", "用", "喝"})
_IS_TAKING = _TAKES | {"在吃", "在用"}


def read_clause(core: str, piece: str, reading: Reading) -> Sketch | None:
    """An allergy, a denial, or who and what."""
    return _allergy(core, piece, reading) or _denial(core, piece, reading) or _predicate(core, piece, reading)


def _predicate(core: str, piece: str, reading: Reading) -> Sketch | None:
    """A clause with a predicate: who or what, the predicate, the rest."""
    when, text = _split_time(core)
    if _AS_SOON_AS.match(text):
        return None
    starts = borders(text)
    own = KIN.match(text) or SELF.match(text)
    if _OF_ANOTHER.match(text):
        return None
    from_ = own.end() if own else 0
    for found in PREDICATES.finditer(text, from_):
        if not {found.start(), found.end()} <= starts or found.start() > 12:
            continue
        subject = who_or_what(text[: found.start()])
        if len(subject) > 9 or _DOING.search(subject) or not is_name(subject):
            return None
        relation, what = found[0], text[found.end() :]
        if relation == "是" and what.startswith(("吃了", "吃过", "用了", "做了", "做过")):
            continue  # `昨晚是吃了一片`: the next verb says what was done
        if what[:1] in _TENSE and relation[-1] not in _TENSE and not what.startswith("过敏"):
            relation, what = relation + what[0], what[1:]
        what = PARTICLES.sub("", what) if relation != "是" else what.rstrip("呢啊吧嘛呀")
        nameless = relation == "是" and not own and reading.question.value != "是"
        both = text[: found.start()].endswith("又") and what.startswith("又")  # `又红又肿`
        if both or _is_torn(subject, relation, what) or (nameless and not subject):
            return None
        if relation.startswith("停") and not what and reading.last and reading.last.relation in _TAKES:
            what = re.sub(r"（.*?）", "", reading.last.object)
        if relation.rstrip("了过着") in _IS_TAKING and reading.question.value == "服用":
            relation = "服用"
        who, relation, what = _as_ailment(subject or carried(reading, relation), relation, what)
        return Sketch(who, relation, _dated(what, when), piece)
    return None


def _is_torn(subject: str, relation: str, what: str) -> bool:
    """Whether the predicate leaves words on either side of it that mean nothing alone."""
    if not subject and (relation in {"开始", "持续"} or (relation == "有" and _SO_LONG.match(what))):
        return True
    if not what and relation in {"有", "吃", "吃了", "服用"}:
        return True
    if what and (what.startswith(relation) or (relation in _LOOKS and not _HOW.match(what))):
        return True
    if relation == "开始" and "从" in subject:
        return True
    if not subject and relation in _WHENEVER and what and not _SO_MUCH.match(what):
        return True
    if _CHAIN.search(what) or what in _POINTED or _AFTER.search(subject):
        return True
    return _TORN.match(what) is not None and not (subject and what.startswith("得"))


def _as_ailment(who: str, relation: str, what: str) -> tuple[str, str, str]:
    """`恶心`, `闷疼` and `尿痛` name what the patient has."""
    if who == PATIENT and (relation.rstrip("了") in _AILMENTS or (relation == "闷" and what[:1] in {"疼", "痛"})):
        return who, "有", f"{relation.rstrip('了')}{MARK if relation.endswith('了') and what else ''}{what}"
    if len(who) == 1 and relation in {"疼", "痛"} and not what:
        return PATIENT, "有", f"{who}{relation}"
    return who, relation, what


def _denial(core: str, piece: str, reading: Reading) -> Sketch | None:
    """`没有发烧`, `左眼不红`."""
    when, text = _split_time(core)
    found = NEGATION.search(text)
    if not found or found.end() == len(text):
        return None
    before, what = text[: found.start()], text[found.end() :]
    if before[-1:] == what[:1] or _UNLESS.match(what):
        return None  # `怀没怀孕` asks
    subject = who_or_what(before)
    if len(subject) > 8 or (subject and not _EVERY.match(subject) and not is_name(subject)):
        return None
    if _DONE.match(what) and (not subject or subject in POINTERS):
        return Sketch(reading.question.topic, f"没{PARTICLES.sub('', what)}", "", piece, negated=True)
    relation = found[0] if "不" in found[0] else "没有"
    every = _EVERY.match(subject)
    if every:
        subject, what = PATIENT, what + every["what"]
    if not subject:
        examined = reading.question.examined and relation == "没有"
        subject = reading.question.topic if examined else carried(reading, what)
    if relation == "没有":
        what = re.sub(r"^(?:什么|任何|啥|发现|看到|看见|见着?|闻及|触及)(?=.)", "", what)
    if relation.endswith(("不", "不怎么", "不太")) and what[:1] in _TAKES:
        relation, what = relation + what[:1], what[1:]
    return Sketch(subject, relation, _dated(PARTICLES.sub("", what) or what, when), piece, negated=True)


def _allergy(core: str, piece: str, reading: Reading) -> Sketch | None:
    found = _ALLERGY.search(core)
    if not found:
        return None
    negated = bool(re.search(r"没|不", core))
    what = re.sub(r"^(?:什么|啥|任何|哪种)", "", found["what"])
    if what in {"", "药", "东西"}:
        what = reading.question.object if reading.question.yes == "过敏" else "药物"
    kin = KIN.match(core)
    return Sketch(kin[1] if kin else PATIENT, "不过敏" if negated else "过敏", what, piece, negated=negated)


def _split_time(text: str) -> tuple[str, str]:
    """A time at the beginning, and the rest."""
    text = ADVERBS.sub("", text)
    own = KIN.match(text) or SELF.match(text)
    head, body = (text[: own.end()], text[own.end() :]) if own else ("", text)
    body = ADVERBS.sub("", body)
    when = TIME.match(body) or _WHILE.match(body)
    if when and when.end() < len(body):
        return when[0], head + body[when.end() :]
    return "", text


def _dated(what: str, when: str) -> str:
    return f"{what}（{when}）" if when else what
