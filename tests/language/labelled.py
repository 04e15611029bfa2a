"""Exchanges with what they say, labelled by hand, and how much of it the reader finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.reader import Mention, read
from osler.language.words import stem, written_words

KINDS = ("what", "denied", "unsure", "whose", "when", "value", "extra")
_SPARE_WORDS, _SPARE_CHARACTERS = 3, 5


def exchanges(name: str, language: Language) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(f"{name}.{language.value}.yaml").read_text(encoding="utf-8")
    loaded: list[dict[str, Any]] = yaml.safe_load(text)
    return loaded


def mentions(exchange: dict[str, Any], language: Language) -> tuple[Mention, ...]:
    speaker = Speaker(exchange.get("by", "patient"))
    if "q" not in exchange:
        return read(exchange["a"], language, speaker).mentions
    return read_answer(exchange["q"], exchange["a"], language, speaker)


def speaks_of(what: str, mention: Mention, language: Language) -> bool:
    """Whether a mention names a thing, with a few words more at most."""
    if not what:
        return bool(mention.when or mention.value)
    if language is Language.EN:
        wanted, found = (
            {stem(word) for word in written_words(text)} for text in (what, mention.what)
        )
        return wanted <= found and len(found - wanted) <= _SPARE_WORDS
    told, label = (text.replace("痛", "疼").lower() for text in (mention.what, what))
    rest = iter(told)
    return all(char in rest for char in label) and len(told) - len(label) <= _SPARE_CHARACTERS


def holds(told: str, label: str) -> bool:
    """Whether a time, a value or a person is the labelled one, with the words around it or
    without."""
    one, other = (text.lower().replace(" ", "") for text in (told, label))
    return other in one or (bool(one) and one in other)


def judged(exchange: dict[str, Any], language: Language) -> Iterator[tuple[str, bool, str]]:
    """Each label by its kind, whether the reader has it right, and what it says instead."""
    found = list(mentions(exchange, language))
    for label in exchange["says"]:
        fits = [mention for mention in found if speaks_of(str(label["what"]), mention, language)]
        shown = f"{exchange.get('q', '')} | {exchange['a']} -> {label} in {found}"
        yield "what", bool(fits), shown
        wants = {"denied": label.get("denied", False), "unsure": label.get("unsure", False)}
        whose = str(label.get("whose", ""))
        best = max(fits, key=lambda mention: _agreement(mention, wants, whose), default=None)
        if best is None:
            for kind in KINDS[1:6]:
                if label.get(kind):
                    yield kind, False, shown
            continue
        found.remove(best)
        yield "denied", best.denied == wants["denied"], shown
        if best.unsure or wants["unsure"]:
            yield "unsure", best.unsure == wants["unsure"], shown
        for kind, told in (("whose", best.whose), ("when", best.when), ("value", best.value)):
            if kind in label:
                yield kind, holds(told, str(label[kind])), shown
            elif kind == "whose" and told:
                yield kind, False, shown
    for mention in found:
        yield "extra", False, f"{exchange.get('q', '')} | {exchange['a']} -> {mention}"


def _agreement(mention: Mention, wants: dict[str, bool], whose: str) -> int:
    return (
        (mention.denied == wants["denied"])
        + (mention.unsure == wants["unsure"])
        + (holds(mention.whose, whose))
    )


def figures(name: str, language: Language) -> tuple[Counter[str], Counter[str], list[str]]:
    """Labels by kind, those that the reader has right, and the failures in words; `extra` counts
    what nobody said."""
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    failures = []
    for exchange in exchanges(name, language):
        for kind, good, shown in judged(exchange, language):
            total[kind] += 1
            right[kind] += good
            if not good:
                failures.append(f"{kind}: {shown}")
    return total, right, failures


if __name__ == "__main__":
    import sys

    for each in Language:
        total, right, failures = figures(sys.argv[1], each)
        if "-v" in sys.argv:
            print("\n".join(failures))
        print(each.value, {kind: f"{right[kind]}/{total[kind]}" for kind in KINDS})
