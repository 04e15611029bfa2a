"""Whether a reply calls all results normal at once where the record does not say so of each.

A doctor who hears that the tests were normal before it hears the one that was not stops thinking of the illness.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from osler.agents.guards.measured import measurement
from osler.records.language import Language
from osler.records.schema import RESULTS, Entry
from osler.words import content, plain

_ALL_NORMAL = {
    Language.EN: re.compile(
        r"\b(?:(?:blood|lab|laboratory|other) (?:and \w+ |or \w+ )?(?:tests?|works?|results?)(?: results?)?|bloods|labs"
        r"|(?:test|scan) results|results|imaging|scans)(?: (?:all|i had|they did|she had|he had))?"
        r"(?:,? and (?:they|it|everything|all of them))? (?:were|was|are|is|c[ao]me back|look(?:ed)?)"
        r"(?: all| both| completely| quite)? (?:normal|fine|unremarkable|okay|ok|in order)\b"
        r"|\beverything (?:in|on) (?:the |my |his |her )?(?:bloods?|tests?|results|labs)[^.,;]{0,20}\b(?:normal|fine)\b"
    ),
    Language.ZH: re.compile(
        r"(?:抽血|验血|血液)?(?:化验|检验|检查)(?:的)?结果(?:是|都|均|全部|全|一切|基本|也|算)*正常"
        r"|(?:抽血|验血|血液)(?:的)?(?:化验|检查|检验|结果)?(?:是|都|均|全部|全|一切|基本|也|算)*正常"
    ),
}
"""One verdict on all results at once."""
_FINE = {
    Language.EN: re.compile(r"\b(?:normal|negative|unremarkable|no abnormal\w*|no evidence|none (?:seen|found))\b"),
    Language.ZH: re.compile(r"正常|阴性|未见|无异常|没有异常"),
}
_NOT_FINE = {
    Language.EN: re.compile(
        r"\b(?:high|higher|low|lower|elevated|raised|increased|decreased|reduced|positive|abnormal|enlarged|deficien\w+"
        r"|above|prolonged)\b"
    ),
    Language.ZH: re.compile(r"[升偏增过]高|高于|[降偏减]低|低于|阳性|(?<![无见])异常|增[大厚多]|减[少退]|延长|缺乏"),
}


def normal_overall(reply: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """The verdicts on all results in a reply that the results given to it do not bear out."""
    results = [entry for entry in entries if entry.category in RESULTS]
    if all(_is_fine(entry, language) for entry in results):
        return ()
    return tuple(said for said in _of_all(plain(reply), language) if not _names_one(said, results, language))


def _of_all(reply: str, language: Language) -> Iterator[str]:
    """Where a reply calls all results normal at once, with the words before it in the clause."""
    for said in _ALL_NORMAL[language].finditer(reply):
        begins = max(reply.rfind(mark, 0, said.start()) for mark in "，。；！？,.;!?:：") + 1
        yield reply[begins : said.end()].strip()


def _names_one(said: str, entries: Sequence[Entry], language: Language) -> bool:
    words = frozenset(content(said, language))
    return any(frozenset(content(entry.name, language)) <= words for entry in entries)


def _is_fine(entry: Entry, language: Language) -> bool:
    """Whether a report says that all of it is as it should be; a bare number says nothing."""
    if (one := measurement(entry.report, language)) is not None:
        return one.is_normal()
    report = plain(entry.report)
    return bool(_FINE[language].search(report)) and not _NOT_FINE[language].search(report)
