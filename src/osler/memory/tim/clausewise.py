"""Whether Chinese thoughts say what another one says, clause by clause and whatever the order of their words.

Patients tell a finding again in other words around it: `我吐了两次，都是吃的` after `恶心，呕吐2次，都是吃的东西`. Each
clause of the new thought must be in one clause of an old one: of the same person, at the same time, with the same
numbers, and affirmed or denied alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from osler.language import Language
from osler.language.words import numbers, plain
from osler.memory.tim.extract.chinese_sentence import NEGATION
from osler.memory.tim.replaces import is_correction
from osler.memory.tim.terms import canonical
from osler.memory.tim.thought import Draft, Thought

_LIGHT = frozenset("患者有没不是为说了过着的吃服用做显示写无未也都还就又感到觉得出现伴和及与、()我他她 ")
"""Characters that a clause may have or not and say the same."""
_NO_NAME = frozenset({"患者", "症状", "体格检查", "影像检查", "抽血化验", "检查", "化验", "查体"})
"""Subjects that tell a finding from no other."""
_HERE = frozenset({"有", "说", "没有", "出现", "显示", "结果", "提示", "为", "是", "感到", "伴有", "存在"})
"""Relations that say only that something is there, or is not."""
_CLAUSE = re.compile(r"[，；。;]|,(?!\d)")
_LIST = re.compile(
    r"[^，；左右两双\d]{2,5}(?<![膝腿脚踝趾手指肘肩腕臂眼耳胸腹背腰头部边侧])[和、及][^，；左右两双\d]{2,5}(?:（[^）]*）)?(?:，|$)"
)
"""Two symptoms side by side, and not two parts of the body with one."""
_AND = re.compile(r"[和、及]")
_NOW = re.compile(r"（(?:最近|近来|现在|目前|平时)）|最近(?!一)|近来|现在|目前|检查")
"""What is told without a time is so now, and a test is named with or without the word."""
_WEEKS = re.compile(r"个?(?:星期|礼拜)")
_ITEM = re.compile(r"[、和或及与不没]|(?<=烟)(?=饮?酒)")
_COUNTED = re.compile(r"[一二两三四五六七八九](?=[次回个])")
_DIGITS = {char: str(number) for number, char in enumerate("一二三四五六七八九", 1)} | {"两": "2"}
_OTHERWISE = re.compile(
    r"以前|曾|原来|既往|得过|[怕想要会能像似史]|担心|可能|如果|好了|消失|退了|没了|停了?|治疗|但|只|就是|不过|除了|差点|容易|以来"
)
"""Words after which a thing need not be there now, or not as it is."""
_ORDERED = re.compile(r"[后先再完比从到]|(?<![以之目])前|左.*右|右.*左|上.*下|下.*上")
"""Words that make the order of the others matter."""
_OTHERS = re.compile(
    r"爸|妈|父亲|母亲|哥|姐|弟|妹|爷爷|奶奶|祖父|祖母|外公|外婆|姥|姨|姑|舅|叔叔|伯|家里|家族|家人|亲戚|老伴|丈夫|妻子|爱人"
)
"""Whoever is not the patient: what is said of them is not said of the patient."""
_WEIGHTY = 2
"""Characters of weight that a clause must have to be understood away from its neighbours."""


class _Clause(NamedTuple):
    before: frozenset[str]
    """Characters of weight up to the denial; all of them where nothing is denied."""
    denied: frozenset[frozenset[str]]
    """What is denied, each thing of a list by itself: who takes no eye drops may take other medicines."""
    numbers: frozenset[str]
    others: str
    """Whoever is named that is not the patient."""
    otherwise: frozenset[str]
    run: str
    """The characters of weight in a row."""
    ordered: bool


def is_told(draft: Draft, old: Draft) -> bool:
    """Whether the old thought says all of the draft."""
    things = _things(draft)
    return bool(things) and _comparable(draft, old) and all(_says(old, inner) for inner in things)


def tellers(draft: Draft, olds: Sequence[Thought]) -> list[Thought]:
    """The old thoughts that together say all of what the patient says once more; none where a part of it is new."""
    inner = _things(draft)
    if draft.subject not in _NO_NAME or len(inner) < 2:
        return []
    found: list[Thought] = []
    for clause in inner:
        alone = not clause.numbers and len(clause.run) >= _WEIGHTY
        old = next(
            (old for old in (olds if alone else found[-1:]) if _comparable(draft, old) and _says(old, clause)), None
        )
        if old is None:
            return []
        found.append(old)
    return list({old.id: old for old in found}.values())


def _things(draft: Draft) -> tuple[_Clause, ...]:
    """What must be told of a draft: its clauses, a list of symptoms one by one."""
    if draft.subject in _NO_NAME and not draft.negated and _LIST.match(draft.object):
        return _clauses(draft.subject, draft.relation, _AND.sub("，", draft.object, count=1))
    return _clauses(draft.subject, draft.relation, draft.object)


def _says(old: Draft, clause: _Clause) -> bool:
    return any(_within(clause, outer, old.subject) for outer in _clauses(old.subject, old.relation, old.object))


def _comparable(draft: Draft, old: Draft) -> bool:
    """Whether both are as certain, of one person and of one time; what is not known is told by nothing."""
    if draft.certainty != old.certainty or not draft.certainty:
        return False
    if _others(draft.subject) != _others(old.subject) or is_correction(draft.sentence):
        return False
    return not draft.reported or plain(draft.reported) in plain(f"{old.reported} {old.object}")


@lru_cache(maxsize=4096)
def _others(text: str) -> str:
    return "".join(_OTHERS.findall(text))


def _within(inner: _Clause, outer: _Clause, subject: str) -> bool:
    if not inner.run or bool(inner.denied) != bool(outer.denied) or not inner.denied <= outer.denied:
        return False
    if not inner.before <= outer.before.union(subject) or not inner.numbers <= outer.numbers:
        return False
    if inner.others != outer.others or not outer.otherwise <= inner.otherwise:
        return False
    return inner.run in outer.run or not outer.ordered


@lru_cache(maxsize=8192)
def _clauses(subject: str, relation: str, object_: str) -> tuple[_Clause, ...]:
    """The clauses of a thought; its subject, where it tells anything, and its relation are a part of the first."""
    denies = "没有" if relation == "没有" else ""
    subject = subject.removesuffix("结果")
    head = ("" if subject in _NO_NAME and object_ else subject) + (denies if relation in _HERE else relation)
    first, *rest = _CLAUSE.split(object_.rstrip("。"))
    return tuple(_clause(part) for part in (head + first, *rest) if part.strip())


def _weighty(text: str) -> frozenset[str]:
    return frozenset(text) - _LIGHT


@lru_cache(maxsize=8192)
def _clause(part: str) -> _Clause:
    part = _NOW.sub("", part)
    part = _WEEKS.sub("周", part)
    said = _COUNTED.sub(lambda found: _DIGITS[found[0]], canonical(part, Language.ZH)).replace("回", "次")
    denial = NEGATION.search(said)
    place = denial.start() if denial else len(said)
    run = "".join(char for char in said if char not in _LIGHT)
    return _Clause(
        before=_weighty(said[:place]),
        denied=frozenset(map(_weighty, _ITEM.split(said[place:]))) - {frozenset()},
        numbers=frozenset(numbers(said)),
        others=_others(said),
        otherwise=frozenset(_OTHERWISE.findall(said)),
        run=run,
        ordered=_ORDERED.search(said) is not None,
    )
