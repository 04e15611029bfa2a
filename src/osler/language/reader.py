"""Read a text without a model: sentences, clauses, and in each clause what is affirmed, denied, dated or measured."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from osler.language.base import Language, Speaker
from osler.language.cues import any_of, cues, finder, pattern
from osler.language.relatives import own_name, relative_at_start, relative_within
from osler.language.segments import EDGE, Segment, segments, spans
from osler.language.times_and_values import number_finder, quality_finder, time_finder, value_finder
from osler.language.words import sentences

_LABELLED = re.compile(r"^[-*•\s]*([^:：,，。?？]{1,60}?)\s*[:：](?!\d)\s*(.+)$", re.DOTALL)
_BLANKS = re.compile(r"[^\S\n]{2,}")
_BRACKETED = re.compile(r"[（(][^）)]*[）)]")
_QUOTES = "'\"“”‘’"
_LONGEST_LABEL = {Language.EN: 6, Language.ZH: 12}
_SMALL_WORDS = ("the_patient", "subjects", "determiners", "helpers", "fillers", "about")


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a text mentions, and what it says about it."""

    what: str
    """The thing in the text's own words, without those that deny it, date it or say whose it is. Empty if there is only
    a time, value or person, as in a reply completed by its question.

    Empty where only a time, a value or a person is said, as in a reply that its question completes.
    """
    denied: bool = False
    unsure: bool = False
    """Whether the speaker is not certain."""
    whose: str = ""
    """A relative, as the text calls them; empty for the patient."""
    when: str = ""
    """When it happened or how long it has lasted, as the text says."""
    value: str = ""
    """The number and unit that the text gives for it, or the result in a word."""
    said: str = ""
    """The part of the sentence that says it, as written; empty if the reply is a yes or a no to its name."""
    is_asked: bool = False
    """Whether the question names the thing, and the reply only its value or time."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that affirms or denies as one."""

    text: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its clauses."""

    text: str
    clauses: tuple[Clause, ...]
    is_question: bool = False

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, in order."""
        return tuple(mention for clause in self.clauses for mention in clause.mentions)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it was read."""

    language: Language
    sentences: tuple[Sentence, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All clauses, in order."""
        return tuple(clause for sentence in self.sentences for clause in sentence.clauses)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, in order."""
        return tuple(mention for clause in self.clauses for mention in clause.mentions)


@lru_cache(maxsize=4096)
def read(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> Reading:
    """A text as sentences, clauses and mentions; who speaks decides who "my son" is."""
    found: list[Sentence] = []
    person = ""
    for part in sentences(_BLANKS.sub(" ", text), language):
        sentence, person = _sentence(part, language, speaker, person)
        found.append(sentence)
    return Reading(language, tuple(found))


@dataclass(slots=True)
class _Draft:
    """A segment as it is being read."""

    segment: Segment
    fresh: bool
    """Whether it begins a clause; else it adds to the list of the one before."""
    what: str = ""
    denied: bool = False
    denied_back: bool = False
    """Whether a denial at its end also reaches the things listed before it."""
    unsure: bool = False
    whose: str = ""
    whose_here: bool = False
    """Whether only this thing is theirs, and not what is listed after it."""
    when: str = ""
    value: str = ""
    denies: bool = False
    """Whether its own words deny."""


def _sentence(text: str, language: Language, speaker: Speaker, person: str) -> tuple[Sentence, str]:
    """The sentence, and the relative it ends with: the next may go on about them."""
    is_question = text.rstrip(" \"'”").endswith(("?", "？"))
    written, text = text, text.replace("’", "'")
    labelled = None if is_question else _label(text, language)
    clauses: list[Clause] = []
    if labelled:
        label, rest = labelled
        clauses.append(Clause(written, (replace(_result(label, rest, language), said=written),)))
        text = rest if _tells_more(rest, language) else ""
    drafts = _drafts(text, language, speaker, person) if text else []
    clauses += _clauses(drafts, text if labelled else written)
    last = drafts[-1].whose if drafts else ""
    return Sentence(written, tuple(clauses), is_question), last


def _label(text: str, language: Language) -> tuple[str, str] | None:
    """`White cells: 14.2`: a name of a few words, and what is said of it."""
    found = _LABELLED.match(text)
    if found is None:
        return None
    label, rest = found[1].strip(EDGE), found[2].strip(" .。；;")
    size = len(label.split()) if language is Language.EN else len(label)
    talks = finder("subjects", language).match(label)
    return (label, rest) if label and rest and size <= _LONGEST_LABEL[language] and not talks else None


def _result(label: str, rest: str, language: Language) -> Mention:
    bare = rest.strip(EDGE).lower()
    if bare in cues("answer_no", language) or bare in cues("negation_after", language):
        return Mention(label, denied=True, value=rest if bare in cues("qualities", language) else "")
    if bare in cues("answer_yes", language):
        return Mention(label)
    return Mention(label, value=rest)


def _tells_more(rest: str, language: Language) -> bool:
    """Check whether what follows a label is itself a list, a denial or a sentence."""
    bare = rest.strip(EDGE).lower()
    whole = {cue for kind in ("answer_no", "answer_yes", "negation_after", "qualities") for cue in cues(kind, language)}
    parts = segments(rest, language)
    parts = [part for part in parts if part.text.lower() not in whole]
    return bare not in whole and (len(parts) > 1 or _negation(rest, language) is not None)


def _drafts(text: str, language: Language, speaker: Speaker, person: str) -> list[_Draft]:
    drafts: list[_Draft] = []
    for segment in segments(text, language):
        draft = _read_segment(segment, language, speaker)
        before = drafts[-1] if drafts else None
        _inherit(draft, before, person, language)
        if draft.what.lower() in _bare_answers(language):
            draft.what = ""
        if before and draft.denies and segment.text.lower() == "no":  # "Chills, no."
            before.denied = True
        if draft.denied_back and not draft.fresh:
            for earlier in reversed(drafts):
                earlier.denied = True
                if earlier.fresh:
                    break
        drafts.append(draft)
    return _gathered(drafts)


@cache
def _bare_answers(language: Language) -> frozenset[str]:
    """Return the words for yes and no, which by themselves mention nothing."""
    answers = (*cues("answer_yes", language), *cues("answer_no", language), *cues("negation", language))
    return frozenset(answers) - set(cues("sides", language))


def _read_segment(segment: Segment, language: Language, speaker: Speaker) -> _Draft:
    text = segment.text
    draft = _Draft(segment, fresh=_is_fresh(segment, language))
    reach = relative_at_start(text, language, speaker)
    if reach:
        draft.whose, text = reach.whose, reach.rest
        draft.fresh = True
    elif inside := relative_within(text, language, speaker):
        draft.whose, text, draft.whose_here = inside.whose, inside.rest, True
    elif own := own_name(text, language, speaker):
        draft.whose = own
    quality = quality_finder(language).search(text)
    if quality and (not reach or thing(text[: quality.start()], language)):
        draft.value, text = quality[1].strip(), text[: quality.start()]
        draft.denied = quality[1].lower() in cues("negation_after", language)
    if unsure := finder("unsure", language).search(text):
        draft.unsure, text = True, f"{text[: unsure.start()]} {text[unsure.end() :]}"
    text = _take_times_and_values(draft, text, language)
    if (denial := _negation(text, language)) is not None:
        start, end, at_end = denial
        draft.denies = draft.denied = True
        draft.denied_back = at_end
        text = f"{text[:start]} {text[end:]}"
    draft.what = thing(text, language)
    return draft


def _take_times_and_values(draft: _Draft, text: str, language: Language) -> str:
    """Move the time and the value out of a text: what has a unit or a rate is a value, then times, then numbers."""
    value, text = _taken(value_finder(language), text)
    for found in sorted(time_finder(language).finditer(text), key=lambda hit: -len(hit[0])):
        if found[0].strip():
            draft.when = found[0].strip(EDGE)
            text = f"{text[: found.start()]} {text[found.end() :]}"
            break
    number, text = _taken(number_finder(language), text) if not value else ("", text)
    draft.value = draft.value or value or number
    return text


def _taken(finds: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return what a pattern finds in a text, and the text without it."""
    found = [hit[0].strip(EDGE) for hit in finds.finditer(text) if hit[0].strip()]
    return " ".join(found), finds.sub(" ", text) if found else text


