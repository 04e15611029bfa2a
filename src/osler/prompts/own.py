"""Prompts of one's own in place of Osler's: read from a folder, and checked before a run begins."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path

from osler.errors import UserError
from osler.language import Language
from osler.prompts import Prompt, bundled_names, bundled_prompt, phrases_in

_ELSEWHERE = ("autogen", "bench_", "judge_", "probe_", "read_", "structure_")
"""How the names of prompts begin that no consultation uses: those of judges, for example."""
_PHRASE = re.compile(r"[A-Za-z]\w*: ", re.ASCII)
_HIDDEN = "."


def own_prompts(given: object) -> dict[str, str] | None:
    """Return texts by the names of the templates that they stand for; None if none are given.

    Args:
        given: A folder with files such as `en/patient.txt`; or texts by names such as `en/patient`.

    Raises:
        UserError: There is no such template, or a text has other slots or other lines than it.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        texts, where = {str(name): text for name, text in given.items()}, ""
    elif isinstance(given, str | Path):
        texts, where = _texts_in(Path(given)), f"{given}/"
    else:
        raise UserError(f"prompts is {given!r}", "give a folder, or texts by their names")
    for name, text in texts.items():
        _check(name, text, f"{where}{name}.txt")
    return dict(sorted(texts.items()))


def is_phrases(template: Prompt) -> bool:
    """Check whether a template is a list of short texts by name, a line each."""
    lines = [line for line in template.text.splitlines() if line]
    return all(_PHRASE.match(line) for line in lines)


def _texts_in(folder: Path) -> dict[str, str]:
    """Return the text of each file in a folder, by its path without the ending."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder", "give --prompts a folder with prompts")
    texts = {}
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder)
        if file.is_dir() or any(part.startswith(_HIDDEN) for part in path.parts):
            continue
        if file.suffix != ".txt":
            raise _no_prompt(str(file))
        try:
            texts[path.with_suffix("").as_posix()] = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{file} cannot be read ({error})", "save it as UTF-8") from None
    if not texts:
        raise UserError(
            f"{folder} has no prompts", "put files there such as en/patient.txt, or leave it out"
        )
    return texts


def _no_prompt(file: str) -> UserError:
    return UserError(
        f"{file} is none of Osler's prompts",
        "name it as the one that it stands for: en/patient.txt, zh/doctor_ask.txt",
    )


def _check(name: str, text: object, file: str) -> None:
    """Refuse a text that cannot stand in place of the template of that name."""
    language, _, rest = name.partition("/")
    if language not in [*Language] or rest not in bundled_names(Language(language)):
        raise _no_prompt(file)
    if rest.startswith(_ELSEWHERE):
        raise UserError(
            f"{file} is read by no one in a consultation",
            "leave it out: --prompts is for the prompts of consultations",
        )
    if not isinstance(text, str) or not text.strip():
        raise UserError(f"{file} has no text", "write one, or leave it out")
    bundled = bundled_prompt(rest, Language(language))
    if not is_phrases(bundled):
        _check_slots(bundled.text, text, file)
        return
    lines, own = phrases_in(bundled), phrases_in(Prompt(name, text))
    _check_same(set(lines), set(own), file, "line", "{}: …")
    for key, line in lines.items():
        _check_slots(line, own[key], f"{file}, line {key!r}")


def _check_slots(text: str, own: str, where: str) -> None:
    """Refuse a text that has other slots than Osler's."""
    try:
        slots = _slots_in(own)
    except ValueError as error:
        raise UserError(
            f"{where} cannot be read ({error})", "write {{ and }} for braces that are no slot"
        ) from None
    _check_same(_slots_in(text), slots, where, "slot", "{{{}}}")


def _check_same(bundled: set[str], own: set[str], where: str, what: str, written: str) -> None:
    """Refuse a name that is missing or that Osler does not have."""
    for name in sorted(bundled - own):
        raise UserError(f"{where} lacks the {what} {name!r}", f"add {written.format(name)}")
    for name in sorted(own - bundled):
        there = ", ".join(sorted(bundled)) or "none"
        raise UserError(
            f"{where} has the {what} {name!r}, which is not filled in", f"there are: {there}"
        )


def _slots_in(text: str) -> set[str]:
    """Return the slots of a text as they are written between their braces."""
    slots = set()
    for _, name, form, conversion in string.Formatter().parse(text):
        if name is not None:
            slots.add(
                name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
            )
    return slots
