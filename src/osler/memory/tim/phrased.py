"""How facts and questions are worded in a short note: one fact, a list of things, what was asked, each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable

from osler.language import Language
from osler.language.words import content
from osler.memory.tim.normal import is_in_range
from osler.memory.tim.thought import PATIENT, Thought
from osler.ranking import reaches

ANYTHING = PATIENT | {"complaint", "症状"}
COLON = {Language.EN: ": ", Language.ZH: "："}
NO = {Language.EN: "no", Language.ZH: "没有"}
_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_STOP = {Language.EN: ". ", Language.ZH: "。"}
_ASKED = {Language.EN: "Also asked: ", Language.ZH: "还问过："}
_ABOUT = {Language.EN: "{text} [{topic}]", Language.ZH: "{text}［{topic}］"}
_CUT = {Language.EN: 22, Language.ZH: 5}
"""Characters that are left of a question: long words tell as much as more short ones do, and cost the same."""
_WHOLE = {Language.EN: 30, Language.ZH: 6}
"""Characters up to which a question is not cut."""
_EMPTY = frozenset({"is", "are", "was", "were", "says", "shows", "说", "是", "为", "显示"})
"""Relations that say nothing which the question did not."""
_SHOWS = frozenset({"shows", "显示"})
"""Relations of a test and what was found, for which a colon does."""
_SAYS = frozenset({"says", "说"})
_NEGATIVE = re.compile(r"negative\b|阴性")
_VALUE = re.compile(r"[<>≤≥~]?\s*\d")
_BETWEEN = re.compile(r"(?<=[\u4e00-\u9fff，（）]) (?=[\u4e00-\u9fff（\d])")
"""Spaces that Chinese does without."""


def shows(thought: Thought, asked: str, share: float, language: Language) -> bool:
    """Whether a fact holds that share of the words of a question."""
    wanted = set(content(asked, language))
    return reaches(len(wanted & set(content(thought.triple, language))), share * len(wanted))


def named(topics: Iterable[str], language: Language) -> str:
    """The questions of which no fact is told, in one line; empty when there are none."""
    told = listed(topics, language)
    return _ASKED[language] + told if told else ""


def about(text: str, topic: str, language: Language) -> str:
    """A fact with what was asked, where that is not plain."""
    return _ABOUT[language].format(text=text, topic=topic) if topic else text


def listed(things: Iterable[str], language: Language) -> str:
    """Things in a row, each once."""
    return _SEMICOLON[language].join(dict.fromkeys(things))


def sentences(said: Iterable[str], language: Language) -> str:
    """What was said, one after the other."""
    return _STOP[language].join(said)


def cut(asked: str, language: Language) -> str:
    """What was asked, in its first words."""
    most = _CUT[language]
    if len(asked) <= _WHOLE[language]:
        return asked
    if language is Language.ZH:
        return f"{asked[:most]}…"
    return f"{asked[: most + 1].rpartition(' ')[0] or asked.partition(' ')[0]}…"


def in_order(thought: Thought, language: Language) -> str:
    """The name of what is in order, with its value where it has one; empty when a fact says more than that."""
    if thought.subject in ANYTHING or thought.relation not in _EMPTY:
        return ""
    if _VALUE.match(thought.object) or _NEGATIVE.match(thought.object):
        return _joined(thought.subject, thought.object, language=language)
    bare = is_in_range(thought.object) or len(content(thought.object, language)) <= 1
    return thought.subject if bare else ""


def lean(thought: Thought, before: str, asked: tuple[str, ...], language: Language) -> str:
    """A fact without a subject that was just named or that the question begins with, and without an empty verb.

    Args:
        thought: The fact.
        before: The subject of the fact before it.
        asked: The words of the question that stands beside it; none where it does not.
        language: Of all of them.
    """
    is_value = _VALUE.match(thought.object) is not None
    if thought.relation in _EMPTY and is_value and thought.subject not in ANYTHING:
        return _joined(thought.subject, thought.object, language=language)  # A value needs its name.
    own = content(thought.subject, language)
    lent = bool(asked) and (thought.subject in ANYTHING or own == asked[: len(own)])
    if thought.relation in _SAYS:
        return thought.object or thought.triple
    if not thought.object or not (lent or thought.subject in {before, "complaint", "症状"}):
        return _whole(thought, language)
    verb = set(content(thought.relation, language))
    # Of a number the verb says which way it goes: `lost 3 kg`.
    asked_so = bool(verb) and verb <= set(asked) and not thought.negated and not is_value
    if thought.relation in _SHOWS or (lent and (asked_so or thought.relation in _EMPTY)):
        return thought.object
    return _joined(thought.relation, thought.object, language=language, apart=thought.negated)


def _whole(thought: Thought, language: Language) -> str:
    """A fact with its subject; what a test shows stands behind a colon."""
    if thought.relation in _SHOWS and thought.object:
        return f"{thought.subject}{COLON[language]}{thought.object}"
    bare = thought.relation in _EMPTY and (language is Language.ZH or _VALUE.match(thought.object))
    parts = (thought.subject, "" if bare else thought.relation, thought.object)
    return _joined(*parts, language=language, apart=thought.negated)


def _joined(*parts: str, language: Language, apart: bool = False) -> str:
    """Parts in a row; Chinese ones without a space, but for a denial, which has to be told from its subject."""
    row = " ".join(filter(None, parts))
    return row if apart or language is Language.EN else _BETWEEN.sub("", row)
