"""Find replies that contradict the record, or claim not to know something they were given.

A false alarm is worse here than a miss: a figure that accuses a patient of what it did not say is of no use. So a reply
contradicts an entry only if it says so plainly, nothing else in it supports the entry, and the record's own words,
which a reply may repeat, do not say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from osler.eval import reply_parser
from osler.eval.reply_parser import clauses, denies, has, only, own_words, statements
from osler.eval.vocabulary import cue
from osler.language import Language
from osler.language.words import content, numbers, plain
from osler.records.schema import RESULTS, Category, Entry, Status


def contradicted(reply: str, question: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """Return the names of retrieved entries whose status a reply contradicts.

    These are: what is present and denied; what is absent and affirmed; a result reported as normal that is not, or as
    abnormal that is normal or was not found; and a result of something never done. `No` and `Yes` alone are compared
    with the question, if that asks for the one entry and nothing else.
    """
    found = []
    for entry in entries:
        others = tuple(one for one in entries if one is not entry)
        if _Comparison(reply, question, entry, others, language).says_opposite():
            found.append(entry.name)
    return tuple(found)


@dataclass(frozen=True)
class _Comparison:
    """A reply compared with one entry."""

    reply: str
    question: str
    entry: Entry
    others: tuple[Entry, ...]
    language: Language

    def says_opposite(self) -> bool:
        match self.entry.status:
            case Status.PRESENT:
                return self._denies_present()
            case Status.ABSENT if self.entry.category not in RESULTS:
                return self._affirms_absent()
            case Status.NOT_DONE:
                return self._tells_undone()
            case _:
                return self._is_told("abnormal", "normal") and not self._has("abnormal", self._own)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return (self.entry.name, *self.entry.aliases)

    @cached_property
    def _own(self) -> str:
        return plain(own_words(self.entry))

    def _has(self, key: str, text: str) -> bool:
        return has(key, text, self.language)

    def _mentions(self, text: str, names: Iterable[str]) -> bool:
        return any(reply_parser.mentions(text, name, self.language) for name in names)

    def _names_said(self, *, denied: bool) -> list[str]:
        """Return names that the record's own words only deny, or only affirm; an alias counts if they mention it."""
        found = []
        for name in self._names:
            about = [one for one in statements(self._own, self.language) if self._mentions(one, [name])]
            is_spoken_of = bool(about) or name == self.entry.name
            if is_spoken_of and all(denies(one, self.language) is denied for one in about):
                found.append(name)
        return found

    def _denies_present(self) -> bool:
        if self.entry.category in RESULTS and self._is_told("normal", "abnormal"):
            return not self._has("normal", self._own) and not self._is_spoken_for()
        if self.entry.category in RESULTS - {Category.SIGN}:
            # That a test was not done is a refusal to report it, not the opposite of its result.
            return False
        names = self._names_said(denied=False)
        if self._answers("says_no", names):
            return True
        plainly = [one.text for one in clauses(self.reply, self.language) if one.is_plain]
        denied = any(
            denies(text.replace(plain(name), " "), self.language) and self._is_only(text, name)
            for text in plainly
            for name in names
        )
        return denied and not self._is_spoken_for()

    def _is_spoken_for(self) -> bool:
        """Check whether some part of the reply supports the entry after all."""
        affirmed = [one for one in statements(self.reply, self.language) if not denies(one, self.language)]
        return any(self._mentions(one, self._names) for one in affirmed) or reply_parser.tells(
            " ".join(affirmed), self.entry, self.language
        )

    def _affirms_absent(self) -> bool:
        names = self._names_said(denied=True)
        if self._answers("says_yes", names):
            return True
        theirs = "\n".join(reply_parser.all_words(one) for one in self.others if one.status is not Status.ABSENT)
        wanted = reply_parser.things(self.entry.name, self.language) - reply_parser.things(theirs, self.language)
        names = [name for name in names if not self._mentions(theirs, [name])]
        about = [
            one
            for one in clauses(self.reply, self.language)
            if wanted & reply_parser.things(one.text, self.language) or self._mentions(one.text, names)
        ]
        if any(self._has("fine", one.statement) or denies(one.statement, self.language) for one in about):
            return False
        return any(one.is_affirmed and one.is_plain for one in about)

    def _tells_undone(self) -> bool:
        said = statements(self.reply, self.language)
        is_open = any(_is_ignorant(one, self.language) for one in said)
        if is_open or self._has("normal", self._own) or self._has("abnormal", self._own):
            return False
        if self._is_told("normal", "abnormal") or self._is_told("abnormal", "normal"):
            return True
        theirs = {word for one in self.others for word in content(reply_parser.all_words(one), self.language)}
        own = {word for name in self._names for word in content(name, self.language) if len(word) > 1} - theirs
        about = [one for one in said if own & set(content(one, self.language))]
        return any(self._has("done", one) for one in about) and not any(denies(one, self.language) for one in about)

    def _answers(self, key: str, names: Sequence[str]) -> bool:
        """Check whether the reply is only yes or no, to a question for this entry alone."""
        is_bare = not self.others and reply_parser.only((key,), plain(self.reply), self.language)
        return is_bare and any(self._is_only(self.question, name) for name in names)

    def _is_only(self, text: str, name: str) -> bool:
        """Check whether a text contains a name and nothing else of weight."""
        filler = cue("reply_cues", "filler", self.language)
        rest, wanted = (reply_parser.level(filler.sub(" ", plain(one)), self.language) for one in (text, name))
        return bool(wanted.strip()) and rest == wanted

    def _is_told(self, this: str, that: str) -> bool:
        """Check whether a clause says this, not that, of the entry: by name, or of the only one without a subject."""
        for clause in clauses(self.reply, self.language):
            rest = clause.text
            for name in self._names:
                # A name may itself hold such a word: `abnormal bleeding`.
                rest = rest.replace(plain(name), " ")
            if not self._has(this, rest):
                continue
            rest = cue("reply_cues", this, self.language).sub(" ", rest)
            is_bare = not self.others and reply_parser.only(("filler", "result_filler"), rest, self.language)
            is_clear = not self._has(that, rest) and not denies(rest, self.language)
            if (
                is_clear
                and reply_parser.is_plain(rest, self.language)
                and (is_bare or self._mentions(clause.text, self._names))
            ):
                return True
        return False


