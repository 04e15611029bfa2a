"""The one kind of text a record holds: a single clean line."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

_SPACE = re.compile(r"\s+")
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, halves of surrogate pairs, and what XML cannot hold."""


def one_line(text: str) -> str:
    """Normalise to NFC and one line; refuse what no terminal, table or prompt should receive."""
    text = _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()
    if found := _UNFIT.search(text):
        raise ValueError(f"contains the control or broken character U+{ord(found[0]):04X}; remove it")
    return text


def not_empty(text: str) -> str:
    """Refuse a line that is empty once it is trimmed."""
    if not text:
        raise ValueError("is empty; write a text or leave the field out")
    return text


MaybeLine = Annotated[str, Field(max_length=4000), AfterValidator(one_line)]
"""One line, possibly empty."""
Line = Annotated[MaybeLine, AfterValidator(not_empty)]
"""One line that says something."""


def same(left: str, right: str) -> bool:
    """Whether two names are the same but for case and surrounding space."""
    return left.strip().casefold() == right.strip().casefold()
