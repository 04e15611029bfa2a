"""Reading what a model wrote: JSON where it managed, labelled lines where it did not."""

from __future__ import annotations

import re
from typing import Any

from osler.agents.participant import Conclusion
from osler.loosejson import json_of

_LABELS = {
    "diagnosis": r"(?:final |primary |most likely )?diagnosis|最终诊断|诊断结果|诊断",
    "treatment": r"treatment(?: plan)?|management|治疗方案|治疗建议|治疗",
    "differential": r"differential(?: diagnos[ei]s)?|鉴别诊断",
    "reasoning": r"reasoning|rationale|explanation|理由|依据|分析",
}
_LABEL = {
    field: re.compile(
        rf"(?:^|[\n*#\-•\d.]\s*|[。；]\s*)\**(?:{names})\**\s*(?:[:：]|is\b|为)\s*\**\s*(.+)", re.IGNORECASE
    )
    for field, names in _LABELS.items()
}
# A small model copies the form instead of filling it in.
_PLACEHOLDER = re.compile(
    r"^(?:the )?one (?:most likely )?illness|^illness(?: \d)?$|^(?:\.\.\.|…)|^name of the illness"
    r"|^最可能的一个疾病|^一个疾病|^疾病(?:\d|名称)?$",
    re.IGNORECASE,
)
_WHOLE_FIELD = re.compile(r'"(diagnosis|treatment|reasoning)"\s*:\s*"([^"\n]+)"', re.IGNORECASE)
_BEGUN = re.compile(r'"diagnosis"\s*:\s*"([^"\n]{4,})$', re.IGNORECASE)
_LONGEST_NAME = 100
_WHOLE_LIST = re.compile(r'"differential"\s*:\s*\[([^\]]*)\]', re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?:[;；、\n]|,\s(?=[A-Z])|\d+[.)、]\s*)\s*")
_MOST = 5


def conclusion_of(text: str) -> Conclusion | None:
    """A conclusion, however it was written; None when no diagnosis can be found in it."""
    data = json_of(text) or _unfinished(text) or _labelled(text)
    fields = {str(key).strip().casefold().replace(" ", "_"): value for key, value in data.items()}
    diagnosis = _line(fields.get("diagnosis") or fields.get("final_diagnosis") or fields.get("诊断"))
    if not diagnosis or _PLACEHOLDER.search(diagnosis):
        return None
    differential = fields.get("differential") or fields.get("differential_diagnosis") or fields.get("鉴别诊断") or ()
    return Conclusion(
        diagnosis=diagnosis,
        treatment=_line(fields.get("treatment") or fields.get("treatment_plan") or fields.get("治疗") or ""),
        differential=_several(differential),
        reasoning=_line(fields.get("reasoning") or fields.get("依据") or ""),
    )


def _unfinished(text: str) -> dict[str, Any]:
    """The fields of a JSON object that was cut off, or that a stray quote broke, as far as they are whole."""
    found: dict[str, Any] = {key: value for key, value in _WHOLE_FIELD.findall(text)}
    if "diagnosis" not in found and (begun := _BEGUN.search(text)):
        # The answer ended inside the diagnosis: its first clause is what was meant.
        found["diagnosis"] = re.split(r"[.;,。；，]", begun[1])[0][:_LONGEST_NAME]
    if listed := _WHOLE_LIST.search(text):
        found["differential"] = re.findall(r'"([^"]+)"', listed[1])
    return found


def _labelled(text: str) -> dict[str, Any]:
    """`Diagnosis: …` lines; a label's value ends at the line's end or at the next label."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        for field, pattern in _LABEL.items():
            if field not in found and (hit := pattern.search(line)):
                value = hit[1]
                for other in _LABEL.values():
                    if cut := other.search(value):
                        value = value[: cut.start()]
                found[field] = value.strip(" *。.")
    return found


def _line(value: object) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, (_line(item) for item in value)))
    if isinstance(value, dict):
        return _line(value.get("name") or list(value.values()))
    return " ".join(str(value or "").split())[:1000]


def _several(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else _SEPARATOR.split(str(value))
    return tuple(filter(None, (_line(item).strip(" .。") for item in items)))[:_MOST]