def refuses(reply: str, entries: Sequence[Entry], language: Language) -> bool:
    """Check whether a reply only says not to know, or not done, although an entry has something to tell.

    Saying that nothing was done refuses a result, not a symptom or a history: those it denies. Nor does a `no` refuse
    what is absent.
    """
    said = statements(reply, language)
    ignorant = any(has("unknown", one, language) for one in said)
    undone = any(has("not_done", one, language) for one in said)
    if not ignorant and not undone:
        return False
    known = [entry for entry in entries if _has_content(entry, language)]
    if not any(ignorant or entry.category in RESULTS for entry in known):
        return False
    every = [one for one in clauses(reply, language) if not only(("courtesy",), one.text, language)]
    answered = [one.text for one in every if not has("unknown", one.text, language)]
    says_no = any(has("says_no", text, language) for text in answered[:1])
    if says_no and any(entry.status is Status.ABSENT for entry in known):
        return False
    rest = " ".join(one.text for one in every if not _is_ignorant(one.text, language))
    told = f"{rest} {' '.join(numbers(reply))}"
    return not any(
        reply_parser.mentions(rest, entry.name, language) or reply_parser.tells(told, entry, language)
        for entry in known
    )


def _is_ignorant(text: str, language: Language) -> bool:
    return has("unknown", text, language) or has("not_done", text, language)


def _has_content(entry: Entry, language: Language) -> bool:
    """Check whether the record knows something of it, and its own words do not say otherwise."""
    return entry.status is not Status.NOT_DONE and not _is_ignorant(plain(own_words(entry)), language)
