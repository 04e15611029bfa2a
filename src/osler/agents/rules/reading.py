"""Reading a reply for findings: affirmed, denied, or not told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from osler.agents.rules.asked import restates
from osler.agents.rules.knowledge import Finding, Item, knowledge
from osler.agents.rules.naming import is_about, items, named
from osler.agents.rules.polarity import SAYS_YES, UNKNOWN, Polarity, polarity
from osler.language import Language
from osler.language.words import plain, sentences

__all__ = ["Findings", "Polarity", "measured", "polarity", "read_freely", "read_reply"]


Findings = dict[str, bool]
_RATHER = {
    Language.EN: re.compile(r"^(?:[\w']+\s+){1,4}?(?:is|was|are|were) not\b"),
    Language.ZH: re.compile(r"^(?:\S{1,12} )?不是"),
}
"""`It is not when I turn over`: what follows is there instead."""
_NOT_DONE = {
    Language.EN: re.compile(
        r"\b(?:has|have|had)(?:n't| not) (?:ever )?(?:had|been|done)\b|\bnever had\b|^no(?:[.,!]|$)|^nobody\b"
    ),
    Language.ZH: re.compile(r"没(?:有)?\s*(?:给\S{1,2})?(?:查|做|测|量|拍|验)|^没有?啊?(?:[。，！]|$)"),
}
_DONE = {
    Language.EN: re.compile(
        r"^(?:(?:patient|staff|nurse|doctor|i|we|he|she|they)\s+)?"
        r"(?:did|took|made|gave|had|has had|have had|tested|went for)\b"
        r"[^,;]*\b(?:tests?|scans?|samples?|swabs?|x-?rays?|ct|mri|ecg|ultrasound|\w+(?:scopy|gram))\b"
        r"(?!.*\b(?:and|but|show\w*)\b)"
    ),
    Language.ZH: re.compile(
        r"^(?:患者|医生|我|他|她)?\s*(?:做|拍|查|抽|验|测)[了过]\s*[^，。；]{1,16}(?:检查|化验|片子?|超声|CT|镜|试验|血|图)?$"
    ),
}
"""That a test was made, and nothing of what it showed."""
_SAYS_NO = {
    Language.EN: re.compile(r"^(?:well,? |oh,? |um,? )?(?:no|nope|not at all|none|never)(?:[.,!]|$)"),
    Language.ZH: re.compile(r"^(?:嗯|哦|哎)?[，,]?(?:没有?|不是?|不会)啊?(?:[，,。！]|$)"),
}
"""A no that stands by itself: whatever else is told then, it is the answer."""
_NEGATOR = {
    Language.EN: re.compile(
        r"\b(?:no|not|without|never|denies|denied|neither|nor|none|negative|isn't|wasn't|doesn't|didn't|hasn't|haven't|don't"
        r"|nothing|free of|absent|normal)\b"
    ),
    Language.ZH: re.compile(r"没|无|未|不|否认|阴性|正常"),
}
_CLAUSE = {
    Language.EN: re.compile(r"[,.;:!?]|\bbut\b|\bexcept\b|\band then\b"),
    Language.ZH: re.compile(r"[，。；：！？,;!?]|但|不过|就是"),
}
_LEFT_OUT = re.compile(r"\b(?:the|my|his|her|their|your|our) (?=[a-z])")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_NOT_KNOWN = re.compile(r"patient does not know\b|患者 不知道", re.IGNORECASE)


def read_reply(item: Item, reply: str, language: Language) -> Findings:
    """What the reply to a question about an item shows."""
    return dict(_read_reply(item.id, reply, language))


@lru_cache(maxsize=8192)
def _read_reply(item_id: str, reply: str, language: Language) -> tuple[tuple[str, bool], ...]:
    item = items()[item_id]
    said = _answer(item, reply, language)
    told: Findings = {}
    # What is not known is named in full (`patient does not know whether …`), and none of it is shown.
    told_of = (part for part in sentences(reply, language) if not _NOT_KNOWN.match(part))
    level = plain(" ".join(part for part in told_of if not _tells_nothing(item, part, language)))
    for finding in item.findings:
        if finding.cues[language] or finding.numbers:
            shown = _shown(finding, level, language)
            if shown is True or said is not Polarity.UNKNOWN:
                told[finding.id] = bool(shown)
        elif said is not Polarity.UNKNOWN:
            told[finding.id] = said is Polarity.YES
    return tuple(told.items())


def _answer(item: Item, reply: str, language: Language) -> Polarity:
    """Yes, no or unknown, from the sentences that speak of what was asked; a patient may answer more than that."""
    parts = [(_polarity_for(item, sentence, language), sentence) for sentence in sentences(reply, language)]
    plainly = [said for said, sentence in parts if restates(item, sentence, language)]
    if plainly:
        return plainly[0]
    if parts and parts[0][0] is Polarity.NO and _SAYS_NO[language].match(plain(reply).strip()):
        return Polarity.NO
    heard = [part for part in parts if part[0] is not Polarity.UNKNOWN and is_about(item, part[1], language)]
    about = [said for said, _ in heard]
    if heard and about[0] is Polarity.NO and _RATHER[language].match(plain(heard[0][1])):
        return Polarity.NO
    if Polarity.YES in about:
        return Polarity.YES
    if about:
        return Polarity.NO
    first = parts[0][0] if parts else Polarity.UNKNOWN
    if first is Polarity.YES and SAYS_YES[language].match(plain(reply).strip()):
        return Polarity.YES
    # What is denied further on is something else, which the patient was not asked about.
    return Polarity.NO if first is Polarity.NO else Polarity.UNKNOWN


def _polarity_for(item: Item, sentence: str, language: Language) -> Polarity:
    """Yes, no or unknown; that something else was measured and is normal is no yes."""
    said = polarity(sentence, language)
    if _tells_nothing(item, sentence, language):
        return Polarity.UNKNOWN
    if said is Polarity.YES and not any(finding.numbers for finding in item.findings):
        values = [there for name, there in read_freely(sentence, language).items() if name in measured()]
        if values and not any(values):
            return Polarity.UNKNOWN
    return said


def _tells_nothing(item: Item, sentence: str, language: Language) -> bool:
    """Whether it says only that a test was made or was not: that is nothing of what it shows."""
    level = plain(sentence).strip(" .。")
    if _DONE[language].match(level):
        return True
    return item.kind in {"test", "examination"} and _NOT_DONE[language].search(level) is not None


def read_freely(text: str, language: Language) -> Findings:
    """What any sentence shows of any item it names: for opening complaints, asides and a memory's notes."""
    return dict(_read_freely(text, language))


