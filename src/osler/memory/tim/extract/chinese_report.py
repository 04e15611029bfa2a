"""What an examination showed, in Chinese: a sentence stays whole under the name of its test, unless it is bare results.

`胆囊增大，壁厚6毫米，里面有结石` says three things of one organ. Cut at the commas, two of them are of nothing.
"""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_answer import NOT_KNOWN, is_aside
from osler.memory.tim.extract.chinese_frame import unframed_report
from osler.memory.tim.extract.chinese_results import is_side, read_results, verdict_of
from osler.memory.tim.extract.chinese_sentence import ASKS, END, MARK, NEGATION, NO, YES, pieces, titled
from osler.memory.tim.extract.chinese_subject import is_name
from osler.memory.tim.extract.chinese_words import ADVERBS, PREDICATES, SELF, borders
from osler.memory.tim.extract.clauses import Question, Reading, Sketch

_TEST = (
    r"CT|MRI|X线|核磁(?:共振)?|[Bb彩]超|超声|心电图|脑电图|胸片|平片|拍片|片子|造影|[胃肠喉腔管道节]镜|眼底|裂隙灯|活检|病理|穿刺|"
    r"试验|培养|涂片|染色|测听|肺功能|血气|常规|化验|检查|血沉|抗体|[肝肾甲]功能?"
)
_SAID = re.compile(
    r"^(?P<test>[^，。没不说写]{1,14}?)(?:那项|那张)?(?:的?(?:报告|单子|片子|结果))?(?:上面|上头|上|下)?"
    r"[，:：]?(?:写的是|写的|写着|写(?!字)|说是|说(?!话|不|过)|显示|提示|查出|报告|发现)[，:：]?(?P<rest>.+)$"
)
_IS = re.compile(rf"^(?P<test>[^，。没不说写]{{0,6}}?(?:{_TEST}))(?:结果)?(?:是|为|都?(?=正常，))(?P<rest>.+)$")
_MADE = re.compile(
    r"^(?:[^，]{0,6}?(?:做|拍|查)[了过](?:个|一个|一次)?(?P<one>[^，。和、及说没]{2,12}?)(?:检查)?|"
    rf"(?P<other>[^，。]{{0,6}}?(?:{_TEST}))(?:也|都)?(?:做|查|拍)[了过])，(?:结果)?(?:是|显示|提示|说是?)?(?P<rest>.+)$"
)
_ANY_TEST = re.compile(_TEST)
_NAMES = re.compile(rf"(?:{_TEST})(?:检查|[片单])?$")
_PAPER = re.compile(r"^(?:单子|报告|结果|片子|上面|上头|上|那项|那张|这个|那个|盒|里)*$")
_PEOPLE = re.compile(r"^(?:[^，]{0,4}(?:大夫|医生|护士|人家|他们)|他|她|我)[^，]{0,4}$")
_TELLS = re.compile(
    r"^(?:写的是|写的|写着)(?=.)|^(?:(?:大夫|医生|护士)(?:跟我|给我)?)?说(?!话|不|过)(?:是)?(?:我|他|她|孩子)?(?=.)"
)
_DENIES = re.compile(r"^(?:也|都|还|就)?(?:没有|没|未见|未闻及|未触及|未发现|无)(?![查做拍测])")
_LIMIT = re.compile(
    r"^(?:要?(?:低于|高于|小于|大于)\d|上限|下限|正常值|正常(?:说?是|要|不超过|应该|低于|高于)|参考|就是\d)"
)
_DEPENDS = re.compile(
    r"^(?:其|周围|边|里|内|壁|直径|大小|最|长|宽|深|厚|反应|信号|血流|表面|形态|质|按|压|一|约|大概|也|还|但|只|[左右][眼边侧耳手腿脚]?[是为]?\d|[左右][边侧](?=[不没也]|有一?点|正常)|\d|"
    r"光滑|照光|对光|他们|算|倒|写|结果|稍|翻|捏|几乎|圆|有|是|像|呈|带|伴|不|没|无|未|能|会|可|考虑|符合|正常)"
)
"""How a clause begins that is about what the one before it is about."""
_SEEN = re.compile(r"^(?:发现|看到|看见|见着?)(?=.)")
_OF_PATIENT = re.compile(r"^[我他她]的?")
_SPECIMEN = re.compile(r"^(?:尿|大便|粪|痰|脑脊液|关节液|胸水|腹水)")
_STATE = re.compile(r"^(?:没有?吸氧|吸着?氧|空腹|[饭餐]后|躺着|站着|坐着|安静时?|活动后)[^，]{0,4}$")
"""How the patient was when it was measured: a part of what was found, and no finding."""
_OF_URINE = re.compile(r"亚硝酸盐|管型")
"""What is found in urine alone: the cells that are counted beside it are not those of the blood."""
_FRAGMENT = 10
_NOT_MADE = re.compile(r"没有?(?:给[我他她])?(?:再|去|来得及)?(?:做|查|拍|测|抽|验)[过的呢]?")
_VISIT = re.compile(r"^[^，]{0,8}?(?:做|拍|查)[了过][^，]{2,20}$")