def _negation(text: str, language: Language) -> tuple[int, int, bool] | None:
    """Find where a text denies: the cue's start and end, and whether it is at the end and denies what is before it."""
    kept = spans(finder("kept_negation", language), text)
    inner = _subordinate_start(text, language)
    denies = (
        found.span()
        for found in finder("negation", language).finditer(text)
        if found.start() < inner
        and not any(first < found.end() and found.start() < stop and found.end() <= stop for first, stop in kept)
    )
    ends = _denied_at_end(language).search(text)
    if ends and ends.start() > 0 and text[: ends.start()].strip(EDGE):
        return ends.start(), ends.end(), True
    first = next(denies, None)
    return (*first, False) if first else None


@cache
def _denied_at_end(language: Language) -> re.Pattern[str]:
    return re.compile(rf"{pattern('negation_after', language)}\W*$", re.IGNORECASE)


def _subordinate_start(text: str, language: Language) -> int:
    """Return from where on a text is said within another statement: "a feeling that I would not wake up"."""
    found = finder("subordinate", language).search(text)
    head = text[: found.start()] if found else ""
    is_inner = thing(head, language) or finder("determiners", language).search(head)
    return found.end() if found and is_inner else len(text)


def _is_fresh(segment: Segment, language: Language) -> bool:
    """Check whether a segment stands alone: else it continues the list before it."""
    if segment.joint in ("", "but", "."):
        return True
    if language is Language.ZH:
        return segment.joint == ","
    return _own_clause().search(segment.text) is not None


