"""Split Chinese clinical text into single statements, for training the retrieval."""

from __future__ import annotations

import re
from collections.abc import Iterator

from osler.language import Language, Speaker
from osler.language.cues import cues, pattern
from osler.language.lexicon import concepts
from osler.language.reader import Clause, denies_a_list, read
from osler.language.times_and_values import time_finder
from osler.language.words import sentences
from osler.ranking import reaches
from osler.records.schema import Status
from osler.records.split import EntryList, TextStatement

ZH = Language.ZH
_NAME_CHARS = 16
_WHOLE = 0.95
"""Score from which a phrase is the name of one thing."""
_SHORT_CLAUSE, _SHORT_ITEM = 5, 6
"""Characters below which a clause cannot stand alone, and up to which a thing is one of a list."""
_LONGEST_LABEL = 12
_WRITTEN_OF = Speaker.MOTHER
"""A record that names a baby or a child means its patient, as a mother does."""
_TAIL = re.compile(r"(?:等.*|(?<=病)病史|(?<!家族)史|嗜好)$")
_LABELLED = re.compile(r"^[-*•\s\d.)]*([^:：,，。]{2,60})[:：]\s*(.+)$")
_DENIED_ON = re.compile(
    r"(否认[^。；;有患]*)[，,](?=[^，,。；;有患曾认无\d]{2,}史(?:[，,。；;]|$))"
)
"""A denial that goes on behind a comma: "否认高血压、糖尿病，冠心病等慢性病史"."""
_DENIES = re.compile("否认有?|无")
_QUOTED_LIST = re.compile(r"(否认|无|患有?)[“\"]([^”\"]*)[”\"]")
_OPEN_END = re.compile(r"[“\"（(][^”\"）)]*$")
_DOSE = r"\d(?:\.\d+)?\s*(?:mg|mcg|µg|g|ml|units?|毫克|微克|克|毫升|单位|片|粒)"
_TAKES = re.compile(
    r"(?:口服|服用|静脉滴注|静滴|静点|注射|外用|吸入|应用|使用|给予|予)[^，。"
    rf"]{{0,20}}(?:[“\"]|{_DOSE}|胶囊|颗粒)"
    rf"|^[“\"][^”\"]+[”\"][^，。]{{0,6}}{_DOSE}",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"血压\D{0,6}\d{2,3}/\d{2,3}"
    r"|(?<![a-z])(?:CT|MRI)(?![a-z])|核磁|磁共振|X线|X光|胸片|超声|彩超|B超|心电图|脑电图|肌电图|内镜|胃镜|肠镜|支气管镜|膀胱镜|造影|活检|病理|眼底|肺功能|平片"
    r"|血常规|尿常规|[粪大]?便常规|血糖|血脂|肝功|肾功|甲功|电解质|凝血|血气|HCG|WBC|HGB|PLT|CRP|PCT|BNP|脑钠肽|肌钙蛋白|心肌酶|淀粉酶|抗体|培养|化验"
    r"|尿蛋白|潜血|涂片|结核菌素",
    re.IGNORECASE,
)
_NAMED_ILLNESS = re.compile(r"^诊断|^考虑")


class ChineseEntryList(EntryList):
    """Gathers entries under Chinese names."""

    def _affirmed(self, name: str, status: Status) -> str:
        if status is Status.NOT_DONE:
            cue = pattern("not_done", ZH)
            return re.sub(rf"^{cue}|{cue}$", "", name, flags=re.IGNORECASE).strip() or name
        denial = _DENIES.match(name) if status is Status.ABSENT else None
        return (name[denial.end() :].strip() if denial else "") or name


def statements(text: str) -> Iterator[TextStatement]:
    """Split a paragraph into statements; a denial of five things becomes five of them."""
    for line in text.splitlines():
        yield from _in_line(line.strip(" -*•\t"))


