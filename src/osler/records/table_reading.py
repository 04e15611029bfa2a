"""The paper's table read back: rows as people fill them in, gathered into a draft of the patient."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from osler.language import Speaker
from osler.records.age import Age
from osler.records.labels import from_label, language_of, sex_from
from osler.records.schema import Category, Part, Persona, Relevance, Status
from osler.records.status import DENIED, status_of
from osler.records.table import ALTERNATIVE, COLUMNS, ICD, META, PART, UNSAFE, TableRow
from osler.records.validation import RecordDraft

_HEAD = re.compile(r"^\s*(1\s*-?\s*st|first|一级|第一)", re.IGNORECASE)


def from_rows(rows: Sequence[Sequence[str]], name: str, place: str = "") -> RecordDraft:
    """A draft of the patient in these rows; `name` becomes the id of a table that has none."""
    table = _Table(name)
    for row in _tidy(rows):
        table.take(row)
    return RecordDraft(table.finish(), place, mended=tuple(table.mended))


def _split(cell: str) -> list[str]:
    return [item.strip() for item in cell.split("\n") if item.strip()]


def _tidy(rows: Sequence[Sequence[str]]) -> Iterator[TableRow]:
    """Rows without the header, each cell in its column whatever order the header gives the further ones."""
    order = list(range(len(TableRow._fields)))
    for place, cells in enumerate(rows):
        if place == 0 and cells and _HEAD.match(cells[0]):
            order = _columns(cells)
            continue
        picked = [cells[at].strip() if at is not None and at < len(cells) else "" for at in order]
        if any(picked):
            yield TableRow(*picked)


def _columns(header: Sequence[str]) -> list[Any]:
    known = [{names[column].casefold() for names in COLUMNS.values()} for column in range(len(TableRow._fields))]
    found = {
        column: at
        for at, cell in enumerate(header)
        for column in range(4, len(known))
        if cell.strip().casefold() in known[column]
    }
    return [0, 1, 2, 3, *(found.get(column) for column in range(4, len(known)))]


class _Table:
    """Gathers rows into the schema's fields."""

    def __init__(self, name: str) -> None:
        self.data: dict[str, Any] = {}
        self.treatment: dict[str, Any] = {}
        self.entries: list[dict[str, Any]] = []
        self.mended: list[str] = []
        self.part: Part | None = None
        self.name = name

    def take(self, row: TableRow) -> None:
        field = _field_of(row.first)
        if field == "diagnosis":
            self._take_diagnosis(row)
        elif field == "treatment":
            self._take_treatment(row)
        elif field == "confused_with":
            self.data[field] = _split(row.result)
        elif field is not None:
            self.data[field] = row.result
        elif (part := _part_of(row)) is not None:
            self.part = part
        else:
            self._take_entry(row)

    def _take_diagnosis(self, row: TableRow) -> None:
        diagnosis = self.data.setdefault("diagnosis", {})
        if row.second in ICD:
            diagnosis["icd10"] = row.result
        else:
            diagnosis.update(name=row.result, aliases=_split(row.aliases))

    def _take_treatment(self, row: TableRow) -> None:
        item = {"name": row.result, "aliases": _split(row.aliases)}
        if row.second in PART:
            self.treatment.setdefault("parts", []).append(item)
        elif row.second in ALTERNATIVE:
            self.treatment.setdefault("alternatives", []).append(row.result)
        elif row.second in UNSAFE:
            self.treatment.setdefault("unsafe", []).append(
                {**item, "because": row.constraint, "entry": row.refers or None}
            )
        else:
            self.treatment.update(item)

    def _take_entry(self, row: TableRow) -> None:
        category = from_label(Category, row.first)
        name, report = row.second, row.result
        # The paper writes `Surgical History | None` and `General Condition | | text`: the category is the name then.
        if name.casefold() in DENIED and not report and not row.status:
            name, report = row.first, name
        status = from_label(Status, row.status) or (status_of(report, category) if category else Status.PRESENT)
        self.entries.append(
            {
                "category": category.value if category else row.first,
                "name": name or row.first,
                "report": report,
                "status": status,
                "when": row.constraint or None,
                "aliases": _split(row.aliases),
                "relevance": from_label(Relevance, row.relevance) or Relevance.KEY,
                "said": row.said,
                **({"part": self.part} if self.part else {}),
            }
        )

    def finish(self) -> dict[str, Any]:
        data = self.data
        if self.treatment:
            data["treatment"] = self.treatment
        data["entries"] = self.entries
        data.setdefault("id", self.name)
        data.setdefault("language", language_of(str(data.get("complaint", ""))))
        self._mend_swap()
        if (sex := sex_from(str(data.get("sex", "")))) is not None:
            data["sex"] = sex
        if rounds := re.search(r"\d+", str(data.get("expected_rounds", ""))):
            data["expected_rounds"] = rounds[0]
        for field, kind in (("speaker", Speaker), ("persona", Persona)):
            if (value := from_label(kind, str(data.get(field, "")))) is not None:
                data[field] = value
        return data

    def _mend_swap(self) -> None:
        """The paper's own example has the sex under Age and the age under Gender."""
        age, sex = str(self.data.get("age", "")), str(self.data.get("sex", ""))
        if sex_from(age) is None:
            return
        try:
            Age.parse(sex)
        except ValueError:
            return
        self.data.update(age=sex, sex=age)
        self.mended.append(f"Age was {age!r} and Gender was {sex!r}; they were swapped back")


def _field_of(cell: str) -> str | None:
    wanted = cell.strip().casefold().replace("\u2019", "'")
    return next((field for field, names in META.items() if wanted in {name.casefold() for name in names}), None)


def _part_of(row: TableRow) -> Part | None:
    """A row whose only text is a section's title."""
    if row.second or row.result or row.constraint:
        return None
    if (exact := from_label(Part, row.first)) is not None:
        return exact
    title = row.first.casefold()
    if "key elem" in title or "要素" in title:
        return Part.TREATMENT if "treatment" in title or "治疗" in title else Part.DIAGNOSIS
    return None
