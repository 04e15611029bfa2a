"""Reading a reply for findings: affirmed, denied, or not told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import cache, lru_cache

from osler.agents.lexicon import Phrases, concepts, terms
from osler.agents.rules.knowledge import Finding, Item, knowledge
from osler.records.language import Language
from osler.words import content, plain, sentences, words

Findings = dict[str, bool]


class Polarity(Enum):
    """What a reply says to a yes-or-no question."""

    YES = 1
    NO = 0
    UNKNOWN = -1


_UNKNOWN = {
    Language.EN: re.compile(
        r"\b(?:don't know|do(?:es)? not know|no idea|not sure|don't recall|wish i knew|couldn't tell"
        r"|can't (?:tell|remember|say)|hasn't been done|has not been done"
        r"|haven't had (?:that|one|any)(?= (?:test|done|yet)|[.,!]|$)"
        r"|never (?:had|been) (?:that|one|it|tested|measured|checked|done)"
        r"|not (?:been )?(?:done|tested|examined|measured|checked)"
        r"|(?:wasn't|haven't been) (?:done|tested|measured|checked)"
        r"|(?:has|have) not been (?:done|tested|measured|checked)"
        r"|nobody (?:has )?(?:ever )?(?:done|taken|tested|measured|checked|examined|asked))\b"
    ),
    Language.ZH: re.compile(
        r"不(?:太|大)?清楚|不知道|说不上来|记不得|想不起|不太确定|没有?\s*(?:查|做|测|量|拍|验|化验|检查)过|还?没(?:有)?\s*(?:查|做|测|拍)|未(?:查|做|测|行)"
    ),
}
_YES = {
    Language.EN: re.compile(
        r"^(?:well,? |oh,? |um,? )?(?:(?:yes|yeah|yep)\b|(?:i do|i have|i am|(?:he|she|it) (?:is|does|has))[.,!]*$)"
    ),
    Language.ZH: re.compile(r"^(?:嗯|哦|哎)?[，,]?(?:有|是|对|会)"),
}
# A denial stands at the beginning, or in the first few words (`I've had no fever`), or is the verb of the clause.
_DENIAL = {
    Language.EN: re.compile(
        r"^(?:[\w']+,?\s+){0,4}?(?:no|(?<!rather )(?<!can )not|never|none|nothing|nope|neither|without|"
        r"isn't|wasn't|doesn't|don't|didn't|hasn't|haven't)\b"
        r"|^[^,.;]*?\b(?:(?:is|are|was|were|has|have|had|does|do|did) not|can not (?!have|take|stand|bear|tolerate))\b"
    ),
    Language.ZH: re.compile(r"^(?:[^，。；！？,]{0,6}?|\S{1,30} )(?:没|无|未|不(?!过(?!敏)|少|断|停|止)|否认)"),
}
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
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FINE = {
    Language.EN: re.compile(r"\b(?:was|were|is|are|came back|all) (?:\w+ )?(?:negative|normal|fine|clear)\b"),
    Language.ZH: re.compile(r"阴性|正常|没问题|没事"),
}
_OUTCOME = {
    Language.EN: re.compile(r",? and (?:what|was|were|how)\b.*$", re.IGNORECASE),
    Language.ZH: re.compile(r"(?<=？).+$"),
}
"""What a question asks for beyond whether a thing was done: `…, and what did it show?`."""
_RESTATED = 0.8
"""Share of a question's words that a sentence must hold to be the question over again."""
_TELLING = 5.0
"""Weight of shared words from which a reply is about the question: `pain` alone is not, `urine` is."""
_CLEAR = {Language.EN: 0.75, Language.ZH: 0.55}
"""Share of a phrase from which a text speaks of it; Chinese puts words between the parts of a compound."""
_EXACT = 0.93
_QUALITY = (
    "pain-",
    "relation-",
    "onset-",
    "aggravating",
    "relieving",
    "time-of-day",
    "triggers",
    "course",
    "constant-",
)
"""Concepts of how a symptom is, which no single symptom owns."""
_FEW = 2
"""An item whose names mean more concepts than this is too special to be read off one of them."""


_NOT_KNOWN = re.compile(r"patient does not know\b|患者 不知道", re.IGNORECASE)


def polarity(reply: str, language: Language) -> Polarity:
    """Yes, no or not known, by how the reply begins."""
    level = plain(reply).strip()
    if _UNKNOWN[language].search(level):
        return Polarity.UNKNOWN
    if _YES[language].match(level):
        return Polarity.YES
    if _FINE[language].search(level):
        return Polarity.NO
    return Polarity.NO if _DENIAL[language].match(level) else Polarity.YES


def read_reply(item: Item, reply: str, language: Language) -> Findings:
    """What the reply to a question about an item shows."""
    return dict(_read_reply(item.id, reply, language))


@lru_cache(maxsize=8192)
def _read_reply(item_id: str, reply: str, language: Language) -> tuple[tuple[str, bool], ...]:
    item = _items()[item_id]
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
    heard = [part for part in parts if part[0] is not Polarity.UNKNOWN and _is_about(item, part[1], language)]
    about = [said for said, _ in heard]
    if heard and about[0] is Polarity.NO and _RATHER[language].match(plain(heard[0][1])):
        return Polarity.NO
    if Polarity.YES in about:
        return Polarity.YES
    if about:
        return Polarity.NO
    first = parts[0][0] if parts else Polarity.UNKNOWN
    if first is Polarity.YES and _YES[language].match(plain(reply).strip()):
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


