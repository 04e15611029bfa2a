"""Reports of tests and examinations that the doctor is handed itself, as from a clinic's file."""

from __future__ import annotations

from osler.agents.messages import Selection
from osler.language import Language
from osler.locale import label
from osler.records.schema import RESULTS, Category, Entry, Status

_NO_REPORT = {Language.EN: "done, the report is missing", Language.ZH: "做过，报告缺失"}


def with_reports(selection: Selection) -> Selection:
    """The selection with the results it holds laid out for the doctor; the patient tells the rest."""
    language = selection.case.language
    found = [entry for entry in selection.entries if entry.category in RESULTS]
    lines = "\n".join(report_line(entry, language) for entry in found)
    return selection.model_copy(update={"results": lines, "reported": tuple(entry.name for entry in found)})


def report_line(entry: Entry, language: Language) -> str:
    """One result in the record's words."""
    told = entry.report or label(entry.status, language)
    if entry.status is Status.PRESENT and not entry.report and entry.category is not Category.SIGN:
        told = _NO_REPORT[language]
    if language is Language.EN:
        return f"{entry.name}: {told}" + (f" ({entry.when})" if entry.when else "")
    return f"{entry.name}：{told}" + (f"（{entry.when}）" if entry.when else "")
