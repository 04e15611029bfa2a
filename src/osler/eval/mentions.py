"""What an answer means and what it only mentions: denied, to be excluded, avoided, in the past, in the family."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from osler.eval.lexicon import read
from osler.eval.names import LONGEST, is_chinese, plain_case


class Reading(NamedTuple):
    """An answer taken apart."""

    meant: tuple[tuple[str, ...], ...]
    """Sentences, each as its pieces between commas."""
    mentioned: tuple[str, ...]
    """Pieces that name something without meaning it."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is meant, each sentence in one."""
        return tuple(", ".join(pieces) for pieces in self.meant)


def _cues(key: str, around: str = "{}") -> re.Pattern[str]:
    return re.compile(around.format("(?:" + "|".join(read("cues")[key]) + ")"), re.IGNORECASE)


_EN_SENTENCE = re.compile(r"[.;:!?]+(?=\s|$)|[;\n]")
_EN_PIECE = re.compile(
    r",|\bbut\b|\bhowever\b|\b(?:and|then) (?=(?:give|start|use|do|avoid|stop|begin|switch|treat|no|not|never)\b)"
    r"|\b(?=rather than\b|instead of\b|in place of\b)",
    re.IGNORECASE,
)
_EN_BEFORE = _cues("en_before", r"\b{}\b")
_EN_AFTER = _cues("en_after", r"\b{}\b")
_EN_PAST = _cues("en_past", r"\b{}\b")
_EN_EXAMPLE = re.compile(r"(?:such as|for (?:example|instance)|e\.?g\b|like|including|especially|particularly)\b", re.I)
_EN_GOES_ON = re.compile(r"[\w-]+|(?:and|or) (?!(?:give|start|use|add|take|continue)\b)[\w-]+(?: [\w-]+)?", re.I)
"""One more example; Chinese ones have no comma between them."""
_ZH_SENTENCE = re.compile(r"[。；;！!？?\n]")
_ZH_PIECE = re.compile(
    r"[，,]|但(?!是)|但是|(?=而非)|(?=而不是)|而是|(?<=[^而])(?=改用|改为|应用|选用|给予|建议用)|(?=代替)|并(?=避免|禁|停)"
)
_ZH_EXAMPLE = re.compile(r"例如|比如|譬如|诸如|如(?!果|需|无|有|下|上|同)|包括|尤其是?|特别是?")
_ZH_BEFORE = _cues("zh_before")
_ZH_AFTER = _cues("zh_after", r"{}[的者）)]?$")
_ZH_PAST = _cues("zh_past")


@lru_cache(maxsize=256)
def read_answer(answer: str) -> Reading:
    """The answer's sentences, less what they only mention."""
    answer = answer[:LONGEST]
    zh = is_chinese(answer)
    meant: list[tuple[str, ...]] = []
    mentioned: list[str] = []
    for sentence in (_ZH_SENTENCE if zh else _EN_SENTENCE).split(answer if zh else plain_case(answer)):
        kept: list[str] = []
        turned_down = by_example = False
        for piece in map(str.strip, _pieces(sentence, zh)):
            begins = (_ZH_EXAMPLE if zh else _EN_EXAMPLE).match(piece) is not None
            if turned_down and (begins or (by_example and _EN_GOES_ON.fullmatch(piece))):
                # "Avoid what dries her out, such as furosemide": an example shares the lot of what it stands for.
                by_example = True
                mentioned.append(piece)
                continue
            said, only_mentioned = (_read_zh if zh else _read_en)(piece)
            turned_down, by_example = bool(only_mentioned) or (turned_down and not piece), False
            kept.append(said)
            mentioned.append(only_mentioned)
        if any(kept):
            meant.append(tuple(piece for piece in kept if piece))
    return Reading(tuple(meant), tuple(piece for piece in mentioned if piece))


def _pieces(sentence: str, zh: bool) -> Iterator[str]:
    """A sentence between its commas; a bracket ends what a cue reaches."""
    cues = (_ZH_PAST, _ZH_AFTER, _ZH_BEFORE) if zh else (_EN_PAST, _EN_AFTER, _EN_BEFORE)
    for piece in (_ZH_PIECE if zh else _EN_PIECE).split(sentence):
        if _BRACKET.search(piece) and any(cue.search(piece) for cue in cues):
            # One or two words in brackets are another name for what stands before them.
            yield from _BRACKET.split(_SAME_THING.sub(r" \1 ", piece))
        else:
            yield piece


def _read_en(piece: str) -> tuple[str, str]:
    if _EN_PAST.search(piece) or _EN_AFTER.search(piece):
        return "", piece
    if cue := _EN_BEFORE.search(piece):
        return piece[: cue.start()].strip(), piece[cue.end() :].strip()
    return piece, ""


def _read_zh(piece: str) -> tuple[str, str]:
    if _ZH_PAST.search(piece) or _ZH_AFTER.search(piece):
        return "", piece
    if cue := _ZH_BEFORE.search(piece):
        return piece[: cue.start()].strip(), piece[cue.end() :].strip()
    return piece, ""


_BRACKET = re.compile(r"[()（）]")
_SAME_THING = re.compile(r"[(（]([\w-]+(?: [\w-]+)?)[)）]")
_NOTHING = _cues("nothing")


def says_nothing(answer: str) -> bool:
    """Whether the answer says that there is none."""
    return bool(_NOTHING.search(answer[:LONGEST]))