@cache
def _own_clause() -> re.Pattern[str]:
    """An English segment with a subject, a verb, a denial or an affirming word of its own."""
    en = Language.EN
    opened = any_of(
        (*cues("subjects", en), *cues("negation", en), *cues("affirming", en), *cues("first_person", en)), en
    )
    verb = r"\b(?:is|are|was|were|has|have|had|does|do|did|gets?|got|feels?|felt|hurts?|started|came|comes|went|goes)\b"
    return re.compile(rf"^\W*(?:(?:and|so|then|also)\s+)?{opened}|{verb}|\w+'(?:s|ve|m|re|d)\s", re.IGNORECASE)


def _inherit(draft: _Draft, before: _Draft | None, person: str, language: Language) -> None:
    """Copy what a segment takes over from the one before it."""
    text = draft.segment.text
    if before is not None and not draft.fresh:
        # A "no" by itself ("No, sorry, the left one") denies nothing behind it.
        draft.denied = draft.denied or (before.denied and bool(before.what) and not before.denied_back)
        draft.unsure = draft.unsure or before.unsure
    if draft.whose or finder("first_person", language).match(text):
        return
    if before is not None:
        draft.whose = (
            before.whose if not before.whose_here and not re.match(r"(?:it|there|this)\b", text, re.IGNORECASE) else ""
        )
    elif person and finder("third_person", language).match(text):
        draft.whose = person


