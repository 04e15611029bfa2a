"""Read the texts to structure: one case per text file, JSON object, JSON line or table row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from osler.errors import UserError
from osler.records.classify import named_with_aliases
from osler.records.objects import LINES, WRONG_SHAPE, read_objects, shape_problem
from osler.records.registry import format_of
from osler.records.text_case import TextCase, case_of
from osler.records.validation import MAX_RECORD, Problem, RecordDraft, RecordError, read_text

Adapter = Callable[[Any, str], TextCase]
_TEXTS = (".txt", ".md")
_SUFFIXES = (*_TEXTS, ".json", *LINES, ".csv", ".tsv")
_NOT_TOLD = re.compile(
    r"diagnos|answer|diseases?$|treatment$|analysis|options?$|choice|question|title|facts$"
    r"|idx$|^(?:\w+_)?id$|caseid|url$"
    r"|^source$|dataset|categor|objective|creator|department|^name$|诊断|答案|^治疗|姓名|标题|科室",
    re.IGNORECASE,
)
"""Fields that the model must not see: the truth, the question about it, what is no patient's."""
_IDS = ("id", "case_id", "caseId")
_TRUTH = re.compile(
    r"(?P<diagnosis>(?:(?:final|correct|discharge|true)[_ ]?)?diagnosis|answer|disease"
    r"|(?:最后|最终|出院|确定)?诊断)"
    r"|(?P<treatment>(?:correct[_ ]?)?treatment|治疗(?:方案)?)",
    re.IGNORECASE,
)


def read_cases(path: Path) -> Iterator[TextCase | Problem]:
    """Read every case of a file or of the files in a folder; UserError if there is none."""
    if not path.exists():
        raise UserError(
            f"there is no file or folder {path}",
            "give the path of a text, JSON, JSONL, CSV or TSV file",
        )
    paths = [path] if path.is_file() else sorted(path.rglob("*"))
    files = [file for file in paths if file.is_file() and file.suffix.lower() in _SUFFIXES]
    if not files:
        raise UserError(
            f"{path} holds no text to structure", f"give files that end in {', '.join(_SUFFIXES)}"
        )
    ids: set[str] = set()
    for file in files:
        file_name = str(file.relative_to(path)) if path.is_dir() else file.name
        try:
            for case in _cases(file, file_name):
                yield _unless_repeated(case, ids, file_name)
        except RecordError as error:
            yield error.problem


def _unless_repeated(case: TextCase | Problem, ids: set[str], file_name: str) -> TextCase | Problem:
    """The case, or a problem if another has its id; the id is noted."""
    if isinstance(case, Problem):
        return case
    if case.id in ids:
        reason = f"is {case.id!r} like that of another case; give each its own"
        return Problem(file_name, reason, field="id")
    ids.add(case.id)
    return case


def _cases(path: Path, file_name: str) -> Iterator[TextCase | Problem]:
    if path.suffix.lower() in _TEXTS:
        yield _text_file(path, file_name)
        return
    adapter = _adapter(path, file_name)
    for number, draft in enumerate(read_objects(path, file_name), 1):
        if isinstance(draft, Problem):
            yield draft
        elif not isinstance(draft.data, Mapping):
            yield Problem(file_name, "is not an object with fields", draft.place)
        elif adapter is not None:
            yield _adapted(adapter, draft, str(number) if draft.place else path.stem, file_name)
        else:
            yield _case(draft.data, f"{path.stem}-{number:03d}")


def _text_file(path: Path, file_name: str) -> TextCase:
    """A file of plain text, with an empty line between paragraphs."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", read_text(path, MAX_RECORD, file_name)):
        paragraph = paragraph.strip()
        if paragraph:
            paragraphs.append(paragraph)
    return TextCase(_slug(path.stem), tuple(paragraphs))


def _adapter(path: Path, file_name: str) -> Adapter | None:
    """What reads a file of a known format; one that has structured records already is refused."""
    try:
        form = format_of(path, file_name)
    except RecordError:
        return None
    if form.text_case is None:
        raise UserError(f"{file_name} has structured records already", "convert it without --with")
    return form.text_case


def _adapted(adapter: Adapter, draft: RecordDraft, name: str, file_name: str) -> TextCase | Problem:
    try:
        case = adapter(draft.data, name)
    except WRONG_SHAPE as error:
        return shape_problem(error, file_name, draft.place)
    return replace(case, id=_slug(case.id))


def _case(item: Mapping[str, Any], name: str) -> TextCase:
    """An object of no known format: what the names of its fields say."""
    paragraphs: list[tuple[str, object]] = []
    left_out: dict[str, None] = {}
    truth: dict[str, str] = {}
    for path, text in _leaves(item):
        hidden = next(filter(_NOT_TOLD.search, path), None)
        if hidden is None:
            paragraphs.append((_title(path, text), text))
            continue
        left_out[hidden] = None
        match = _TRUTH.fullmatch(path[-1])
        if match and match.lastgroup:
            truth.setdefault(match.lastgroup, text)
    fields = {
        "diagnosis": named_with_aliases(truth.get("diagnosis", "")),
        "treatment": {"name": truth["treatment"]} if "treatment" in truth else None,
    }
    ids = [str(item[key]) for key in _IDS if item.get(key) not in (None, "")]
    case_id = ids[0] if ids else name
    return case_of(_slug(case_id), paragraphs, fields, left_out)


def _title(path: tuple[str, ...], text: str) -> str:
    """The heading of a text: the last of the keys that lead to it.

    The first key is left out where others follow; a long text right under a key needs no heading.
    """
    keys = path if len(path) == 1 else path[max(1, len(path) - 2) :]
    title = ", ".join(key.replace("_", " ") for key in keys)
    is_story = len(path) == 1 and len(text) >= len(title) * 8
    return "" if is_story else title


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text of a nested object with the keys that lead to it; texts of a list joined."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None:
        text = "\n".join(map(str, value)) if isinstance(value, list) else str(value)
        text = text.strip()
        if text and path:
            yield path, text


def _slug(name: str) -> str:
    """A name that is safe as the id of a record; other letters are told apart by a checksum."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:60]
    if slug and name.isascii():
        return slug
    checksum = hashlib.sha256(name.encode()).hexdigest()[:8]
    return "-".join(filter(None, (slug, checksum)))
