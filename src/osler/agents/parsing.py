"""Reads conclusions from what a model wrote: JSON, or labelled lines."""

from __future__ import annotations

import re
from typing import Any

from osler.agents.messages import Conclusion
from osler.loosejson import json_of

_LABELS = {
    "diagnosis": r"(?:final |primary |most likely )?diagnosis|最终诊断|诊断结果|诊断",
    "treatment": r"treatment(?: plan)?|management|治疗方案|治疗建议|治疗",
    "differential": r"differential(?: diagnos[ei]s)?|鉴别诊断",
    "reasoning": r"reasoning|rationale|explanation|理由|依据|分析",
}
_LABEL = {
    field: re.compile(
        r"(?:^|[\n*#\-•\d.]\s*|[。；]\s*)\**(?:the )?"
        rf"(?:{names})\**\s*(?:[:：]|is\b|为)\s*\**\s*(.+)",
        re.IGNORECASE,
    )
    for field, names in _LABELS.items()
}
# Long runs of blanks or stars would make the patterns above slow.
_RUN = re.compile(r"\*{3,}|[^\S\n]{3,}")
# A small model copies the form instead of filling it in.
_PLACEHOLDER = re.compile(
    r"^(?:the )?one (?:most likely )?illness|^illness(?: \d)?$|^(?:\.\.\.|…)|^name of the illness"
    r"|^最可能的一个疾病|^一个疾病|^疾病(?:\d|名称)?$",
    re.IGNORECASE,
)
_MARKED = re.compile(rf"(?:{_LABELS['treatment']})\**\s*[:：]", re.IGNORECASE)
_WHOLE_FIELD = re.compile(r'"(diagnosis|treatment|reasoning)"\s*:\s*"([^"\n]+)"', re.IGNORECASE)
_BEGUN = re.compile(r'"diagnosis"\s*:\s*"([^"\n]{4,})$', re.IGNORECASE)
_BEGUN_TREATMENT = re.compile(r'"treatment"\s*:\s*"([^"]{4,})$', re.IGNORECASE)
_LONGEST_NAME = 100
_WHOLE_LIST = re.compile(r'"differential"\s*:\s*\[([^\]]*)\]', re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?:[;；、\n]|,\s(?=[A-Z])|\d+[.)、]\s*)\s*")
_BULLET = re.compile(r"^[\s*#>•·\-–—_]*(?:[(（]?\d{1,2}[.)）、:：]\s*)?[\s*_]*")
# What follows a name: "**Gout** - swells the big toe", "Gout: …".
_EXPLAINED = re.compile(r"\*\*\s*(?=[-–—:：(（])|\s+[-–—]\s+|(?<=\w)[:：]\s*(?=\S)|——")
# The prompt asks for the English name beside a Chinese one, which steadies a model; the Chinese one
# is the answer.
_TRANSLATED = re.compile(r"(?<=[\u4e00-\u9fff])\s*(?:[（(][A-Za-z][^（(\u4e00-\u9fff]*)+$")
# A line that gives its reason first: "白细胞升高，提示可能为感染".
_POINTS_TO = re.compile(
    r"^.+(?:(?<!\bnot )\b(?:suggest(?:s|ing|ive of)|indicat(?:es|ing|ive of)|consistent"
    r" with|point(?:s|ing)? to)\s+"
    r"(?:an? |the )?|(?<![不未])(?:提示|考虑|符合|诊断为)(?:可能)?(?:为|是)?)(?=\S)",
    re.IGNORECASE,
)
# How a sentence about the case begins, if a name was asked for.
_TALK = re.compile(
    r"^(?:I|we|you|it|this|these|there|here|based|sure|sorry|the"
    r" (?:patient|case|most|following|five))\b"
    r"|^(?:我|您|你|这|该|患者|病人|根据|以下|由于|好的|抱歉)",
    re.IGNORECASE,
)
_MOST_WORDS = 14


def conclusion_of(text: str) -> Conclusion | None:
    """Parse a conclusion, however it was written; None if it has no diagnosis."""
    fields = _fields(json_of(text) or _unfinished(text) or _labelled(text))
    diagnosis = _line(fields.get("diagnosis"))
    if not diagnosis or _PLACEHOLDER.search(diagnosis):
        return None
    return Conclusion(
        diagnosis=diagnosis,
        treatment=_line(fields.get("treatment")),
        differential=several(fields.get("differential") or ()),
        reasoning=_line(fields.get("reasoning")),
    )