def read_report(sentence: str, reading: Reading, test: str) -> bool:
    """Open one thought for a sentence that tells what was found; `test` is the one that the reply is still about.

    False where the sentence is no report, or is nothing but results or denials, which stand each for itself.
    """
    if not (reading.question.examined or _ANY_TEST.search(sentence)):
        return False
    told = [piece for piece in pieces(sentence) if not is_aside(piece) and not ASKS.search(piece)]
    said = unframed_report(MARK.join(told).rstrip("。；;！!. "))
    name, rest = headed(said)
    if not (reading.question.examined or name) or not rest or _tells_nothing(pieces(rest)):
        return False
    verdict = verdict_of(END.sub("", rest)) if name else ""
    if verdict:
        reading.open(Sketch(name, "为", verdict, sentence, result=True))
        return True
    name = name or test or reading.question.topic
    if _OF_URINE.search(rest) and not _SPECIMEN.search(name) and not _SPECIMEN.search(rest):
        reading.open(Sketch("尿检" if name == reading.question.topic else name, "显示", rest, sentence))
        return True
    clauses = [END.sub("", clause) for clause in pieces(_OF_PATIENT.sub("", rest))]
    if _VISIT.match(rest) or all(map(_stands_alone, clauses)):
        reading.about(name)
        return False
    for part in _parts(clauses):
        denies = _DENIES.match(part)
        if denies and MARK not in part:
            what = _SEEN.sub("", part[denies.end() :])
            reading.open(Sketch(name, "没有", what, sentence, negated=True))
        else:
            alone = MARK not in part and NEGATION.search(part) is not None
            reading.open(Sketch(name, "显示", part, sentence, negated=alone))
    return True


def _tells_nothing(clauses: list[str]) -> bool:
    """Whether it answers the question and is no finding: a yes or no first, not known, not done."""
    first, *rest = (END.sub("", clause) for clause in clauses)
    if NO.match(first) or YES.match(first) or any(clause != "不疼" and NO.match(clause) for clause in rest):
        return True
    return any(NOT_KNOWN.search(bare) or _NOT_MADE.search(bare) for bare in (first, *rest))


def _parts(clauses: list[str]) -> list[str]:
    """The clauses, each with those after it that are about the same: they have no subject, or `其内`, or a side."""
    if _SPECIMEN.search(clauses[0]):
        return [MARK.join(clauses)]  # a count of the urine would be taken for one of the blood
    parts: list[str] = []
    for place, clause in enumerate(clauses):
        denies = None if _STATE.match(clause) else _DENIES.match(clause)
        own = _has_subject(clause)
        if denies:  # of the one before it, unless that denies as well or is all there is
            own = all(map(_DENIES.match, clauses[:place])) or (len(clauses) == 2 and not NEGATION.search(clauses[0]))
        if place == 1 and _is_fragment(clauses[0]):
            own = own and denies is not None
        if parts and not own:
            parts[-1] += MARK + clause
        else:
            parts.append(clause)
    return parts


def _is_fragment(clause: str) -> bool:
    """Whether a first clause only names what the next one is about: `血酮那项`."""
    if _STATE.match(clause):
        return True
    told = (
        (_has_subject(clause) and not clause.endswith(("查了", "做了", "查过")))
        or _DENIES.match(clause)
        or re.search(r"\d", clause)
        or NEGATION.search(clause)
    )
    return len(clause) <= _FRAGMENT and not told


def _has_subject(clause: str) -> bool:
    """Whether a clause names by itself what it is about."""
    if _DEPENDS.match(clause):
        return False
    if any(result.name for result in read_results(SELF.sub("", ADVERBS.sub("", clause)))):
        return True
    starts = borders(clause)
    verbs = [found for found in (NEGATION.search(clause), *PREDICATES.finditer(clause)) if found]
    return any(1 < verb.start() <= 12 and verb.start() in starts and is_name(clause[: verb.start()]) for verb in verbs)


def together(sentences: list[str], question: Question) -> list[str]:
    """The sentences of a report; what goes on after a semicolon stays with what it goes on from."""
    if not question.examined:
        return sentences
    joined: list[str] = []
    for part in sentences:
        if joined and joined[-1].endswith(("；", ";")) and not titled(part):
            both = [*pieces(joined[-1]), *pieces(part)]
            if not all(_stands_alone(END.sub("", clause)) for clause in both):
                joined[-1] += part
                continue
        joined.append(part)
    return joined


def headed(said: str) -> tuple[str, str]:
    """The test that a sentence names at its beginning, and what is told of it; no name where it begins with people."""
    found = _MADE.match(said)
    if found and (found["other"] or _NAMES.search(found["one"])):
        return _bare(found["other"] or found["one"]), found["rest"]
    found = _IS.match(said)
    if found and not verdict_of(found["rest"]):
        return _bare(found["test"]), found["rest"]
    found = _SAID.match(said)
    if not found or _PEOPLE.match(found["test"]):
        return "", _TELLS.sub("", said)
    name = _bare(found["test"])
    if _PAPER.match(name):
        return "", found["rest"]
    return (name, found["rest"]) if _NAMES.search(name) else ("", said)


def _bare(name: str) -> str:
    return re.sub(r"^(?:最近|今天|昨天|早上|[做拍查][的了]?)+", "", SELF.sub("", ADVERBS.sub("", name)))


def _stands_alone(clause: str) -> bool:
    """Whether a clause needs nothing of its neighbours: a result with a name of its own, a verdict, a bare denial."""
    if verdict_of(clause) or _LIMIT.match(clause):
        return True
    results = read_results(SELF.sub("", ADVERBS.sub("", clause)))
    return bool(results) and not any(is_side(result.name) for result in results if result.name)
