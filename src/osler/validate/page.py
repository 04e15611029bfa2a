"""Write a validation: one HTML page, all figures as JSON, the tables, and the plots as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Any

from pydantic_core import to_jsonable_python

from osler.eval.report import drawing
from osler.eval.write_files import write_whole
from osler.tables import WRITERS, html_table
from osler.tables.markup import Html, bounded, element, joined
from osler.validate.figures import LanguageFigures
from osler.validate.pictures import ValidationPicture, draw
from osler.validate.tables import LANGUAGE_NAMES, tables_of
from osler.validate.validation import Validation

PAGE = "validation.html"
_TABLES = {"markdown": "tables.md", "latex": "tables.tex", "csv": "tables.csv"}


def write_results(validation: Validation, folder: Path) -> Path:
    """Write everything into the folder, over what was there; plots need matplotlib."""
    pictures: dict[str, list[ValidationPicture]] = {}
    for figures in validation.languages:
        has_matplotlib = find_spec("matplotlib") is not None
        pictures[figures.language] = draw(figures) if has_matplotlib else []
    written = {folder / PAGE: _page(validation, pictures).encode()}
    written[folder / "validation.json"] = figures_json(validation).encode()
    for form, name in _TABLES.items():
        text = "\n".join(WRITERS[form](table) for table in validation.tables())
        written[folder / name] = text.encode()
    for own in pictures.values():
        for picture in own:
            written[folder / f"{picture.name}.svg"] = drawing.svg(picture.drawing, picture.name)
            written[folder / f"{picture.name}.pdf"] = drawing.pdf(picture.drawing)
    write_whole(written, force=True)
    return folder / PAGE


def figures_json(validation: Validation) -> str:
    """All figures, also those that no table shows, such as the whole curves."""
    readings = validation.readings
    content: dict[str, Any] = {
        "columns": [column.model_dump() for column in validation.columns],
        "judge": readings.judge if readings else None,
        "judge_usage": to_jsonable_python(readings.usage) if readings else None,
        "unread": readings.unread if readings else None,
        "languages": to_jsonable_python(validation.languages),
        "warnings": validation.warnings,
    }
    return json.dumps(content, ensure_ascii=False)


def _page(validation: Validation, pictures: dict[str, list[ValidationPicture]]) -> str:
    sections = []
    links = []
    for figures in validation.languages:
        name = LANGUAGE_NAMES[figures.language]
        heading = element("h2", name, id=figures.language.value)
        drawn = [_figure(picture) for picture in pictures[figures.language]]
        body = _section(validation, figures, drawn)
        sections.append(element("section", heading, body))
        links.append(element("a", name, href=f"#{figures.language.value}"))
    notes = [element("li", bounded(line)) for line in validation.warnings]
    warnings = element("div", element("ul", *notes), class_="warnings") if notes else Html()
    html = (files("osler.eval.report") / "page.html").read_text(encoding="utf-8")
    text = Template(html).substitute(
        title=element("span", "Simulated patients beside people"),
        lead=element("p", "Both were asked the questions of human doctors, in the same order."),
        warnings=warnings,
        contents=joined(links),
        sections=joined(sections),
    )
    return text.replace("report of a run", "validation")


def _section(validation: Validation, figures: LanguageFigures, drawn: Sequence[Html]) -> Html:
    parts: list[Html] = []
    for table in tables_of(figures, validation.readings):
        parts += [element("h3", table.title), html_table(table)]
    return joined([*parts, element("div", *drawn, class_="figures")])


def _figure(picture: ValidationPicture) -> Html:
    svg = drawing.inline(picture.drawing, picture.name, picture.title)
    caption = element("figcaption", picture.caption)
    return element("figure", element("h3", picture.title), svg, caption)
