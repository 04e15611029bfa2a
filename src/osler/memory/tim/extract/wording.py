"""A model's triple in the words of this memory: the patient by one name, a verb, a denial that can be read."""

from __future__ import annotations

import re

from osler.memory.tim.extract.chinese_frame import unframed_report
from osler.memory.tim.extract.chinese_sentence import NEGATION
from osler.memory.tim.extract.clauses import listed
from osler.memory.tim.extract.english_words import AUXILIARIES, BASES, DENIES, PASTS, PEOPLE, THIRDS
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import plain, words

_SELF = {
    Language.EN: listed("i me we he she patient") | {"the patient", "this patient"},
    Language.ZH: listed("我 患者 病人 他 她 本人"),
}
_PATIENT = {Language.EN: "patient", Language.ZH: "患者"}
PATIENTS = frozenset({"patient", "患者", "病人"})
_NOUNS = {
    Language.EN: listed("symptom symptoms sign signs condition complaint complaints finding findings illness problem"),
    Language.ZH: listed("症状 表现 体征 主诉 疾病 存在 出现"),
}
"""What small models write for `has`."""
GENERIC = {
    Language.EN: frozenset(
        words(
            "patient has have had is are was were been being reports reported report says said states experiences "
            "experience experiencing experienced shows showed show noted takes take feels feel does do did not no with "
            "started start began begin lasts last occurs located value result measured describes notices",
            Language.EN,
        )
    ),
    Language.ZH: listed(
        "患者 有 没有 是 为 说 显示 出现 感到 感觉 存在 服用 开始 开始于 "
        "持续 位于 程度 结果 报告 表示 不 没 无 未 伴有 部位 时间 没有出现"
    ),
}
"""Words of a relation that need not have been said."""
OTHERS = {
    Language.EN: re.compile(rf"\b(?:{'|'.join(sorted(PEOPLE - listed('child baby son daughter children')))})\b"),
    Language.ZH: re.compile(
        r"爸|妈|父亲|母亲|哥|姐|弟|妹|爷爷|奶奶|祖父|祖母|外公|外婆|姥|姨|姑|舅|叔叔|伯|家里|家族|家人|亲戚|老伴|丈夫|妻子|爱人"
    ),
}
"""Whoever is not the patient: what is said of them is not said of the patient."""
_MEASURED = re.compile(r"(?:量|测|数|写)(?:出来|过|了|的|着)*是?")
"""How a value came to be known, which small models write for `为`."""
_VERBS = AUXILIARIES | BASES | THIRDS.keys() | PASTS.keys()
_TURNED = {
    "has": "does not have",
    "had": "did not have",
    "is": "is not",
    "was": "was not",
    "are": "is not",
    "has had": "has not had",
    "has been": "has not been",
}


def mended(draft: Draft, language: Language) -> Draft:
    """The same thought, readable; without a relation when it has no verb."""
    subject, relation, object_ = (" ".join(part.split()) for part in (draft.subject, draft.relation, draft.object))
    own = _SELF[language]
    if plain(object_) in own and plain(subject) not in own:
        subject, object_ = object_, subject  # small models write "cough has patient"
    if plain(subject) in own:
        subject = _PATIENT[language]
    subject = re.sub(r"^(?:the|a|an|my|his|her)\s+(?=\S)", "", subject, flags=re.IGNORECASE)
    object_ = object_.rstrip(" .。，,;；")
    object_ = re.sub(r"(?:^|[\s,，]+)(?:yes|true|是|有)$", "", object_, flags=re.IGNORECASE)
    if plain(relation) in _NOUNS[language]:
        relation = "has" if language is Language.EN else "有"
    polar = _english if language is Language.EN else _chinese
    relation, object_, negated = polar(relation, object_, draft.negated)
    return draft.model_copy(update={"subject": subject, "relation": relation, "object": object_, "negated": negated})


def _english(relation: str, object_: str, negated: bool) -> tuple[str, str, bool]:
    first = plain(relation).split()[:1]
    verb = first and (first[0] in _VERBS or first[0].endswith(("s", "ed")))
    if not verb and not DENIES.match(relation):
        return "", object_, negated
    none = re.match(r"(?:no|any)\s+(?!longer\b|more\b)", object_, re.IGNORECASE)
    if DENIES.search(relation):
        return relation, object_[none.end() :] if none else object_, True
    if none and none[0].lower().startswith("no") and plain(relation) in _TURNED:
        return _TURNED[plain(relation)], object_[none.end() :], True
    if none and none[0].lower().startswith("no") and plain(relation) in {"shows", "showed", "reveals", "revealed"}:
        return f"{relation} no", object_[none.end() :], True
    if not negated or DENIES.search(object_):
        return relation, object_, negated
    turned = _TURNED.get(plain(relation)) or f"does not {THIRDS.get(plain(relation), plain(relation))}"
    return turned, object_, True


def _chinese(relation: str, object_: str, negated: bool) -> tuple[str, str, bool]:
    object_ = unframed_report(object_)
    relation = "为" if _MEASURED.fullmatch(relation) else relation
    if NEGATION.search(relation) or relation.startswith(("没", "不", "无", "未", "否认")):
        return relation, re.sub(r"^(?:没有|无)(?=.)", "", object_) if relation == "没有" else object_, True
    none = re.match(r"(?:没有|未见|没|无)(?![做查拍测验])", object_)
    if none and relation in {"有", "是", "为", "显示", "提示"}:
        return "没有", object_[none.end() :], True
    if not negated or NEGATION.search(object_):
        return relation, object_, negated
    return ("没有" if relation == "有" else f"没有{relation}"), object_, True
