"""Whether a reply rests on what the patient was given: each word of weight, affirmed or denied as it was there.

A model invents fluently. It answers a question for an allergy with "Yes, to penicillin", or denies what it has just
been told. Names and numbers alone do not show that, so every word counts that people use to speak of an illness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from osler.agents.guards.given import Given, given
from osler.agents.guards.spoken import called_by_name, touched_on
from osler.agents.lexicon import concepts
from osler.memory.tim.extract.scope import Voices, voices
from osler.records.language import Language
from osler.records.schema import Category, Entry, Status
from osler.words import content, plain, sentences, words

CLAUSE = re.compile(r"[,.;!?，。；！？]\s*")
_STORY = 2
"""Foreign words in one sentence that make it a story, though none of them speaks of an illness."""
_LOOP = 3
"""How often one clause may be said."""
_ALIKE, _SHORTEST = 0.75, 4
"""Share of the longer of two English words that both must begin with to be forms of one, and letters at least."""
_KIN = {
    Language.EN: re.compile(
        r"\b(?:mother|father|mum|mom|dad|sister|brother|grand\w+|uncle|aunt|cousin|niece|nephew|parents?|family|relatives?"
        r"|son|daughter|child|children|wife|husband|kin)\b"
    ),
    Language.ZH: re.compile(
        r"[爸妈父母爷奶姥哥姐弟妹叔伯舅姑姨]|祖[父母]|外[公婆]|家[人属族里]|儿子|女儿|丈夫|妻子|亲戚"
    ),
}
_OWN_KIN = {
    Language.EN: re.compile(
        r"\bmy (?:own )?(?:mother|father|mum|mom|dad|sister|brother|grand\w+|uncle|aunt|parents?|family)\b"
    ),
    Language.ZH: re.compile(r"我的?(?:父亲|母亲|爸|妈|祖[父母]|爷|奶|外[公婆]|姥|哥|姐|弟|妹|父母)"),
}
_I_HAVE = {
    Language.EN: re.compile(
        r"\bi(?:'ve| also| myself| too)* (?:have|had|suffer|got|am|was)\b(?!.*\b(?:no|not|never|none)\b)"
    ),
    Language.ZH: re.compile(r"我(?:自己|本人|也|还|曾经?|以前|之前)*(?:得过?|患有?过?|有|是)(?!.*[没无不未])"),
}
_DENIED = {True}


@cache
def _everyday(language: Language) -> frozenset[str]:
    text = (files("osler.agents.guards") / "everyday" / f"{language}.txt").read_text(encoding="utf-8")
    lines = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(words(lines, language)) if language is Language.EN else frozenset(lines.split())


def invented(reply: Iterable[str], sources: Iterable[str], language: Language) -> tuple[str, ...]:
    """The words in these sentences of a reply that come from nowhere.

    A word that speaks of illness is enough; of others it takes some in one sentence. A thing may be called by another
    of its usual names.
    """
    told = " ".join(sources)
    known, things = _told_in(told, language)
    illness, everyday = concepts(language).idf, _everyday(language)

    def foreign(word: str, sentence: str) -> bool:
        if word in known or word in everyday or word.replace(".", "").isdigit() or _near(word, known, language):
            return False
        if language is Language.ZH and _cut_otherwise(word, sentence, told):
            return False
        named = called_by_name(word, language)
        return not named or not named <= things

    found: dict[str, None] = {}
    for sentence in reply:
        strange = [word for word in dict.fromkeys(content(sentence, language)) if foreign(word, sentence)]
        telling = strange if len(strange) >= _STORY else [word for word in strange if word in illness]
        found.update(dict.fromkeys(telling))
    return tuple(found)


@lru_cache(maxsize=1024)
def _told_in(sources: str, language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """Every word, and the things that are touched on: two drafts of a reply, and its ledger, ask for the same."""
    return frozenset(words(sources, language)), touched_on(sources, language)


def _near(word: str, known: frozenset[str], language: Language) -> bool:
    """Whether it is another form of a word that was given, or in Chinese a part or a compound of one."""
    if language is Language.ZH:
        return len(word) > 1 and any(len(one) > 1 and (word in one or one in word) for one in known)
    begins = word[:_SHORTEST]
    for one in known:
        if not one.startswith(begins):  # most do not, and this is soon seen
            continue
        most = max(_SHORTEST, int(_ALIKE * max(len(one), len(word))))
        if len(one) >= most <= len(word) and one[:most] == word[:most]:
            return True
    return False


def _cut_otherwise(word: str, sentence: str, told: str) -> bool:
    """Whether what was given has each piece of it, and only the segmentation made a word of them: 踝|骨折, 踝骨|折."""
    level = plain(sentence)
    given = plain(told)
    start = level.find(word)
    places = range(start, start + len(word))
    return start >= 0 and all(level[at - 1 : at + 1] in given or level[at : at + 2] in given for at in places if at)


def turned(reply: str, entries: Iterable[Entry], language: Language) -> tuple[str, ...]:
    """The words of illness that a reply denies where the entries affirm them, or the other way round.

    A word that the entries do not have is held against those by which they call the same thing. Who affirms what they
    only deny, and then denies it too, has still said it: "Yes, I smoke. I never smoked."
    """
    chosen = [given(entry, language) for entry in entries]
    theirs = [one for entry in chosen for one in entry.voices]
    mine = [voices(sentence, language) for sentence in sentences(reply, language)]
    illness, everyday = concepts(language).idf, _everyday(language)
    weighty = [word for word in dict.fromkeys(content(reply, language)) if word in illness and word not in everyday]
    return tuple(
        word
        for word in weighty
        if (language is Language.EN or len(word) > 1)
        and (said := _polarity(word, mine))
        and (known := _polarity(word, theirs) or _polarity_of_the_same(word, chosen, theirs, language))
        and (not said & known or (known == _DENIED and said != _DENIED))
    )


def _polarity_of_the_same(word: str, chosen: list[Given], theirs: list[Voices], language: Language) -> set[bool]:
    if not (named := called_by_name(word, language)):
        return set()
    same = {other for entry in chosen for other in entry.words if named & called_by_name(other, language)}
    return {denied for other in same for denied in _polarity(other, theirs)}


def _polarity(word: str, texts: list[Voices]) -> set[bool]:
    return {denied for text in texts for denied in text.of(word)}


def without_kin(reply: str, entries: Iterable[Entry], language: Language) -> tuple[str, ...]:
    """The illnesses of relatives that a reply tells without saying whose they are."""
    if _KIN[language].search(plain(reply)):
        return ()
    ill = [entry for entry in entries if entry.category is Category.FAMILY_HISTORY and entry.status is Status.PRESENT]
    return tuple(entry.name for entry in ill if _KIN[language].search(plain(given(entry, language).text)))


def as_own(reply: str, entries: Iterable[Entry], language: Language) -> tuple[str, ...]:
    """Clauses in which a patient claims an illness that was given as a relative's alone."""
    chosen = [(entry.category is Category.FAMILY_HISTORY, given(entry, language).words) for entry in entries]
    theirs = frozenset[str]().union(*(words for is_kin, words in chosen if is_kin))
    only_theirs = theirs.difference(*(words for is_kin, words in chosen if not is_kin))
    clauses = [clause for clause in CLAUSE.split(plain(reply)) if not _KIN[language].search(clause)]
    return tuple(
        clause
        for clause in clauses
        if only_theirs and _I_HAVE[language].search(clause) and only_theirs & frozenset(content(clause, language))
    )


def of_another_family(reply: str, entries: Iterable[Entry], language: Language) -> bool:
    """Whether somebody who speaks for the patient tells of the patient's relatives as of their own."""
    ill = [entry for entry in entries if entry.category is Category.FAMILY_HISTORY]
    own = _OWN_KIN[language]
    return bool(ill) and own.search(plain(reply)) is not None and not any(own.search(plain(e.said)) for e in ill)


def goes_round(clauses: Iterable[str]) -> bool:
    """Whether a reply says the same clause over and over."""
    return any(times > _LOOP for times in Counter(clause for clause in clauses if clause).values())
