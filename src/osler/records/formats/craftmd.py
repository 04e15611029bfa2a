"""CRAFT-MD's case vignettes: the published CSV and TSV tables, and the JSONL of MediQ. They have no treatment."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from osler.language import Language, Speaker
from osler.language.words import sentences
from osler.records.classify import named_with_aliases, sex_from
from osler.records.fields import Age
from osler.records.formats import jsonl
from osler.records.registry import Format, has_key
from osler.records.schema import Category, Sex
from osler.records.split import EntryList
from osler.records.validation import MAX_DOCUMENT, ImportedFields, Problem, RecordDraft, drafted, read_text

EN = Language.EN
_CHILD = 12
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


class Vignette(NamedTuple):
    """One case as any of the files has it."""

    id: str
    text: str
    answer: str
    specialty: str = ""
    age: str = ""
    sex: str = ""
    question: str = ""


def read_table(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """One case a row; rows that ask for something else than the diagnosis are left out and counted."""
    tab = path.suffix.lower() == ".tsv"
    text = io.StringIO(read_text(path, MAX_DOCUMENT, shown), newline="")
    rows = csv.DictReader(text, delimiter="\t" if tab else ",")
    cases = [(_of_row(row), f"row {rows.line_num}") for row in rows]
    yield from _drafts(cases, shown)


def read_lines(path: Path, shown: str) -> Iterator[RecordDraft | Problem]:
    """One case a line, as MediQ has them."""
    cases: list[tuple[Vignette, str]] = []
    for item in jsonl.read(path, shown):
        if isinstance(item, Problem):
            yield item
        elif isinstance(item.data, Mapping) and isinstance(item.data.get("context"), list):
            cases.append((_of_line(item.data), item.place))
        else:
            yield Problem(shown, "has no `context` that is a list of sentences; it is not a MediQ case", item.place)
    yield from _drafts(cases, shown)


def _of_row(row: Mapping[str, str | None]) -> Vignette:
    def cell(*names: str) -> str:
        return next((str(row[name]).strip() for name in names if row.get(name)), "")

    category = cell("category") if "case_vignette" in row else ""  # the older table's category is a rating
    text, question = _without_question(cell("case_vignette", "case_desc"))
    answer = cell("answer_name", "answer")
    return Vignette(cell("case_id", ""), text, answer, category, cell("age"), cell("sex"), question)


def _of_line(item: Mapping[str, Any]) -> Vignette:
    told_of = item.get("patient")
    who: Mapping[str, Any] = told_of if isinstance(told_of, Mapping) else {}
    text = " ".join(f"{str(one).strip().rstrip('.')}." for one in item["context"])
    told, asked = _without_question(text)
    question = str(item.get("question") or asked)
    answer = str(item.get("answer") or "")
    return Vignette(
        str(item.get("id", "")), told, answer, "", str(who.get("age", "")), str(who.get("gender", "")), question
    )


def _without_question(vignette: str) -> tuple[str, str]:
    """The vignette, and the exam question at its end."""
    told = sentences(vignette, EN)
    if told and told[-1].endswith("?"):
        return vignette[: vignette.rindex(told[-1])].strip(), told[-1]
    return vignette, ""


def _drafts(cases: list[tuple[Vignette, str]], shown: str) -> Iterator[RecordDraft | Problem]:
    skipped: Counter[str] = Counter()
    drafts: list[RecordDraft | Problem] = []
    for number, (case, place) in enumerate(cases, 1):
        if case.question and not _ASKS_DIAGNOSIS.search(case.question):
            skipped["ask for something else than the diagnosis"] += 1
        elif _age(case) is None:
            skipped["state no age"] += 1
        else:
            drafts.append(drafted(partial(_fields, case, number), shown, place))
    note = ", ".join(f"left out {count} case(s) that {why}" for why, count in skipped.items())
    for draft in drafts:
        if note and isinstance(draft, RecordDraft):
            draft, note = replace(draft, mended=(note,)), ""
        yield draft
    if not drafts:
        yield Problem(shown, f"has no case to use: {note or 'it is empty'}")


def _age(case: Vignette) -> Age | None:
    with suppress(ValueError):  # a column may say "elderly"
        return Age.parse(case.age)
    return Age.find(case.text)


def _fields(case: Vignette, number: int) -> ImportedFields:
    age = _age(case)
    entries = EntryList(EN)
    entries.add_text(Category.SYMPTOM, case.text)
    first = sentences(case.text, EN)[0]
    opening = _OPENING.sub("", first).strip().rstrip(".")
    words = re.findall(r"\w+", case.sex or first)
    data = {
        "id": f"craftmd-{re.sub(r'[^A-Za-z0-9._-]+', '-', case.id) or number}",
        "language": EN,
        "specialty": re.sub(r"[^a-z0-9]+", "-", case.specialty.casefold()).strip("-") or None,
        "source": "CRAFT-MD",
        "speaker": Speaker.MOTHER if age is not None and age.years < _CHILD else Speaker.PATIENT,
        "age": age,
        "sex": next(filter(None, map(sex_from, words)), Sex.UNKNOWN),
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
TABLE = Format("craftmd", (".csv", ".tsv"), _ABOUT, read_table, _is_table, fields=_COLUMNS)
LINES = Format(
    "craftmd-mediq", (".jsonl",), f"{_ABOUT}, as MediQ has them", read_lines, has_key("answer_idx"), fields=_KEYS
)
