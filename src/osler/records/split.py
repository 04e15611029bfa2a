"""Split English free text into single statements, so that a question finds the one it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from osler.language import Language, Speaker
from osler.language.cues import cues, finder, pattern
from osler.language.lexicon import concepts
from osler.language.lexicon.phrases import concepts_in
from osler.language.reader import Clause, Sentence, denies_a_list, read
from osler.language.times_and_values import time_finder
from osler.language.words import content, plain, sentences
from osler.ranking import reaches
from osler.records.classify import DENIED, kind_in_story, status_of
from osler.records.schema import Category, Status

EN = Language.EN
_NAME_WORDS = 8
_WHOLE = 0.95
"""Score from which a phrase is the name of one thing."""
_QUALIFIED = re.compile(r"^(?:any |recent |significant |prior |previous |known )+", re.IGNORECASE)
_LONGEST_NAME = 120
_LONGEST_REPORT = 4000
_WRITTEN_OF = Speaker.MOTHER
"""A record that names a baby or a child means its patient, as a mother does."""
_JOINT = re.compile(r"^\W*(?:(?:and|but|or|with)\b\s*)?|\W*\b(?:and|but|or)\W*$", re.IGNORECASE)
_LABELLED = re.compile(r"^[-*•\s\d.)]*([^:：,，。]{2,60})[:：]\s*(.+)$")
_MOST_WORDS_OF_A_LABEL = 6


class TextStatement(NamedTuple):
    """One thing a text says."""

    name: str
    report: str
    status: Status | None = None
    """None: to be taken from the report."""
    when: str = ""
    """The time that its sentence gives before it denies."""


def statements(text: str) -> Iterator[TextStatement]:
    """Split a paragraph into statements; a denial of five things becomes five of them."""
    for line in text.splitlines():
        yield from _in_line(line.strip(" -*•\t"))


def _labelled(text: str) -> TextStatement | None:
    """`Pulse: 85 bpm` names its own statement."""
    match = _LABELLED.match(text)
    # A label is a few words; `He noticed this: …` is a sentence.
    if match is None or len(match[1].split()) > _MOST_WORDS_OF_A_LABEL:
        return None
    return TextStatement(match[1].strip(), match[2].strip().rstrip("。."))


def _in_line(text: str) -> Iterator[TextStatement]:
    labelled = _labelled(text)
    if labelled is not None:
        yield labelled
        return
    for sentence in read(text, EN, _WRITTEN_OF).sentences:
        yield from _in_sentence(sentence)


def _in_sentence(sentence: Sentence) -> Iterator[TextStatement]:
    """The lists of denials thing by thing, and what stands between them in its own words."""
    text = sentence.text.strip(" .;")
    lists = [clause for clause in sentence.clauses if _is_list_of_denials(clause)]
    if finder("exception", EN).search(text):
        lists = []  # what is left out of a denial belongs to it
    end = 0
    for clause in lists:
        start = max(text.find(clause.text, end), end)
        yield from _own_words(text[end:start])
        yield from _denied(clause, text[:start])
        end = start + len(clause.text)
    yield from _own_words(text[end:])


def _own_words(part: str) -> Iterator[TextStatement]:
    """Return what is written beside denials, unchanged."""
    part = _JOINT.sub("", part).strip(" ,.;")
    if part:
        yield TextStatement(_shortened(part), f"{part}.")


def _is_list_of_denials(clause: Clause) -> bool:
    """Check whether each thing of a clause can be denied by itself."""
    if not denies_a_list(clause.text, EN):
        return False
    for mention in clause.mentions:
        if not mention.denied:
            return False
        if mention.value or not clause.text.endswith(mention.when):
            return False  # a time or a value within it keeps its place
        if mention.whose and mention.whose not in cues("family", EN):
            return False  # of somebody who is no relative
    return True


def _denied(clause: Clause, before: str) -> Iterator[TextStatement]:
    """Yield each thing that a clause denies if it is a name, and the clause's words for others.

    "Denies stress at work or takes pills regularly" would be false if it were told of each part.
    """
    times = (match[0].strip() for match in time_finder(EN).finditer(before))
    when = next(filter(None, times), "")
    words = _capitalised(clause.text)
    is_alone = len(clause.mentions) == 1
    has_others = False
    for mention in clause.mentions:
        whose = f"{mention.whose} history of " if mention.whose else ""
        thing = f"{whose}{mention.what} {mention.when}".strip()
        is_name = _is_name(thing)
        if not is_name and not is_alone:
            has_others = True
        elif thing:
            report = f"No {thing}." if is_name else f"{words}."
            yield TextStatement(_capitalised(thing), report, Status.ABSENT, when)
    if has_others:
        yield TextStatement(_shortened(words), f"{words}.", None, when)


def _is_name(thing: str) -> bool:
    """Check whether a phrase names what a patient can be asked about, and nothing more."""
    bare = _QUALIFIED.sub("", thing)
    return any(reaches(score, _WHOLE) for score in concepts(EN).best(bare).values())


def _capitalised(text: str) -> str:
    """The text with a large first letter; `str.capitalize` would make the others small."""
    return text[:1].upper() + text[1:]


def _shortened(text: str) -> str:
    """The beginning of a text as its name."""
    words = text.split()
    if len(words) <= _NAME_WORDS:
        return " ".join(words)
    return " ".join(words[:_NAME_WORDS]) + "…"


_LONGEST_WORD = 8
"""Letters of a bare "None" or "Denied"."""
_STORIES = frozenset({Category.SYMPTOM, Category.MEDICAL_HISTORY})
# A field that was left open: neither a finding nor a denial.
_LEFT_OPEN = re.compile(
    r"(?:(?:data|information|details?|results?) (?:is |are )?)?"
    r"(?:not"
    r" (?:provided|specified|applicable|mentioned|available|documented|given|recorded)|n/?a|unknown"
    r"|no (?:additional |further )?(?:information|data|details)(?: (?:provided|available|given))?)"
    r"(?: (?:for|in|due to|given)\b.*)?",
    re.IGNORECASE,
)


class EntryList:
    """Gathers the entries of an imported record, each under a name of its own."""

    def __init__(self) -> None:
        """Start empty."""
        self.entries: list[dict[str, Any]] = []
        self.unread: list[str] = []
        """Texts that no entry has."""
        self._names: dict[str, int] = {}
        self._seen: set[tuple[str, str]] = set()

    def add(
        self,
        category: Category,
        name: str,
        report: str,
        *,
        status: Status | None = None,
        when: str = "",
        aliases: tuple[str, ...] = (),
        context: str = "",
    ) -> None:
        """Add one entry, unless it is there already; its context tells it from a namesake."""
        name = " ".join(name.split())[:_LONGEST_NAME].strip()
        report = " ".join(report.split())
        if len(report) > _LONGEST_REPORT:
            self.unread.append(report[_LONGEST_REPORT:])
        report = report[:_LONGEST_REPORT]
        if name.strip(" .。").casefold() in DENIED or _LEFT_OPEN.fullmatch(report.strip(" .。")):
            return
        status = status or status_of(report, category)
        name = self._affirmed(name, status)
        if not name or (name.casefold(), report.casefold()) in self._seen:
            return
        self._seen.add((name.casefold(), report.casefold()))
        if context and name.casefold() in self._names:
            name = f"{context}: {name}"
        count = self._names.get(name.casefold(), 0) + 1
        self._names[name.casefold()] = count
        entry = {
            "category": category,
            "name": name if count == 1 else f"{name} ({count})",
            "aliases": list(aliases),
            "status": status,
            "report": report,
            "when": when or None,
        }
        self.entries.append(entry)

    def _affirmed(self, name: str, status: Status) -> str:
        """A name without its denial: "No night sweats" is the absence of night sweats."""
        if status is Status.NOT_DONE:
            cue = pattern("not_done", EN)
            return re.sub(rf"^{cue}|{cue}$", "", name, flags=re.IGNORECASE).strip() or name
        if status is not Status.ABSENT:
            return name
        denial = finder("record_negation", EN).match(name)
        rest = name[denial.end() :].strip() if denial else ""
        return _capitalised(rest) or name

    def add_text(self, category: Category, text: str, *, label: str = "") -> None:
        """Add every statement of a text; a bare `None` becomes one denied entry called `label`."""
        clean = text.strip().strip("。.").strip()
        if not clean or _LEFT_OPEN.fullmatch(clean):
            return
        if label and len(clean) <= _LONGEST_WORD and status_of(clean, category) is Status.ABSENT:
            self.add(category, label, clean, status=Status.ABSENT)
            return
        for statement in statements(text):
            kind = category
            # A story mentions tests and medicines, too.
            if category in _STORIES and statement.status is None:
                kind = _kind_in_story(statement) or category
            self.add(
                kind,
                statement.name,
                statement.report,
                status=statement.status,
                when=statement.when,
            )
        self.unread += self._lost(text)

    def settled(self, complaint: str) -> list[dict[str, Any]]:
        """The entries; only a denial of what the patient has at another time keeps its time."""
        texts = [complaint]
        for entry in self.entries:
            if entry["status"] is Status.PRESENT:
                texts.append(entry["report"])
        levelled = [plain(text) for text in texts]
        meanings = frozenset[str]().union(*(concepts_in(text, EN) for text in texts))
        for entry in self.entries:
            name = entry["name"]
            if meanings.isdisjoint(concepts_in(name, EN)) and not any(
                plain(name) in text for text in levelled
            ):
                entry["when"] = None
        return self.entries

    def _lost(self, text: str) -> list[str]:
        """The sentences of which half of the words are in no entry."""
        entries = " ".join(f"{entry['name']}. {entry['report']}." for entry in self.entries)
        words_of_entries = _things(entries)
        lost = []
        for sentence in sentences(text, EN):
            words = _things(sentence)
            is_lost = 2 * len(words - words_of_entries) > len(words)
            if is_lost and not _LEFT_OPEN.search(sentence):
                lost.append(sentence)
        return lost


def _kind_in_story(statement: TextStatement) -> Category | None:
    if statement.name.rstrip("…") in statement.report:
        return kind_in_story(statement.report)
    return kind_in_story(f"{statement.name}: {statement.report}")


def _things(text: str) -> set[str]:
    """The words of a text without those that deny."""
    return set(content(finder("record_negation", EN).sub(" ", text), EN))
