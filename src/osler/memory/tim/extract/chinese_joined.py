"""Whether a Chinese clause says more of the one before it: cut off, it would be about nothing, or the wrong thing."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_course import lasting_thing
from osler.memory.tim.extract.chinese_question import PATIENT
from osler.memory.tim.extract.chinese_sentence import MARK, NEGATION, PLACE
from osler.memory.tim.extract.chinese_words import KIN, LASTING, SELF, SPAN
from osler.memory.tim.extract.clauses import Question, Sketch

_TAKEN = frozenset({"服用", "吃", "吃了", "用", "服"})
_DOSING = re.compile(
    r"^(?:每(?:天|日|晚|早|次|周|月|个|隔)|一[天日周月]|隔[天日]|早晚|睡前|饭[前后]|已经?|都?(?:服用|[吃用服打喝])[了到完]|常?漏|"
    r"效果|不太?管用|因为|\d|[一两三四半]次|长期|按时|都是|停了|天天|昨|今|能|会|还吃)"
)
"""How a medicine is taken: of the one that was just named."""
_DOSE_ALONE = re.compile(r"^(?:每|一)[天日晚早周次][^，]{0,4}?\d[\d.]*\s*(?:毫克|mg|微克|片|单位|粒)")
_AS_LONG = re.compile(rf"^[\u4e00-\u9fff]{{1,2}}了{SPAN}了?$")
"""`抽了25年`, after the smoking."""
_AS_OFTEN = re.compile(r"^(?:一|每)[天日周晚年]个?[^，]{0,6}?\d+多?[次回]")
_JUDGES = re.compile(r"^(?:也|都|就|还|倒是?)*不(?!太?[吃喝用服抽吸饮打吐拉咳喘烧发恶想戴碰痛疼痒爱知])")
"""`不算重`."""
_GOES_WITH = re.compile(
    r"^(?:特别|尤其|也|都|就|还|一直|多半|多数时候|多数|主要|多)*"
    r"(?:.{0,4}就好了|是(?!因)|在(?![吃用服家])|像|能(?!吃)|会|可(?!能)|跟[^，]{1,8}似|没停|没断|不停|到|从(?![不没来未小])|往|伴|为|控制|放射|窜|串|牵扯|牵涉|蔓延|转移|波及|连着|[要得](?=[垫靠坐扶换歇])|突然|忽然|开始(?=疼|痛|发)|没有?什么(?:明显)?(?:原因|诱因)|血压(?:一直)?控制|(?:发热|发烧|起病)第\d|要?\s*\d+[^，]{0,6}才|最高(?:烧|到|\d)|(?:慢慢|逐渐|渐渐)(?:变|加|减|好|扩)|(?:过去|过后)[以之]后)"
)
"""How a clause begins that has its subject in the one before."""
_WHEN_WORSE = re.compile(
    r"^[^，]{0,14}?(?:现在|越来越|逐日|逐渐|一天|夜间|夜里|晚上|早上|白天|时|后|内|以后|之后|就|会)(?:会|就|更|明显)*"
    r"(?:加重|减轻|缓解|好转|消退|明显|疼|痛|厉害)(?:些|点|了)*$"
)
_MADE_WORSE = re.compile(
    r"^(?:平卧|卧床|躺下|躺平|休息|触碰|碰|活动|行走|走路|进食|空腹|弯腰|坐起|前倾|劳累|受凉|咳嗽|深呼吸|深吸气|用力|按压|服药|吃药|、)+"
    r"[后时就可能会更]*(?:加重|减轻|缓解|好转|明显|加剧|疼|痛)"
)
"""`触碰加重`: of what was just told."""
_POINTS = re.compile(r"^.{0,8}?(?:这个地方|那个地方|这么|这样|那样|就是这个)|^心里")
"""Words that mean something in the clause before them."""
_YET = re.compile(r"^可[我他她](?=觉得|就是|心里|还是)")
_CAME_OF = re.compile(r"就.{1,6}了(?=，|$)")
"""`打了针脸就肿了`: what else came of it follows."""
_OWN = re.compile(r"[我他她]|孩子")
_BRIEF = 12
"""Characters of a clause that only goes on with a row of them."""
_LOCAL = re.compile(r"^(?:局部|皮肤|表面|摸着|也|还|又)*(?:发热|发烫|发红|发麻|发紫|红|热|烫)$")
_PART = re.compile(r"[膝腿脚踝趾手指肘肩腕臂皮]|关节")
"""`右膝红肿，发热`: the knee is hot, and nobody has a fever."""
_NONE = re.compile(r"^(?:也|都|还)*(?:没有?|无|未)(?!吃|用|做|查|发|咳|吐)")
_NONE_IN_IT = re.compile(r"^(?:也|都|里面?)*(?:没有?|无)(?:带|见)?(?:血|脓|黏液|胆汁|块|黄|绿|异味)[^，]{0,4}$")
_COMES_OUT = re.compile(r"[吐拉咳尿便痰流血泻]")
_UNTREATED = re.compile(
    rf"^(?:也|都|[近这]{SPAN})*(?:没有?|未|无)(?:做过?|行|留)?(?:手术|开刀|住院|复查|后遗症|治疗|复发)"
)
_ILLNESS = frozenset({"得过", "得了", "患", "有", "说"})
_SCENE = re.compile(
    rf"^[^，]{{0,14}}(?:的时候|之前|以前|以后|之后|检查时)$|^(?:这|近){SPAN}$|^除了[^，]{{1,8}}$|^[^，]{{0,6}}第\d+[天日周]$|^从[^，]{{1,8}}到现在$"
)
"""What only says when: the next clause says what."""


def says_more(stripped: str, core: str, last: Sketch, question: Question) -> bool:
    """Whether the clause goes on with `last`; `stripped` is the clause without whom it is about."""
    if last.answer or last.negated or last.certainty == 0 or last.result:
        return False
    if question.yes == "过敏" and not NEGATION.match(stripped):
        return True  # what a reaction was like, in one piece
    if last.relation == "说" and _SCENE.match(last.object):
        return True
    if last.relation == "说" and PLACE.match(last.object.split(MARK)[0]):
        return SELF.match(core) is None
    if _LOCAL.match(stripped) and _PART.search(f"{last.subject}{last.object}"):
        return True
    if LASTING.match(stripped):
        return not lasting_thing(last)
    if last.relation in _TAKEN:
        return _DOSING.match(stripped) is not None
    if KIN.match(last.object if last.relation == "说" else last.subject):
        return not (KIN.match(core) or SELF.match(core))
    if last.relation == "说" and _CAME_OF.search(last.object) and len(stripped) <= _BRIEF:
        return not (_OWN.match(core) or NEGATION.match(stripped))
    always = (_DOSE_ALONE, _AS_LONG, _AS_OFTEN, _WHEN_WORSE, _JUDGES, _GOES_WITH, _MADE_WORSE, _POINTS)
    return any(pattern.match(stripped) for pattern in always) or bool(_YET.match(core)) or _denies_of(stripped, last)


def _denies_of(stripped: str, last: Sketch) -> bool:
    """Whether a denial is of what was just told: no blood in what came up, no operation for the illness."""
    if last.subject != PATIENT:
        return _NONE.match(stripped) is not None
    if _UNTREATED.match(stripped):
        return last.relation in _ILLNESS
    return _NONE_IN_IT.match(stripped) is not None and _COMES_OUT.search(f"{last.relation}{last.object}") is not None
