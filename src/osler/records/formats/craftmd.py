"""CRAFT-MD's vignettes, without a treatment: the published tables, and the JSONL of MediQ."""

from __future__ import annotations

import re
from typing import Any

from osler.language import Language
from osler.records.classify import named_with_aliases
from osler.records.registry import Format, has_key, needs_model
from osler.records.text_case import TextCase, case_of, who_from

_VIGNETTES = frozenset({"case_vignette", "case_desc", "context"})


def _text_case(item: Any, number: str) -> TextCase:
    """One row or line.

    A table's vignette ends with its exam question, which tells nothing of the patient.
    """
    cells = {**item, **(item.get("patient") or {})}

    def cell(*names: str) -> str:
        for name in names:
            if cells.get(name) not in (None, ""):
                return str(cells[name]).strip()
        return ""

    vignette = cell("case_vignette", "case_desc")
    if "context" in item:
        vignette = " ".join(f"{str(line).strip().rstrip('.')}." for line in item["context"])
    # The older table has another kind of `category`: a rating.
    specialty = _slug(cell("category").casefold()) if "case_vignette" in item else ""
    fields = {
        **who_from(cell("age"), cell("sex", "gender")),
        "language": Language.EN,
        "source": "CRAFT-MD",
        "specialty": specialty or None,
        "diagnosis": named_with_aliases(cell("answer_name", "answer")),
    }
    case_id = f"craftmd-{_slug(cell('case_id', 'id')) or number}"
    left_out = [name for name in item if name and name not in _VIGNETTES]
    return case_of(case_id, [("", vignette)], fields, left_out)


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-")


def _is_table(head: str) -> bool:
    columns = set(re.split(r"[,\t]", head.partition("\n")[0].strip().lstrip("\ufeff")))
    return "case_id" in columns and bool({"case_vignette", "case_desc"} & columns)


_ABOUT = "CRAFT-MD's vignettes, English, without a treatment; need a model"
_COLUMNS = ("case_id", "case_vignette", "category", "answer")
_KEYS = ("context", "question", "answer", "answer_idx")
TABLE = Format(
    "craftmd",
    (".csv", ".tsv"),
    _ABOUT,
    needs_model,
    _is_table,
    fields=_COLUMNS,
    text_case=_text_case,
)
MEDIQ = Format(
    "craftmd-mediq",
    (".jsonl",),
    f"{_ABOUT}, as MediQ has them",
    needs_model,
    has_key("answer_idx"),
    fields=_KEYS,
    text_case=_text_case,
)
