"""One patient as a source tells it: the text that a model structures, and the source's fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from osler.language import Language
from osler.records.classify import language_of, sex_from
from osler.records.fields import Age


@dataclass(frozen=True)
class TextCase:
    """One patient, before a model has made entries of the text."""

    id: str
    paragraphs: tuple[str, ...]
    known: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the record that the source itself gives, such as the diagnosis."""
    left_out: tuple[str, ...] = ()
    """Fields of the source that the model is not shown."""

    @property
    def language(self) -> Language:
        """The language of the text, unless the source gives it."""
        return Language(self.known.get("language") or language_of("\n".join(self.paragraphs)))


def case_of(
    case_id: str,
    cells: Iterable[tuple[str, object]],
    known: Mapping[str, Any],
    left_out: Iterable[str] = (),
) -> TextCase:
    """A case with a paragraph for each cell that is not empty, behind its heading if it has one."""
    paragraphs = []
    for heading, cell in cells:
        text = str(cell or "").strip()
        if text:
            paragraphs.append(f"{heading}: {text}" if heading else text)
    return TextCase(
        id=case_id,
        paragraphs=tuple(paragraphs),
        known={name: value for name, value in known.items() if value is not None},
        left_out=tuple(left_out),
    )


def who_from(age: object, sex: object) -> dict[str, Any]:
    """Return age and sex as far as two cells state them; a model reads the rest from the text."""
    fields: dict[str, Any] = {"sex": sex_from(str(sex or ""))}
    with suppress(ValueError):  # a column may say "elderly"
        fields["age"] = Age.parse(str(age or ""))
    return fields