def restates(item: Item, sentence: str, language: Language) -> bool:
    """Whether a sentence says the question over again as its answer: `patient does not have a fever or chills`."""
    asked = _asked_whether(language)[item.id]
    return len(asked & words_of_weight(sentence, language)) >= _RESTATED * len(asked)


def weighty(text: str, language: Language) -> tuple[str, ...]:
    """The words of weight in their order; in Chinese the characters, which no cut can change."""
    level = plain(text)
    return tuple(level.replace(" ", "")) if language is Language.ZH else content(level, language)


@cache
def asked_in_words(language: Language, *, outcome: bool = True) -> tuple[tuple[tuple[str, ...], Item], ...]:
    """Items with the words of weight of their questions in order; without an outcome, only what was to be done."""
    return tuple((_words_asked(item.ask[language], language, outcome), item) for item in knowledge().items)


def _words_asked(question: str, language: Language, outcome: bool) -> tuple[str, ...]:
    asked = question if outcome else _OUTCOME[language].sub("", question)
    if language is Language.ZH:
        asked = "".join(word for word in words(asked, language) if content(word, language))
    return weighty(asked, language)


@cache
def _asked_whether(language: Language) -> dict[str, frozenset[str]]:
    """For each item the words of weight of its question, but for those that ask what came of it."""
    return {item.id: frozenset(row) for row, item in asked_in_words(language, outcome=False)}


def words_of_weight(text: str, language: Language) -> frozenset[str]:
    """The same without their order."""
    return frozenset(weighty(text, language))


def _is_about(item: Item, text: str, language: Language) -> bool:
    """Whether a sentence speaks of what was asked."""
    index = concepts(language)
    if index.find(text).keys() & _concepts_of(language)[item.id]:
        return True
    own = frozenset(content(" ".join((item.ask[language], *item.names[language])), language))
    return sum(index.weight(word) for word in own & frozenset(content(text, language))) >= _TELLING


def read_freely(text: str, language: Language) -> Findings:
    """What any sentence shows of any item it names: for opening complaints, asides and a memory's notes."""
    return dict(_read_freely(text, language))


@lru_cache(maxsize=8192)
def _read_freely(text: str, language: Language) -> tuple[tuple[str, bool], ...]:
    told: Findings = {}
    for sentence in sentences(text, language):
        level = plain(sentence)
        if _UNKNOWN[language].search(level):
            continue
        for item in _named(sentence, language):
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
    for cue in finding.cues[language]:
        for place in _places(cue, level, language):
            if not _negated(level, place, language):
                return True
            verdict = False
    if (rule := finding.numbers.get(language)) is not None:
        for value in _numbers_after(rule.after, level):
            if rule.fits(value):
                return True
            verdict = False
    return verdict


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
def _concepts_of(language: Language) -> dict[str, frozenset[str]]:
    """For each item the concepts that its names clearly mean."""
    index = concepts(language)
    return {
        item.id: frozenset(
            c for name in item.names[language] for c, score in index.best(name).items() if score >= _EXACT
        )
        for item in knowledge().items
    }


@cache
def _meant_by(language: Language) -> dict[str, str]:
    """For each concept the one symptom that means just it, or hardly more.

    Where several mean it, as three kinds of headache do, the concept alone tells of none of them.
    """
    meant: dict[str, dict[str, int]] = {}
    for item in knowledge().items:
        own = {concept for concept in _concepts_of(language)[item.id] if not concept.startswith(_QUALITY)}
        if item.kind == "symptom" and len(own) <= _FEW:
            for concept in own:
                meant.setdefault(concept, {})[item.id] = len(own)
    nearest = {
        concept: [name for name, size in sizes.items() if size == min(sizes.values())]
        for concept, sizes in meant.items()
    }
    return {concept: names[0] for concept, names in nearest.items() if len(names) == 1}


@cache
def _names(language: Language) -> Phrases:
    """Items by their names. One that is only `aches` is left out: every pain would be it."""
    index = concepts(language)
    pairs = ((name, item.id) for item in knowledge().items for name in item.names[language])
    telling = ((name, thing) for name, thing in pairs if sum(map(index.weight, terms(name, language))) >= _TELLING)
    return Phrases.of(telling, language)


@cache
def measured() -> frozenset[str]:
    """The findings that a number decides."""
    return frozenset(finding.id for item in knowledge().items for finding in item.findings if finding.numbers)


@cache
def _items() -> dict[str, Item]:
    return {item.id: item for item in knowledge().items}


def _named(sentence: str, language: Language) -> list[Item]:
    """The items a sentence speaks of: by name, or by the one concept that is theirs."""
    found = {name for name, share in _names(language).find(sentence).items() if share >= 0.999}
    spoken = {name for name, share in concepts(language).find(sentence).items() if share >= _CLEAR[language]}
    found |= {_meant_by(language)[concept] for concept in spoken & _meant_by(language).keys()}
    return [_items()[name] for name in sorted(found)]


def _denied(item: Item, level: str, language: Language) -> bool:
    """Whether every mention of the item stands behind a negation."""
    places = [place for name in item.names[language] for place in _places(plain(name), level, language)]
    if not places:
        return _NEGATOR[language].search(level) is not None
    return all(_negated(level, place, language) for place in places)
