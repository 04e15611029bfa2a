"""Read the texts to structure: one case per text file, JSON object, JSON line or table row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from osler.errors import UserError
from osler.language import Language
from osler.language.words import sentences
from osler.records.classify import language_of, named_with_aliases
from osler.records.objects import LINES, read_objects
from osler.records.registry import OWN, Format, format_of
from osler.records.validation import MAX_RECORD, Problem, RecordError, read_text

_TEXTS = (".txt", ".md")
_SUFFIXES = (*_TEXTS, ".json", *LINES, ".csv", ".tsv")
_LONGEST_PART = {Language.EN: 1800, Language.ZH: 700}
"""Characters that one request shows the model: its answer is several times as long."""
_NOT_TOLD = re.compile(
    r"diagnos|answer|diseases?$|treatment$|analysis|options?$|choice|question|title|facts$|idx$|^(?:\w+_)?id$|caseid|url$"
    r"|^source$|dataset|categor|objective|creator|department|^name$|诊断|答案|^治疗|姓名|标题|科室",
    re.IGNORECASE,
)
"""Fields that are not shown to the model: the truth, the exam question about it, and what is not about the patient."""
_WHO = re.compile(r"age(?:_value|_unit)?|gender|sex|年龄|性别", re.IGNORECASE)
_TRUTH = re.compile(
    r"(?P<diagnosis>(?:(?:final|correct|discharge|true)[_ ]?)?diagnosis|answer|disease|(?:最后|最终|出院|确定)?诊断)"
    r"|(?P<treatment>(?:correct[_ ]?)?treatment|治疗(?:方案)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TextCase:
    """One patient as a source tells it."""

    id: str
    paragraphs: tuple[str, ...]
    known: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the record that the source itself gives, such as the diagnosis."""
    left_out: tuple[str, ...] = ()
    """Fields of the source that the model is not shown."""

    @property
    def language(self) -> Language:
        """The language of the text."""
        return language_of("\n".join(self.paragraphs))

    def parts(self) -> list[str]:
        """The text in parts that fit one request each; a paragraph that is too long is cut between sentences."""
        longest, language = _LONGEST_PART[self.language], self.language
        parts: list[str] = []
        for paragraph in self.paragraphs:
            pieces = [paragraph] if len(paragraph) <= longest else sentences(paragraph, language)
            for piece in pieces:
                if parts and len(parts[-1]) + len(piece) < longest:
                    parts[-1] += f"\n{piece}"
                else:
                    parts.append(piece)
        return parts


def read_cases(path: Path) -> Iterator[TextCase | Problem]:
    """Read every case of a file or of the files in a folder. Raises UserError if there is nothing to structure."""
    if not path.exists():
        raise UserError(f"there is no file or folder {path}", "give the path of a text, JSON, JSONL, CSV or TSV file")
    inside = [path] if path.is_file() else sorted(found for found in path.rglob("*") if found.is_file())
    files = [file for file in inside if file.suffix.lower() in _SUFFIXES]
    if not files:
        raise UserError(f"{path} holds no text to structure", f"give files that end in {', '.join(_SUFFIXES)}")
    seen: set[str] = set()
    for file in files:
        shown = str(file.relative_to(path)) if path.is_dir() else file.name
        try:
            for case in _cases(file, shown):
                if isinstance(case, TextCase) and case.id in seen:
                    case = Problem(shown, f"is {case.id!r} like that of another case; give each its own", field="id")
                elif isinstance(case, TextCase):
                    seen.add(case.id)
                yield case
        except RecordError as error:
            yield error.problem


def _cases(path: Path, shown: str) -> Iterator[TextCase | Problem]:
    if path.suffix.lower() in _TEXTS:
        paragraphs = re.split(r"\n\s*\n", read_text(path, MAX_RECORD, shown))
        yield TextCase(_slug(path.stem), tuple(paragraph.strip() for paragraph in paragraphs if paragraph.strip()))
        return
    form = _known_format(path, shown)
    for number, draft in enumerate((form.read if form else read_objects)(path, shown), 1):
        if isinstance(draft, Problem):
            yield draft
        elif not isinstance(item := draft.item or draft.data, Mapping):
            yield Problem(shown, "is not an object with fields", draft.place)
        else:
            yield _case(item, draft.data if form else {}, f"{path.stem}-{number:03d}")


def _known_format(path: Path, shown: str) -> Format | None:
    """Return the format of a file that tells a story; refuse one whose entries are structured already."""
    try:
        form = format_of(path, shown)
    except RecordError:
        return None
    if form.name in OWN:
        raise UserError(f"{shown} has structured records already", "convert it without --with")
    return form


def _case(item: Mapping[str, Any], draft: Mapping[str, Any], name: str) -> TextCase:
    told, left_out, truth = [], [], dict[str, str]()
    for path, text in _leaves(item):
        is_known = draft.get("age") is not None and _WHO.fullmatch(path[-1])
        hidden = next((key for key in path if _NOT_TOLD.search(key)), path[-1] if is_known else None)
        if hidden is None:
            title = ", ".join(key.replace("_", " ") for key in path[max(1, len(path) - 2) :] or path)
            told.append(f"{title}: {text}" if len(path) > 1 or len(text) < len(title) * 8 else text)
            continue
        left_out.append(hidden)
        if (found := _TRUTH.fullmatch(path[-1])) and found.lastgroup:
            truth.setdefault(found.lastgroup, text)
    known = {key: value for key, value in draft.items() if key != "entries" and value is not None}
    if "diagnosis" in truth:
        known.setdefault("diagnosis", named_with_aliases(truth["diagnosis"]))
    if "treatment" in truth:
        known.setdefault("treatment", {"name": truth["treatment"]})
    ids = (known.get("id"), item.get("id"), item.get("case_id"), item.get("caseId"))
    own = next((str(one) for one in ids if one not in (None, "")), name)
    return TextCase(_slug(own), tuple(told), known, tuple(dict.fromkeys(left_out)))


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return every text of a nested object, with the keys that lead to it; a list of texts is one text."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif isinstance(value, list) and any(isinstance(one, Mapping | list) for one in value):
        for inner in value:
            yield from _leaves(inner, path)
    else:
        text = "\n".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
        if text.strip() and path:
            yield path, text.strip()


def _slug(name: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:60]
    code = "" if name.isascii() and slug else hashlib.sha256(name.encode()).hexdigest()[:8]
    return "-".join(filter(None, (slug, code)))
