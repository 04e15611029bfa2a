"""What is denied in one breath, said one by one: `I neither smoke nor drink` is `I do not smoke and I do not drink`."""

from __future__ import annotations

import re

from osler.memory.tim.extract.english_words import PASTS, THIRDS

_NEITHER = re.compile(r"\bneither (?P<first>[^,.;!?]+?),? nor (?P<second>[^.;!?]+)", re.IGNORECASE)
_BEFORE = re.compile(
    r"\b(?:(?P<has>have|has|had)|(?P<is>am|is|are|was|were)|(?P<may>can|could|will|would|do|does|did)"
    r"|(?P<self>I|we|you|they)|(?P<other>he|she|it))\s+$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|any) ", re.IGNORECASE)
_THERE = re.compile(r"\bthere (?:is|are|was|were)\s+$", re.IGNORECASE)
_DOES = (
    r"smoke(?: cigarettes| tobacco)?|drink(?: any)?(?: alcohol)?|vape|cough|wheeze|vomit|faint|bleed|sweat|snore|itch"
    r"|(?:use|take) (?:any |illicit |illegal |recreational |street )*drugs"
)
_DONE = r"smoked|drunk|vaped|coughed|wheezed|vomited|fainted|bled|sweated|collapsed"
_IN_ONE = re.compile(
    r"\b(?P<who>I|he|she|we|they) (?P<not>(?:(?:do|does|did)(?: not|n['’]t)|never)"
    rf"(?: currently| ever| even)?) (?P<verbs>(?:(?:{_DOES}),? )+)(?:or|nor) (?P<last>(?:{_DOES})\b)",
    re.IGNORECASE,
)
_IN_ONE_DONE = re.compile(
    r"\b(?P<who>I|he|she|we|they) (?P<not>(?:have|has|had)(?: not|n['’]t| never))"
    rf" (?P<verbs>(?:(?:{_DONE}),? )+)(?:or|nor) (?P<last>(?:{_DONE})\b)",
    re.IGNORECASE,
)
"""Verbs that say something without an object: `does not eat or sleep well` is not `does not eat`."""


def one_by_one(reply: str) -> str:
    """The reply with each denial for itself."""
    if "neither" in reply.lower():
        reply = _NEITHER.sub(_denied, reply)
    if " or " in reply or " nor " in reply:
        reply = _IN_ONE_DONE.sub(_apart, _IN_ONE.sub(_apart, reply))
    return reply


def _denied(found: re.Match[str]) -> str:
    """`neither … nor …` with the plain no that its verb takes; before a subject it stays."""
    head = found.string[: found.start()]
    before, first, second = _BEFORE.search(head), found["first"], found["second"]
    if _THERE.search(head) or (before and before["has"]):
        return f"no {_ARTICLE.sub('', first)} or {_ARTICLE.sub('', second)}"
    if before and (before["is"] or before["may"]):
        return f"not {first} or {second}"
    if before and (before["self"] or before["other"]):
        verbs = [part.split(maxsplit=1) for part in (first, second)]
        past = all(verb[0].lower() in PASTS for verb in verbs)
        does = "did" if past else "do" if before["self"] else "does"
        bases = (" ".join((_base(verb[0]), *verb[1:])) for verb in verbs)
        return f"{does} not {' or '.join(bases)}"
    return found[0]


def _base(verb: str) -> str:
    low = verb.lower()
    return PASTS.get(low) or THIRDS.get(low) or low


def _apart(found: re.Match[str]) -> str:
    who, denies = found["who"], found["not"]
    again = who if who == "I" else who.lower()
    first, *others = (*re.findall(rf"{_DONE}|{_DOES}", found["verbs"], re.IGNORECASE), found["last"])
    return ", and ".join((f"{who} {denies} {first}", *(f"{again} {denies} {verb}" for verb in others)))
