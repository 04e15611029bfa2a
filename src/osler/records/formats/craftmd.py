"""CRAFT-MD's case vignettes: the published CSV and TSV tables, and the JSONL of MediQ. They have no treatment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from osler.language import Language
from osler.language.words import sentences
from osler.records.classify import named_with_aliases, sex_in, speaker_for
from osler.records.fields import Age
from osler.records.objects import ImportedFields, imported, read_objects
from osler.records.registry import Format, has_key
from osler.records.schema import Category
from osler.records.split import EntryList
from osler.records.validation import Problem, RecordDraft

EN = Language.EN
_ASKS_DIAGNOSIS = re.compile(
    r"\b(?:what|which of the following|which diagnosis) is (?:the |this patient's |your )?(?:\S+ ){0,3}diagnosis\b",
    re.IGNORECASE,
)
"""A question for the diagnosis itself, not for the next step or for what goes with the diagnosis."""
_OPENING = re.compile(
    r"^.*?\b(?:present(?:s|ed|ing)?\b.*?\b(?:with|for|because of|due to)|complain(?:s|ed|ing) (?:of|about))"
    r"(?: (?:complaints?|an? \S+ history) of)? ",
    re.IGNORECASE,
)


class _LeftOut(Exception):
    """Why a case cannot be used."""


class Vignette(NamedTuple):
    """One case as any of the files has it."""

    id: str
    text: str
    answer: str
    specialty: str
    age: Age
    sex: str


def read(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """One case a row or a line; those that ask for something else than the diagnosis are left out and counted."""
    skipped: Counter[str] = Counter()
    drafts: list[RecordDraft | Problem] = []
    for number, item in enumerate(read_objects(path, shown), 1):
        try:
            if isinstance(item, RecordDraft):
                item = imported(item, partial(_fields, item.data, number), shown)
            drafts.append(item)
        except _LeftOut as why:
            skipped[str(why)] += 1
    note = ", ".join(f"left out {count} case(s) that {why}" for why, count in skipped.items())
    for draft in drafts:
        if note and isinstance(draft, RecordDraft):
            draft, note = replace(draft, mended=(note,)), ""
        yield draft
    if not drafts:
        yield Problem(shown, f"has no case to use: {note or 'it is empty'}")


def _vignette(item: Mapping[str, Any]) -> Vignette:
    who = item.get("patient")
    given = {**item, **(who if isinstance(who, Mapping) else {})}

    def cell(*names: str) -> str:
        return next((str(given[name]).strip() for name in names if given.get(name) not in (None, "")), "")

    told = cell("case_vignette", "case_desc")
    if isinstance(item.get("context"), list):
        told = " ".join(f"{str(one).strip().rstrip('.')}." for one in item["context"])
    text, asked = _without_question(told)
    if (question := cell("question") or asked) and not _ASKS_DIAGNOSIS.search(question):
        raise _LeftOut("ask for something else than the diagnosis")
    age = _age(cell("age"), text)
    category = cell("category") if "case_vignette" in item else ""  # the older table's category is a rating
    return Vignette(cell("case_id", "id"), text, cell("answer_name", "answer"), category, age, cell("sex", "gender"))


def _without_question(vignette: str) -> tuple[str, str]:
    """The vignette, and the exam question at its end."""
    told = sentences(vignette, EN)
    if told and told[-1].endswith("?"):
        return vignette[: vignette.rindex(told[-1])].strip(), told[-1]
    return vignette, ""


def _age(written: str, text: str) -> Age:
    with suppress(ValueError):  # a column may say "elderly"
        return Age.parse(written)
    if (found := Age.find(text)) is None:
        raise _LeftOut("state no age")
    return found


def _fields(item: Mapping[str, Any], number: int) -> ImportedFields:
    case = _vignette(item)
    entries = EntryList(EN)
    entries.add_text(Category.SYMPTOM, case.text)
    first = sentences(case.text, EN)[0]
    opening = _OPENING.sub("", first).strip().rstrip(".")
    data = {
        "id": f"craftmd-{re.sub(r'[^A-Za-z0-9._-]+', '-', case.id) or number}",
        "language": EN,
        "specialty": re.sub(r"[^a-z0-9]+", "-", case.specialty.casefold()).strip("-") or None,
        "source": "CRAFT-MD",
        "speaker": speaker_for(case.age),
        "age": case.age,
        "sex": sex_in(case.sex or first),
        "complaint": f"{opening[:1].upper()}{opening[1:]}.",
        "diagnosis": named_with_aliases(case.answer),
        "entries": entries.settled(opening),
    }
    return ImportedFields(data, entries.unread)


def _is_table(head: str) -> bool:
    columns = set(re.split(r"[,\t]", head.partition("\n")[0].strip().lstrip("\ufeff")))
    return "case_id" in columns and bool({"case_vignette", "case_desc"} & columns)


_ABOUT = "CRAFT-MD's vignettes, English, without a treatment; better with `convert --with`"
_COLUMNS, _KEYS = ("case_id", "case_vignette", "category", "answer"), ("context", "question", "answer", "answer_idx")
TABLE = Format("craftmd", (".csv", ".tsv"), _ABOUT, read, _is_table, fields=_COLUMNS)
MEDIQ = Format("craftmd-mediq", (".jsonl",), f"{_ABOUT}, as MediQ has them", read, has_key("answer_idx"), fields=_KEYS)