@lru_cache(maxsize=8192)
def _read_freely(text: str, language: Language) -> tuple[tuple[str, bool], ...]:
    told: Findings = {}
    for sentence in sentences(text, language):
        level = plain(sentence)
        if UNKNOWN[language].search(level):
            continue
        for item in named(sentence, language):
            for finding in item.findings:
                if finding.cues[language] or finding.numbers:
                    if (shown := _shown(finding, level, language)) is not None:
                        told[finding.id] = shown
                else:
                    told[finding.id] = not _denied(item, level, language)
    return tuple(told.items())


def _shown(finding: Finding, level: str, language: Language) -> bool | None:
    """True: shown. False: named and denied, or a number within the normal. None: not spoken of."""
    verdict: bool | None = None
    level = _bare(level)
    for cue in finding.cues[language]:
        for place in _places(_bare(cue), level, language):
            if not _negated(level, place, language):
                return True
            verdict = False
    if (rule := finding.numbers.get(language)) is not None:
        for value in _numbers_after(rule.after, level):
            if rule.fits(value):
                return True
            verdict = False
    return verdict


@lru_cache(maxsize=16384)
def _bare(text: str) -> str:
    """Without words that a note leaves out and that decide nothing: `stones in gallbladder`."""
    return _LEFT_OUT.sub("", text)


def _places(cue: str, level: str, language: Language) -> Iterator[int]:
    pattern = re.escape(cue) if language is Language.ZH else rf"\b{re.escape(cue)}"
    return (found.start() for found in re.finditer(pattern, level))


def _negated(level: str, place: int, language: Language) -> bool:
    """Whether a negation stands before the place in its clause."""
    before = level[:place]
    clause = _CLAUSE[language].split(before)[-1]
    return _NEGATOR[language].search(clause) is not None


def _numbers_after(words: tuple[str, ...], level: str) -> Iterator[float]:
    if not words:
        yield from (float(found) for found in _NUMBER.findall(level)[:1])
    for word in words:
        for found in re.finditer(rf"{re.escape(word)}[^\d.]{{0,24}}?(\d+(?:\.\d+)?)", level):
            yield float(found[1])


@cache
def measured() -> frozenset[str]:
    """The findings that a number decides."""
    return frozenset(finding.id for item in knowledge().items for finding in item.findings if finding.numbers)


def _denied(item: Item, level: str, language: Language) -> bool:
    """Whether every mention of the item stands behind a negation."""
    places = [place for name in item.names[language] for place in _places(plain(name), level, language)]
    if not places:
        return _NEGATOR[language].search(level) is not None
    return all(_negated(level, place, language) for place in places)
