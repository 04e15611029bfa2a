"""Replies that say the opposite of what the record holds.

A false alarm is worse here than a miss: a figure that accuses a patient of what it did not say is of no use. So a
reply contradicts an entry only where it says so plainly, nothing else in it speaks for the entry, and the record's
own words, which a reply may repeat, do not say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from osler.eval.measures.asking import TESTS, is_result
from osler.eval.measures.not_told import tells_nothing
from osler.eval.measures.statements import (
    affirms,
    clauses,
    denies,
    denies_some,
    mentions,
    negative,
    only_besides,
    own_words,
    real,
    speaks_of,
    statements,
    tells,
)
from osler.language import Language
from osler.language.words import plain, sentences, words
from osler.records.schema import Entry, Status

_NO = {
    Language.EN: re.compile(
        r"(?>(?:oh|well|um|doctor|no|nope|nah|none|never|not really|not at all|at all|sorry"
        r"|(?:i|he|she|they|we|it|there) (?:\w+n't|(?:do|does|did|have|has|had|is|was|am) not))\b[,.! ]*)++"
    ),
    Language.ZH: re.compile(r"(?>(?:嗯|哦|医生|没有过|从来没有|没有|没|不会|不是|无)[的啊呀呢,。! ]*)++"),
}
_YES = {
    Language.EN: re.compile(
        r"(?>(?:oh|well|um|doctor|yes|yeah|yep"
        r"|(?:i|he|she|they|we|it|there) (?:do|does|did|have|has|had|is|was|am))\b[,.! ]*)++"
    ),
    Language.ZH: re.compile(r"(?>(?:嗯|哦|医生|有过|有|是|对)[的啊呀呢,。! ]*)++"),
}
"""Replies that are yes or no and nothing else. Every step is final, so that no reply can make the search long."""
_FINE = {
    Language.EN: re.compile(
        r"(?<!not )(?<!n't )(?<!ab)\bnormal\b|\bunremarkable\b|\bnegative\b"
        r"|\bnothing (?:abnormal|unusual|wrong)\b|\bno abnormalit\w+"
    ),
    Language.ZH: re.compile(r"(?<!不)(?<!不太)(?<!不大)正常|阴性|(?:没有?|未见|无)(?:明显|发现)?(?:异常|问题)"),
}
_BAD = {
    Language.EN: re.compile(
        r"\babnormal\b|(?:\bnot|n't) (?:\w+ )?normal\b|\bpositive\b|\belevated\b|\btoo (?:high|low)\b"
    ),
    Language.ZH: re.compile(
        r"不(?:太|大)?正常|阳性|(?<!没有)(?<!没)(?<!未见)(?<!无)(?<!明显)(?<!发现)异常|升高|偏高|偏低|降低"
    ),
}
_RESULT_EN = frozenset(
    words(
        "it its they them the this that my his her results result test tests all everything was were is are came come"
        " back show showed shows said told me us doctor nurse normal abnormal unremarkable negative positive elevated"
        " nothing unusual wrong no not wasn't weren't isn't aren't too high low quite completely totally a an report"
        " abnormality abnormalities yes no well oh",
        Language.EN,
    )
)
_RESULT_ZH = re.compile(
    r"(?>结果|检查|化验|报告|单子上|单子|都|是|很|挺|有点|说|医生|护士|显示|查出来|出来|一切|基本|的|了|也|写着|写|我|他|她|它"
    r"|这个|那个|做|查|过|嗯)*+"
)
"""Words beside a result's that name nothing it could be the result of."""