def named_of(text: str) -> Conclusion | None:
    """Parse a list of illnesses, the likeliest first, as a conclusion; None if no name can be read.

    A model that gave its whole conclusion at once is taken at its word.
    """
    conclusion = conclusion_of(text)
    if conclusion:
        return conclusion
    names = [_name(_line(item)) for item in _listed_items(text)]
    unique_names = tuple(dict.fromkeys(filter(None, names)))
    if not unique_names:
        return None
    likeliest, *others = unique_names
    return Conclusion(diagnosis=likeliest, treatment="", differential=tuple(others))


def _listed_items(text: str) -> list[Any]:
    """Return the first list of a JSON object, or the lines of a text that is none."""
    data = json_of(text)
    if not data:
        return text.splitlines()
    for value in data.values():
        if isinstance(value, list):
            return value
    return []


def plan_of(text: str) -> dict[str, str]:
    """Parse treatment and reasoning; if neither is marked as such, everything is the treatment."""
    data = json_of(text) or _unfinished(text)
    if "treatment" not in data:
        begun = _BEGUN_TREATMENT.search(text)
        if begun:  # the answer ended inside the treatment
            return {"treatment": _line(begun[1]), "reasoning": ""}
    # A mark is a label with a colon: "the treatment is safe" marks nothing.
    if not data and _MARKED.search(text):
        data = _labelled(text)
    fields = _fields(data)
    treatment = _line(fields.get("treatment"))
    if not treatment and not data:
        treatment = _line(text)
    return {"treatment": treatment, "reasoning": _line(fields.get("reasoning"))}


def _fields(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a conclusion, whatever the model called them.

    They get the names that the prompt asks for; of several values for a field the first counts.
    """
    fields: dict[str, Any] = {}
    for key, value in data.items():
        name = " ".join(str(key).replace("_", " ").split())[:_LONGEST_NAME]
        for field, names in _LABELS.items():
            if value and re.fullmatch(names, name, re.IGNORECASE):
                fields.setdefault(field, value)
    return fields


def _name(line: str) -> str:
    """Return the illness that a line of a list names.

    Empty for a heading, a sentence or a copied form.
    """
    without_bullet = _BULLET.sub("", line)
    name = _EXPLAINED.split(without_bullet, maxsplit=1)[0].strip(" *_`\"'“”.。;；,，")
    name = _POINTS_TO.sub("", name)
    name = _TRANSLATED.sub("", name)
    is_long = len(name) > _LONGEST_NAME or len(name.split()) > _MOST_WORDS
    is_heading = name.endswith((":", "：", "?", "？")) or not any(char.isalpha() for char in name)
    if is_long or is_heading or _TALK.search(name) or _PLACEHOLDER.search(name):
        return ""
    return name


def _unfinished(text: str) -> dict[str, Any]:
    """Return the complete fields of a JSON object that was cut off, or broken by a stray quote."""
    fields: dict[str, Any] = dict(_WHOLE_FIELD.findall(text))
    begun = _BEGUN.search(text)
    if begun and "diagnosis" not in fields:
        # The answer ended inside the diagnosis: its first clause is what was meant.
        first_clause = re.split(r"[.;,。；，]", begun[1])[0]
        fields["diagnosis"] = first_clause[:_LONGEST_NAME]
    differential = _WHOLE_LIST.search(text)
    if differential:
        fields["differential"] = re.findall(r'"([^"]+)"', differential[1])
    return fields


def _labelled(text: str) -> dict[str, Any]:
    """`Diagnosis: …` lines; a label's value ends at the line's end or at the next label."""
    fields: dict[str, Any] = {}
    for line in _RUN.sub(lambda run: run[0][:2], text).splitlines():
        for field, pattern in _LABEL.items():
            label = pattern.search(line)
            if label and field not in fields:
                fields[field] = _before_labels(label[1]).strip(" *。.")
    return fields


def _before_labels(value: str) -> str:
    """Return a value up to the next label on its line."""
    for pattern in _LABEL.values():
        label = pattern.search(value)
        if label:
            value = value[: label.start()]
    return value


def _line(value: object) -> str:
    """Return a value of a form as one line, whatever shape the model gave it."""
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, map(_line, value)))
    if isinstance(value, dict):
        return _line(value.get("name") or list(value.values()))
    return " ".join(str(value or "").split())


def several(value: object) -> tuple[str, ...]:
    """Return the names in a list, or in a text that lists them."""
    items = value if isinstance(value, list | tuple) else _SEPARATOR.split(str(value))
    names = [_line(item).strip(" .。") for item in items]
    return tuple(filter(None, names))