def _gathered(drafts: list[_Draft]) -> list[_Draft]:
    """Give times, values and people that stand alone to the thing they belong to."""
    found: list[_Draft] = []
    waiting: _Draft | None = None
    for draft in drafts:
        if draft.what:
            if waiting is not None and waiting.when and draft.denied:
                found.append(waiting)
            elif waiting is not None:
                draft.when = draft.when or waiting.when
                if draft.segment.text.lower().startswith(("who ", "that ")):  # "it was my aunt who had a stroke"
                    draft.whose = waiting.whose
                draft.segment = replace(draft.segment, start=waiting.segment.start)
                if waiting.whose and waiting.whose != draft.whose and draft.segment.joint == "list":
                    draft.whose = f"{waiting.whose} {draft.segment.joint and 'and'} {draft.whose}".strip()
            waiting = None
            found.append(draft)
        elif draft.value and not found:
            found.append(draft)
        elif draft.when or draft.value:
            if found and draft.segment.joint != "but":
                found[-1].when = found[-1].when or draft.when
                found[-1].value = found[-1].value or draft.value
                found[-1].segment = replace(found[-1].segment, end=draft.segment.end)
            else:
                waiting = waiting if waiting and waiting.denies else draft
        elif draft.whose:
            waiting = draft
    return found or ([waiting] if waiting else [])


def _clauses(drafts: list[_Draft], sentence: str) -> list[Clause]:
    """Segments into clauses; the things of one list share the time that is said once."""
    groups: list[list[_Draft]] = []
    for draft in drafts:
        if draft.fresh or not groups:
            groups.append([])
        groups[-1].append(draft)
    found = []
    for group in groups:
        times = {draft.when for draft in group if draft.when}
        shared = times.pop() if len(times) == 1 else ""
        text = sentence[group[0].segment.start : group[-1].segment.end]
        found.append(Clause(text, tuple(_mention(each, shared, sentence) for each in group)))
    return found


def denies(text: str, language: Language) -> bool:
    """Check whether anything in a text is denied."""
    return _negation(text, language) is not None


def _mention(draft: _Draft, shared: str, sentence: str) -> Mention:
    said = sentence[draft.segment.start : draft.segment.end]
    return Mention(draft.what, draft.denied, draft.unsure, draft.whose, draft.when or shared, draft.value, said)


def denies_a_list(clause: str, language: Language) -> bool:
    """Check whether a clause of a record opens by denying what it lists: "denies fever or rash", "无头晕、头痛"."""
    opened = _leading(language).match(clause)
    rests = (clause, clause[opened.end() :] if opened else clause, _patient_opening(language).sub("", clause))
    return any(
        (found := finder("record_negation", language).match(rest)) is not None
        and _negation(rest[: found.end() + 4], language) is not None
        for rest in rests
    )


@cache
def _patient_opening(language: Language) -> re.Pattern[str]:
    """Match who is denying, and the time it is said of."""
    who = any_of((*cues("relatives", language), *cues("the_patient", language), *cues("subjects", language)), language)
    gap = r"\s*" if language is Language.EN else ""
    small = any_of(cues("fillers", language), language)
    return re.compile(
        rf"^(?:(?:the\s+)?{who}{gap}|{small}{gap}|(?:{time_finder(language).pattern}){gap})+", re.IGNORECASE
    )


@lru_cache(maxsize=8192)
def thing(text: str, language: Language) -> str:
    """Return what a text mentions: its words without those that carry no meaning at either end."""
    text = _BRACKETED.sub(" ", text)
    text = " ".join(text.split()) if language is Language.EN else "".join(text.split())
    before = None
    while text != before:
        before = text
        text = (
            _trailing(language).sub("", _leading(language).sub("", text.strip(EDGE + _QUOTES)).strip(EDGE)).strip(EDGE)
        )
    return text


@cache
def _leading(language: Language) -> re.Pattern[str]:
    small = any_of((cue for kind in _SMALL_WORDS for cue in cues(kind, language)), language)
    if language is Language.EN:
        return re.compile(rf"^(?:{small}(?:'(?:s|ve|m|re|d|ll))?(?:\s+|$))+", re.IGNORECASE)
    return re.compile(f"^{small}+")


@cache
def _trailing(language: Language) -> re.Pattern[str]:
    small = pattern("trailing", language)
    return re.compile(rf"(?:(?:\s+|^){small})+$" if language is Language.EN else f"{small}+$", re.IGNORECASE)