def contradicted(reply: str, question: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """The retrieved entries of whose status a reply says the opposite, by name.

    These are: what is present and denied; what is absent and affirmed; a result told as normal that is not, or as
    abnormal that is normal or was not found; and a result of what was never done. `No` and `Yes` alone are held
    against the question, if that asks for the one entry and nothing else.
    """

    def says_opposite(entry: Entry) -> bool:
        others = [one for one in entries if one is not entry]
        return _OPPOSITE[entry.status](reply, question, entry, others, language)

    return tuple(entry.name for entry in entries if says_opposite(entry))


def _denies_present(reply: str, question: str, entry: Entry, others: list[Entry], language: Language) -> bool:
    own = own_words(entry)
    if is_result(entry) and _is_told(_FINE, _BAD, reply, entry, others, language):
        return not _FINE[language].search(plain(own)) and not _speaks_for(reply, entry, language)
    if entry.category in TESTS:
        # That a test was not done is a refusal to tell of it, not the opposite of its result.
        return False
    names = [
        name
        for name in (entry.name, *entry.aliases)
        if not denies_some(own, name, language) and (name == entry.name or speaks_of(own, name, language))
    ]
    if not others and _answers(_NO, reply, language) and _asks_only_for(question, names, language):
        return True
    return any(denies(reply, name, language) for name in names) and not _speaks_for(reply, entry, language)


def _speaks_for(reply: str, entry: Entry, language: Language) -> bool:
    """Whether some part of the reply tells of the entry after all."""
    if any(speaks_of(reply, name, language) for name in (entry.name, *entry.aliases)):
        return True
    affirmed = [one for one in statements(reply, language) if not negative(one, language)]
    return tells(" ".join(affirmed), entry, language)


def _affirms_absent(reply: str, question: str, entry: Entry, others: list[Entry], language: Language) -> bool:
    own = own_words(entry)
    if is_result(entry):
        return _tells_abnormal(reply, question, entry, others, language)
    names = [
        name
        for name in (entry.name, *entry.aliases)
        if not speaks_of(own, name, language) and (name == entry.name or denies_some(own, name, language))
    ]
    if not others and _answers(_YES, reply, language) and _asks_only_for(question, names, language):
        return True
    theirs = [f"{one.name}\n{own_words(one)}" for one in others]
    return any(
        affirms(reply, name, language)
        and not denies_some(reply, name, language)
        and not any(mentions(text, name, language) for text in theirs)
        for name in names
    )


def _tells_abnormal(reply: str, _question: str, entry: Entry, others: list[Entry], language: Language) -> bool:
    return _is_told(_BAD, _FINE, reply, entry, others, language) and not _BAD[language].search(plain(own_words(entry)))


def _tells_undone(reply: str, _question: str, entry: Entry, others: list[Entry], language: Language) -> bool:
    own = plain(own_words(entry))
    if _FINE[language].search(own) or _BAD[language].search(own):
        return False
    if any(tells_nothing(sentence, language) for sentence in sentences(reply, language)):
        return False
    return any(_is_told(this, that, reply, entry, others, language) for this, that in ((_FINE, _BAD), (_BAD, _FINE)))


_OPPOSITE: dict[Status, Callable[[str, str, Entry, list[Entry], Language], bool]] = {
    Status.PRESENT: _denies_present,
    Status.ABSENT: _affirms_absent,
    Status.NORMAL: _tells_abnormal,
    Status.NOT_DONE: _tells_undone,
}

Words = dict[Language, re.Pattern[str]]


def _is_told(this: Words, that: Words, reply: str, entry: Entry, others: list[Entry], language: Language) -> bool:
    """Whether a clause says this of the entry and not that: by name or, of the only entry, with no other subject."""
    names = (entry.name, *entry.aliases)
    for clause in (one for one in clauses(reply, language) if this[language].search(one)):
        named = any(mentions(clause, name, language) for name in names)
        # A name may itself hold such a word: `abnormal bleeding`.
        said = _without(names, clause) if named else clause
        rest = this[language].sub(" ", said)
        if rest == said or that[language].search(rest):
            continue
        if (named or (not others and _has_no_subject(clause, rest, language))) and _is_plain(rest, language):
            return True
    return False


def _without(names: Sequence[str], clause: str) -> str:
    for name in names:
        clause = clause.replace(plain(name), " ")
    return clause


def _has_no_subject(clause: str, rest: str, language: Language) -> bool:
    if language is Language.ZH:
        return _RESULT_ZH.fullmatch(re.sub(r"\s+", "", rest)) is not None
    return _RESULT_EN.issuperset(words(clause, language))


def _is_plain(rest: str, language: Language) -> bool:
    """Whether what stands beside a result's word leaves it as it is."""
    return not negative(rest, language) and real(rest, language)


def _answers(words_: Words, reply: str, language: Language) -> bool:
    return words_[language].fullmatch(plain(reply).strip()) is not None


def _asks_only_for(question: str, names: Sequence[str], language: Language) -> bool:
    return any(only_besides(question, name, language) for name in names)