def _in_line(text: str) -> Iterator[TextStatement]:
    text = _QUOTED_LIST.sub(r"\1\2", text)
    while (joined := _DENIED_ON.sub(r"\1、", text)) != text:
        text = joined
    for sentence in sentences(text, ZH):
        named = _labelled(sentence.strip("；;。"))
        clauses = read(named.report if named else sentence, ZH, _WRITTEN_OF).clauses
        denials = [clause for clause in clauses if _is_list_of_denials(clause)]
        is_result = named is not None and _is_result(f"{named.name}：{named.report}")
        if named and (is_result or (not denials and "、" not in named.report)):
            yield named
            continue
        # "消化系统：易饥、多食，无腹痛" lists several things under one heading.
        told, done = "", 0
        for clause in clauses:
            place = sentence.find(clause.text, done)
            is_glued, done = 0 < place == done, max(place, done) + len(clause.text)
            if told and is_glued:  # "改变体位无缓解" denies nothing by itself
                told += clause.text
            elif told.endswith("示"):  # "胸部CT示" goes on
                told = f"{told}：{clause.text}"
            elif clause in denials:
                yield from _told(told)
                yield from _denied(clause, sentence[: max(place, 0)])
                told = ""
            elif told and len(clause.text) < _SHORT_CLAUSE:
                told = f"{told}，{clause.text}"
            elif (items := _listed(clause)) is not None:
                yield from _told(told)
                yield from (TextStatement(item[:_NAME_CHARS], f"{item}。") for item in items)
                told = ""
            else:
                yield from _told(told)
                told = clause.text
        yield from _told(told)


def _told(text: str) -> Iterator[TextStatement]:
    if text and not text.endswith("以来"):  # a time that what follows has lost
        yield TextStatement(_shortened(text), f"{text}。")


def _shortened(text: str) -> str:
    """The beginning of a text as its name; a quotation that it would cut is left out."""
    if len(text) <= _NAME_CHARS:
        return text
    start = text[:_NAME_CHARS]
    whole = _OPEN_END.sub("", start)
    return f"{whole if len(whole) >= _SHORT_CLAUSE else start}…"


def _labelled(text: str) -> TextStatement | None:
    found = _LABELLED.match(text)
    if found is None or len(found[1]) > _LONGEST_LABEL:
        return None
    return TextStatement(found[1].strip(), found[2].strip().rstrip("。."))


def _is_result(text: str) -> bool:
    is_taken = _TAKES.search(text) is not None
    return not is_taken and not _NAMED_ILLNESS.search(text) and _RESULT.search(text) is not None


def _is_list_of_denials(clause: Clause) -> bool:
    strangers = any(
        mention.whose and mention.whose not in cues("family", ZH) for mention in clause.mentions
    )
    return (
        denies_a_list(clause.text, ZH)
        and not strangers
        and all(mention.denied for mention in clause.mentions)
    )


def _denied(clause: Clause, before: str) -> Iterator[TextStatement]:
    """Return each thing that a clause denies and that is known by itself.

    Of others, the clause's own words.
    """
    alone, is_left = len(clause.mentions) == 1, False
    times = (found[0].strip().removesuffix("开始") for found in time_finder(ZH).finditer(before))
    when = next(filter(None, times), "")
    whole = f"{clause.text}。"
    for mention in clause.mentions:
        thing = _TAIL.sub("", f"{mention.whose}{mention.what}")
        is_known = any(reaches(score, _WHOLE) for score in concepts(ZH).best(thing).values())
        is_left = is_left or not (is_known or alone)
        if thing and (is_known or alone):
            yield TextStatement(thing, whole if alone else f"无{thing}。", Status.ABSENT, when)
    if is_left:
        yield TextStatement(_shortened(clause.text), whole, None, when)


def _listed(clause: Clause) -> list[str] | None:
    """The items of a clause that only lists things: `伴怕热、多汗`, `怕热、多汗、体重下降`."""
    if any(mention.whose for mention in clause.mentions):
        return None
    items = [f"{mention.what}{mention.value}" for mention in clause.mentions]
    parts = clause.text.split("、")
    is_list = len(items) > 1 and len(parts) == len(items)
    return items if is_list and all(len(part) <= _SHORT_ITEM for part in parts) else None
