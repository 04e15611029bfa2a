"""A sheet of answers that no judge has decided, for a person to judge, and reading it back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from osler.errors import UserError
from osler.eval.judge import Opinion, truth_of
from osler.eval.panel import PERSON, agreement_line
from osler.eval.rating.blinding import clean
from osler.eval.rating.export import LETTERS, digest, mask_of
from osler.eval.rating.import_sheets import SheetRow, read_pages, read_rows
from osler.eval.rating.sheet import SheetColumn, build_workbook
from osler.eval.reader.model_judge import truth_lines
from osler.eval.run_answers import (
    AnswerContent,
    RunAnswer,
    answers_of,
    by_content,
    own_opinions,
    store_verdicts,
    stored_verdicts,
)
from osler.eval.scoring import EXACT, score_missing
from osler.eval.verdict import Verdict
from osler.eval.write_files import check_folder, check_free, write_whole
from osler.runs.store import RunFile, RunWriter

_ITEM = "item"
_SHEET = "sheet"
_VERDICT = "verdict"
_BECAUSE = "because"
_TEXTS = ("kind", "truth", "answer")
_CHOICES = tuple(verdict.value for verdict in Verdict if verdict is not Verdict.UNPARSED)
_COLUMNS = (
    SheetColumn(_ITEM, "编号", 12),
    SheetColumn(_SHEET, "表号", 14),
    SheetColumn("kind", "类别", 12),
    SheetColumn("truth", "标准答案", 56),
    SheetColumn("answer", "医生的回答", 64),
    SheetColumn(_VERDICT, "结论", 13, True, _CHOICES),
    SheetColumn(_BECAUSE, "理由", 40, True),
)

ByContent = Mapping[AnswerContent, Sequence[RunAnswer]]


def check_target(target: Path, *, force: bool) -> None:
    """Refuse a file that could not be written, before judges are paid.

    Raises:
        UserError: It has another ending, is there already, or its folder is not.
    """
    if target.suffix.lower() != ".xlsx":
        raise UserError(
            f"{target} does not end in .xlsx", "give the sheet a name such as disputed.xlsx"
        )
    check_folder(target.parent)
    check_free(target, force=force)


def export_verdict_sheet(run: Path, judge: str | None, target: Path, *, force: bool = False) -> str:
    """Write the answers that a judge leaves undecided to a sheet; return one line about it.

    The sheet names no column and no judge, and its order tells nothing. Without such an answer
    nothing is written.

    Raises:
        UserError: The file cannot be written.
    """
    with RunFile.open(run) as file:
        stored = stored_verdicts(file, judge or EXACT)
        places = {place for place in stored if stored[place].verdict == Verdict.UNDECIDED}
        undecided = by_content(answer for answer in answers_of(file) if answer.place in places)
        if not undecided:
            return f"no answer is undecided, so {target} was not written"
        texts = _texts(file, undecided)
    sheet = f"{_letters(judge or EXACT, 6)}-{len(undecided)}"
    rows = sorted((_id(content), sheet, *texts[content]) for content in undecided)
    workbook = build_workbook("Verdicts 评判", "verdict_sheet", _COLUMNS, rows)
    write_whole({target: workbook}, force=force)
    return (
        f"{len(rows)} undecided answer(s) on {target}; import with --verdicts {target} --person"
        " NAME"
    )


def import_verdicts(run: Path, path: Path, person: str) -> list[str]:
    """Store a person's verdicts; where the person has none, the panel's, or what is exact.

    Everything is checked before anything is stored. Returns what was done.

    Raises:
        UserError: The sheet cannot be read, is not complete, or is of another run.
    """
    with RunWriter.resume(run) as store:
        score_missing(store)
        return _import(store, path, _person(person))


def _import(store: RunWriter, path: Path, name: str) -> list[str]:
    answers = list(answers_of(store))
    rows = read_rows(path, read_pages(path), (_ITEM, _SHEET, _VERDICT), (*_TEXTS, _BECAUSE))
    panel = _panel(path, rows, store)
    imported = _read(path, rows, by_content(answers), store)
    opinions = own_opinions(store, name, answers) | imported
    base = stored_verdicts(store, EXACT) | stored_verdicts(store, panel)
    verdicts = {}
    for answer in answers:
        verdicts[answer.place] = base[answer.place]
        opinion = opinions.get(answer.content)
        if opinion is not None and opinion.verdict is not Verdict.UNDECIDED:
            verdicts[answer.place] = answer.verdict(opinion)
    store_verdicts(store, name, verdicts)
    return [
        f"{len(imported)} verdict(s) imported as {name}",
        *_agreement(store, name, imported, answers),
    ]


def _person(person: str) -> str:
    if not person.strip() or not person.isprintable() or person.startswith(PERSON):
        raise UserError(f"{person!r} is no name of a person", "give a name such as --person li")
    return f"{PERSON}{person.strip()}"


def _panel(path: Path, rows: Mapping[int, SheetRow], store: RunFile) -> str:
    """The judge whose undecided answers are on the sheet, if all of its rows are there."""
    sheets = {row[_SHEET].upper() for row in rows.values()}
    if len(sheets) != 1:
        raise UserError(
            f"{path} has rows of {len(sheets)} sheets", "import each sheet as it was exported"
        )
    code, _, count = sheets.pop().partition("-")
    for judge in (EXACT, *store.judges()):
        if _letters(judge, 6) == code:
            if str(len(rows)) != count:
                raise UserError(
                    f"{path} has {len(rows)} of its {count} rows",
                    "restore the rows that are missing",
                )
            return judge
    raise UserError(
        f"{path} is a sheet of another run than {store.path}",
        "give the run that it was exported from",
    )


def _read(
    path: Path, rows: Mapping[int, SheetRow], answers: ByContent, run: RunFile
) -> dict[AnswerContent, Opinion]:
    contents = {_id(content): content for content in answers}
    texts = _texts(run, answers)
    empty = [str(number) for number, row in rows.items() if not row[_VERDICT]]
    if empty:
        raise UserError(
            f"{path}: no verdict in row {', '.join(empty[:10])}", "fill it in, or write undecided"
        )
    opinions: dict[AnswerContent, Opinion] = {}
    for number, row in rows.items():
        place = f"{path}, row {number}"
        content = contents.get(row[_ITEM].upper())
        if content is None:
            raise UserError(
                f"{place}: {run.path} has no answer {row[_ITEM][:40]!r}", "give the sheet's own run"
            )
        if content in opinions:
            raise UserError(
                f"{place}: the item {row[_ITEM]} is there twice", "remove one of the rows"
            )
        has_texts = all(name in row for name in _TEXTS)
        if has_texts and digest([row[name] for name in _TEXTS]) != digest(texts[content]):
            raise UserError(
                f"{place}: the texts are not those of {row[_ITEM]}", "undo the edit or the sort"
            )
        word = row[_VERDICT].strip().casefold()
        if word not in _CHOICES or (word == Verdict.UNSAFE and content.kind == "diagnosis"):
            raise UserError(
                f"{place}: {row[_VERDICT][:40]!r} is no verdict on a {content.kind}",
                f"use {', '.join(_CHOICES)}",
            )
        opinions[content] = Opinion(Verdict(word), row.get(_BECAUSE, ""), rung="person")
    return opinions


def _agreement(
    store: RunFile, person: str, own: Mapping[AnswerContent, Opinion], answers: Sequence[RunAnswer]
) -> list[str]:
    """How far the person agrees with each judge that judged the same answers."""
    lines = []
    for judge in store.judges():
        other = {} if judge == person else own_opinions(store, judge, answers)
        pairs = [
            [own[content].verdict, other[content].verdict] for content in own if content in other
        ]
        if pairs:
            lines.append(agreement_line(f"agreement with {judge}", pairs))
    return lines


def _texts(run: RunFile, contents: ByContent) -> dict[AnswerContent, tuple[str, ...]]:
    """What the person reads of each answer: its kind, the truth, and the answer, blinded."""
    mask = mask_of(run)
    texts: dict[AnswerContent, tuple[str, ...]] = {}
    for content, (first, *_) in contents.items():
        record = run.record(content.case)
        truth = "\n".join(truth_lines(truth_of(content.kind, record), first.language))
        texts[content] = (content.kind, clean(truth), clean(mask.hide(content.text, content.case)))
    return texts


def _id(content: AnswerContent) -> str:
    return _letters("\0".join(content), 8)


def _letters(text: str, length: int) -> str:
    """Letters that stand for a text: without vowels and digits, neither words nor numbers."""
    number = int(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), 16)
    letters = []
    for _ in range(length):
        number, digit = divmod(number, len(LETTERS))
        letters.append(LETTERS[digit])
    return "".join(letters)
