"""Replies that say the opposite of what the record holds.

A false alarm is worse here than a miss: a figure that accuses a patient of what it did not say is of no use. So a
reply contradicts an entry only where it says so plainly, nothing else in it speaks for the entry, and the record's
own words, which a reply may repeat, do not say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from osler.eval.measures.asking import TESTS, is_result
from osler.eval.oracle.clauses import clauses, denies, has, is_plain, only, statements
from osler.eval.oracle.names import all_words, level, mentions, own_words, tells, things
from osler.eval.vocabulary import Concept, cue
from osler.language import Language
from osler.language.words import content, plain
from osler.records.schema import Entry, Status


def contradicted(reply: str, question: str, entries: Sequence[Entry], language: Language) -> tuple[str, ...]:
    """The retrieved entries of whose status a reply says the opposite, by name.

    These are: what is present and denied; what is absent and affirmed; a result told as normal that is not, or as
    abnormal that is normal or was not found; and a result of what was never done. `No` and `Yes` alone are held
    against the question, if that asks for the one entry and nothing else.
    """
    held = (
        _Held(reply, question, one, tuple(other for other in entries if other is not one), language) for one in entries
    )
    return tuple(one.entry.name for one in held if one.says_opposite())


@dataclass(frozen=True)
class _Held:
    """A reply held against one entry."""

    reply: str
    question: str
    entry: Entry
    others: tuple[Entry, ...]
    language: Language

    @property
    def names(self) -> tuple[str, ...]:
        return (self.entry.name, *self.entry.aliases)

    def says_opposite(self) -> bool:
        own = plain(own_words(self.entry))
        match self.entry.status:
            case Status.PRESENT:
                return self._denies_present(own)
            case Status.ABSENT if not is_result(self.entry):
                return self._affirms_absent(own)
            case Status.NOT_DONE:
                return self._tells_undone(own)
            case _:
                return self._is_told("abnormal", "normal") and not has("abnormal", own, self.language)

    def _denies_present(self, own: str) -> bool:
        if is_result(self.entry) and self._is_told("normal", "abnormal"):
            return not has("normal", own, self.language) and not self._is_spoken_for()
        if self.entry.category in TESTS:
            # That a test was not done is a refusal to tell of it, not the opposite of its result.
            return False
        names = [
            name
            for name in self.names
            if not self._names_and_denies(own, name) and (name == self.entry.name or mentions(own, name, self.language))
        ]
        if self._answers("says_no", names):
            return True
        denied = any(
            denies(clause.text.replace(plain(name), " "), self.language)
            and clause.is_plain
            and self._is_only(clause.text, name)
            for name in names
            for clause in clauses(self.reply, self.language)
        )
        return denied and not self._is_spoken_for()

    def _is_spoken_for(self) -> bool:
        """Whether some part of the reply tells of the entry after all."""
        affirmed = [one for one in statements(self.reply, self.language) if not denies(one, self.language)]
        return any(mentions(one, name, self.language) for one in affirmed for name in self.names) or tells(
            " ".join(affirmed), self.entry, self.language
        )

    def _affirms_absent(self, own: str) -> bool:
        names = [
            name
            for name in self.names
            if (name == self.entry.name or mentions(own, name, self.language))
            and not any(
                mentions(one, name, self.language) and not denies(one, self.language)
                for one in statements(own, self.language)
            )
        ]
        if self._answers("says_yes", names):
            return True
        theirs = "\n".join(all_words(one) for one in self.others if one.status is not Status.ABSENT)
        wanted = self._things(self.entry.name) - self._things(theirs)
        names = [name for name in names if not mentions(theirs, name, self.language)]

        def is_named(text: str) -> bool:
            return bool(wanted & self._things(text)) or any(mentions(text, name, self.language) for name in names)

        about = [one for one in clauses(self.reply, self.language) if is_named(one.text)]
        if any(has("fine", one.statement, self.language) or denies(one.statement, self.language) for one in about):
            return False
        return any(one.is_affirmed and one.is_plain for one in about)

    def _tells_undone(self, own: str) -> bool:
        if any(has(key, own, self.language) for key in ("normal", "abnormal")):
            return False
        said = statements(self.reply, self.language)
        if any(has(key, one, self.language) for one in said for key in ("unknown", "not_done")):
            return False
        if self._is_told("normal", "abnormal") or self._is_told("abnormal", "normal"):
            return True
        theirs = {word for one in self.others for word in content(all_words(one), self.language)}
        words = {word for name in self.names for word in content(name, self.language) if len(word) > 1} - theirs
        about = [one for one in said if words & set(content(one, self.language))]
        return not any(denies(one, self.language) for one in about) and any(
            has("done", one, self.language) for one in about
        )

    def _things(self, text: str) -> frozenset[Concept]:
        return things(text, self.language)

    def _names_and_denies(self, text: str, name: str) -> bool:
        """Whether a statement names a thing and denies something, be it this or another."""
        return any(
            mentions(one, name, self.language) and denies(one, self.language) for one in statements(text, self.language)
        )

    def _answers(self, key: str, names: Sequence[str]) -> bool:
        """Whether the reply is yes or no and nothing else, to a question for this alone."""
        if self.others or not only((key,), plain(self.reply), self.language):
            return False
        return any(self._is_only(plain(self.question), name) for name in names)

    def _is_only(self, text: str, name: str) -> bool:
        """Whether a text holds a name and nothing else of weight."""
        filler = cue("reply_cues", "filler", self.language)
        rest, wanted = (level(filler.sub(" ", plain(part)), self.language) for part in (text, name))
        return bool(wanted.strip()) and rest == wanted

    def _is_told(self, this: str, that: str) -> bool:
        """Whether a clause says this of the entry and not that: by name or, of the only entry, with no other subject."""
        for clause in (one.text for one in clauses(self.reply, self.language)):
            named = any(mentions(clause, name, self.language) for name in self.names)
            rest = clause
            for name in self.names:
                # A name may itself hold such a word: `abnormal bleeding`.
                rest = rest.replace(plain(name), " ")
            if not has(this, rest, self.language):
                continue
            rest = cue("reply_cues", this, self.language).sub(" ", rest)
            alone = not self.others and only(("filler", "result_filler"), rest, self.language)
            if (named or alone) and not has(that, rest, self.language) and not denies(rest, self.language):
                if is_plain(rest, self.language):
                    return True
        return False
