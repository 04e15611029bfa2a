"""Read a text without a model: what each of its clauses affirms, denies, dates or measures."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain

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
_BEHIND_CUE = 4
"""Characters behind a cue that may belong to it."""
_SMALL_WORDS = ("the_patient", "subjects", "determiners", "helpers", "fillers", "about")
"""Kinds of cues that name no thing by themselves."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a text mentions, and what it says about it."""

    what: str
    """The thing in the text's own words, without those that deny it, date it or say whose it is.

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
    """The part of the sentence that says it, as written.

    Empty if the reply is a yes or a no to its name.
    """
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
        return tuple(chain.from_iterable(clause.mentions for clause in self.clauses))


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it was read."""

    language: Language
    sentences: tuple[Sentence, ...]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All clauses, in order."""
        return tuple(chain.from_iterable(sentence.clauses for sentence in self.sentences))

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions, in order."""
        return tuple(chain.from_iterable(clause.mentions for clause in self.clauses))


@lru_cache(maxsize=4096)
def read(text: str, language: Language, speaker: Speaker = Speaker.PATIENT) -> Reading:
    """A text as sentences, clauses and mentions; who speaks decides who "my son" is."""
    read_sentences: list[Sentence] = []
    person = ""
    for part in sentences(_BLANKS.sub(" ", text), language):
        sentence, person = _sentence(part, language, speaker, person)
        read_sentences.append(sentence)
    return Reading(language, tuple(read_sentences))


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
    begins_with_person: bool = False
    """Whether its first words say whom it is about."""
    whose_here: bool = False
    """Whether only this thing is theirs, and not what is listed after it."""
    when: str = ""
    value: str = ""
    denies: bool = False
    """Whether its own words deny."""


def _sentence(text: str, language: Language, speaker: Speaker, person: str) -> tuple[Sentence, str]:
    """The sentence, and the relative it ends with: the next may go on about them."""
    is_question = text.rstrip(" \"'”").endswith(("?", "？"))
    written = text
    text = text.replace("’", "'")
    label_and_rest = None if is_question else _label(text, language)
    clauses: list[Clause] = []
    if label_and_rest is None:
        drafts = _drafts(text, language, speaker, person) if text else []
        clauses += _clauses(drafts, written)
    else:
        label, rest = label_and_rest
        result = replace(_result(label, rest, language), said=written)
        clauses.append(Clause(written, (result,)))
        drafts = []
        if _tells_more(rest, language):
            drafts = _drafts(rest, language, speaker, person)
            clauses += _clauses(drafts, rest)
    last_person = drafts[-1].whose if drafts else ""
    return Sentence(written, tuple(clauses), is_question), last_person


def _label(text: str, language: Language) -> tuple[str, str] | None:
    """`White cells: 14.2`: a name of a few words, and what is said of it."""
    match = _LABELLED.match(text)
    if match is None:
        return None
    label = match[1].strip(EDGE)
    rest = match[2].strip(" .。；;")
    size = len(label.split()) if language is Language.EN else len(label)
    if not label or not rest or size > _LONGEST_LABEL[language]:
        return None
    # "I said: no" is a sentence and no label.
    if finder("subjects", language).match(label):
        return None
    return label, rest


def _result(label: str, rest: str, language: Language) -> Mention:
    bare = rest.strip(EDGE).lower()
    if bare in cues("answer_no", language) or bare in cues("negation_after", language):
        value = rest if bare in cues("qualities", language) else ""
        return Mention(label, denied=True, value=value)
    if bare in cues("answer_yes", language):
        return Mention(label)
    return Mention(label, value=rest)


def _tells_more(rest: str, language: Language) -> bool:
    """Check whether what follows a label is itself a list, a denial or a sentence."""
    whole_results = _whole_results(language)
    if rest.strip(EDGE).lower() in whole_results:
        return False
    parts = [part.text.lower() for part in segments(rest, language)]
    more = [part for part in parts if part not in whole_results]
    return len(more) > 1 or _negation(rest, language) is not None


@cache
def _whole_results(language: Language) -> frozenset[str]:
    """Return the words that are a whole result behind a label: `Fever: no`."""
    kinds = ("answer_no", "answer_yes", "negation_after", "qualities")
    return frozenset(chain.from_iterable(cues(kind, language) for kind in kinds))


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
            _deny_list(drafts)
        drafts.append(draft)
    return _gather(drafts)


def _deny_list(drafts: list[_Draft]) -> None:
    """Deny all things of the list that is being read."""
    for draft in reversed(drafts):
        draft.denied = True
        if draft.fresh:  # where the list begins
            return


@cache
def _bare_answers(language: Language) -> frozenset[str]:
    """Return the words for yes and no, which by themselves mention nothing."""
    kinds = ("answer_yes", "answer_no", "negation")
    answers = frozenset(chain.from_iterable(cues(kind, language) for kind in kinds))
    return answers - set(cues("sides", language))


def _read_segment(segment: Segment, language: Language, speaker: Speaker) -> _Draft:
    draft = _Draft(segment, fresh=_is_fresh(segment, language))
    # Each step takes out of the text what it reads, so that the thing itself is left.
    text = _take_person(draft, segment.text, language, speaker)
    text = _take_quality(draft, text, language, is_about_relative=draft.begins_with_person)
    unsure = finder("unsure", language).search(text)
    if unsure:
        draft.unsure = True
        text = _without(text, unsure.start(), unsure.end())
    text = _take_times_and_values(draft, text, language)
    denial = _negation(text, language)
    if denial is not None:
        start, end, at_end = denial
        draft.denies = draft.denied = True
        draft.denied_back = at_end
        text = _without(text, start, end)
    draft.what = thing(text, language)
    return draft


def _without(text: str, start: int, end: int) -> str:
    return f"{text[:start]} {text[end:]}"


def _take_person(draft: _Draft, text: str, language: Language, speaker: Speaker) -> str:
    """Move out of a text whom it is about."""
    person = relative_at_start(text, language, speaker)
    if person:
        draft.whose = person.whose
        draft.begins_with_person = draft.fresh = True
        return person.rest
    person = relative_within(text, language, speaker)
    if person:
        draft.whose = person.whose
        draft.whose_here = True
        return person.rest
    draft.whose = own_name(text, language, speaker)
    return text


def _take_quality(draft: _Draft, text: str, language: Language, *, is_about_relative: bool) -> str:
    """Move a result in a word out of a text: "the scan was normal".

    Of a relative who "is healthy" it is the thing itself, as nothing else is left.
    """
    quality = quality_finder(language).search(text)
    if quality is None:
        return text
    rest = text[: quality.start()]
    if is_about_relative and not thing(rest, language):
        return text
    draft.value = quality[1].strip()
    draft.denied = quality[1].lower() in cues("negation_after", language)
    return rest


def _take_times_and_values(draft: _Draft, text: str, language: Language) -> str:
    """Move the time and the value out of a text.

    What has a unit or a rate is a value, then times, then numbers.
    """
    value, text = _take_all(value_finder(language), text)
    times = [match for match in time_finder(language).finditer(text) if match[0].strip()]
    if times:
        longest = max(times, key=lambda match: len(match[0]))
        draft.when = longest[0].strip(EDGE)
        text = _without(text, longest.start(), longest.end())
    if not value:
        value, text = _take_all(number_finder(language), text)
    draft.value = draft.value or value
    return text


def _take_all(finds: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return what a pattern finds in a text, and the text without it."""
    matches = [match[0].strip(EDGE) for match in finds.finditer(text) if match[0].strip()]
    if not matches:
        return "", text
    return " ".join(matches), finds.sub(" ", text)


def _negation(text: str, language: Language) -> tuple[int, int, bool] | None:
    """Find where a text denies.

    The cue's start and end, and whether it is at the end and denies what is before it.
    """
    at_end = _denied_at_end(language).search(text)
    if at_end and text[: at_end.start()].strip(EDGE):
        return at_end.start(), at_end.end(), True
    # "can't sleep" mentions something: what is kept is no denial of it.
    idioms = spans(finder("kept_negation", language), text)
    inner = _subordinate_start(text, language)
    for cue in finder("negation", language).finditer(text):
        if cue.start() < inner and not _ends_within(cue, idioms):
            return cue.start(), cue.end(), False
    return None


def _ends_within(cue: re.Match[str], stretches: list[tuple[int, int]]) -> bool:
    """Check whether a cue overlaps one of these stretches and does not reach beyond it."""
    return any(start < cue.end() <= end for start, end in stretches if cue.start() < end)


@cache
def _denied_at_end(language: Language) -> re.Pattern[str]:
    return re.compile(rf"{pattern('negation_after', language)}\W*$", re.IGNORECASE)


def _subordinate_start(text: str, language: Language) -> int:
    """Return where a statement within another begins: "a feeling that I would not wake up".

    The end of the text if there is none.
    """
    match = finder("subordinate", language).search(text)
    if match is None:
        return len(text)
    head = text[: match.start()]
    is_inner = thing(head, language) or finder("determiners", language).search(head)
    if is_inner:
        return match.end()
    return len(text)


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
    kinds = ("subjects", "negation", "affirming", "first_person")
    opening = any_of(chain.from_iterable(cues(kind, en) for kind in kinds), en)
    verbs = (
        "is|are|was|were|has|have|had|does|do|did|gets?|got|feels?|felt|hurts?|started|came|comes"
        "|went|goes"
    )
    ways = (
        rf"^\W*(?:(?:and|so|then|also)\s+)?{opening}",
        rf"\b(?:{verbs})\b",
        r"\w+'(?:s|ve|m|re|d)\s",
    )
    return re.compile("|".join(ways), re.IGNORECASE)


def _inherit(draft: _Draft, before: _Draft | None, person: str, language: Language) -> None:
    """Copy what a segment takes over from the one before it."""
    text = draft.segment.text
    if before is not None and not draft.fresh:
        # A "no" by itself ("No, sorry, the left one") denies nothing behind it.
        hands_on_denial = before.denied and bool(before.what) and not before.denied_back
        draft.denied = draft.denied or hands_on_denial
        draft.unsure = draft.unsure or before.unsure
    if draft.whose or finder("first_person", language).match(text):
        return
    if before is not None:
        # "it", "there" and "this" go on about no person.
        is_impersonal = re.match(r"(?:it|there|this)\b", text, re.IGNORECASE)
        if not before.whose_here and not is_impersonal:
            draft.whose = before.whose
    elif person and finder("third_person", language).match(text):
        draft.whose = person


def _gather(drafts: list[_Draft]) -> list[_Draft]:
    """Give times, values and people that stand alone to the thing they belong to.

    At most one draft waits for the thing behind it. A newer one takes its place, unless what waits
    is a denial; what waits when the sentence ends is kept only if there is nothing else.
    """
    gathered: list[_Draft] = []
    waiting: _Draft | None = None
    for draft in drafts:
        if draft.what:
            # "For three days, a headache": the time belongs to the thing. "Not since Monday, no
            # cough": the thing has a denial of its own, and the time stays by itself.
            if waiting is not None and waiting.when and draft.denied:
                gathered.append(waiting)
            elif waiting is not None:
                _add_waiting(draft, waiting)
            waiting = None
            gathered.append(draft)
        elif draft.value and not gathered:
            # "38.5": what it is the value of, the question says.
            gathered.append(draft)
        elif draft.when or draft.value:
            goes_back = gathered and draft.segment.joint != "but"
            if goes_back:
                # "A headache, for three days"
                _add_behind(gathered[-1], draft)
            elif waiting is None or not waiting.denies:
                waiting = draft
        elif draft.whose:
            # "My mother, a stroke"
            waiting = draft
        # A draft with none of these is a bare "no" or "yes", and what it denies is known already.
    if not gathered and waiting is not None:
        return [waiting]
    return gathered


def _add_waiting(draft: _Draft, waiting: _Draft) -> None:
    """Add to a thing the time or the person before it."""
    segment = draft.segment
    draft.when = draft.when or waiting.when
    if segment.text.lower().startswith(("who ", "that ")):  # "it was my aunt who had a stroke"
        draft.whose = waiting.whose
    draft.segment = replace(segment, start=waiting.segment.start)
    if waiting.whose and waiting.whose != draft.whose and segment.joint == "list":
        draft.whose = f"{waiting.whose} and {draft.whose}".strip()


def _add_behind(draft: _Draft, detail: _Draft) -> None:
    """Add to a thing the time or the value behind it."""
    draft.when = draft.when or detail.when
    draft.value = draft.value or detail.value
    draft.segment = replace(draft.segment, end=detail.segment.end)


def _clauses(drafts: list[_Draft], sentence: str) -> list[Clause]:
    """Segments into clauses; the things of one list share the time that is said once."""
    groups: list[list[_Draft]] = []
    for draft in drafts:
        if draft.fresh or not groups:
            groups.append([])
        groups[-1].append(draft)
    clauses = []
    for group in groups:
        times = {draft.when for draft in group if draft.when}
        shared_time = times.pop() if len(times) == 1 else ""
        text = sentence[group[0].segment.start : group[-1].segment.end]
        mentions = tuple(_mention(draft, shared_time, sentence) for draft in group)
        clauses.append(Clause(text, mentions))
    return clauses


def denies(text: str, language: Language) -> bool:
    """Check whether anything in a text is denied."""
    return _negation(text, language) is not None


def _mention(draft: _Draft, shared_time: str, sentence: str) -> Mention:
    return Mention(
        draft.what,
        denied=draft.denied,
        unsure=draft.unsure,
        whose=draft.whose,
        when=draft.when or shared_time,
        value=draft.value,
        said=sentence[draft.segment.start : draft.segment.end],
    )


def denies_a_list(clause: str, language: Language) -> bool:
    """Check whether a clause of a record opens by denying what it lists.

    Such clauses are "denies fever or rash" and "无头晕、头痛".
    """
    opening = _leading(language).match(clause)
    rests = (
        clause,
        clause[opening.end() :] if opening else clause,
        _patient_opening(language).sub("", clause),
    )
    for rest in rests:
        cue = finder("record_negation", language).match(rest)
        # With the characters behind it, as a cue may be a part of an idiom that denies nothing.
        if cue and _negation(rest[: cue.end() + _BEHIND_CUE], language) is not None:
            return True
    return False


@cache
def _patient_opening(language: Language) -> re.Pattern[str]:
    """Match who is denying, and the time it is said of."""
    kinds = ("relatives", "the_patient", "subjects")
    who = any_of(chain.from_iterable(cues(kind, language) for kind in kinds), language)
    gap = r"\s*" if language is Language.EN else ""
    small = any_of(cues("fillers", language), language)
    return re.compile(
        rf"^(?:(?:the\s+)?{who}{gap}|{small}{gap}|(?:{time_finder(language).pattern}){gap})+",
        re.IGNORECASE,
    )


@lru_cache(maxsize=8192)
def thing(text: str, language: Language) -> str:
    """Return what a text mentions: its words without those that carry no meaning at either end."""
    text = _BRACKETED.sub(" ", text)
    text = " ".join(text.split()) if language is Language.EN else "".join(text.split())
    leading = _leading(language)
    trailing = _trailing(language)
    before = None
    # What is cut off at one end may uncover more at the other.
    while text != before:
        before = text
        text = leading.sub("", text.strip(EDGE + _QUOTES)).strip(EDGE)
        text = trailing.sub("", text).strip(EDGE)
    return text


@cache
def _leading(language: Language) -> re.Pattern[str]:
    small_words = chain.from_iterable(cues(kind, language) for kind in _SMALL_WORDS)
    small = any_of(small_words, language)
    if language is Language.EN:
        return re.compile(rf"^(?:{small}(?:'(?:s|ve|m|re|d|ll))?(?:\s+|$))+", re.IGNORECASE)
    return re.compile(f"^{small}+")


@cache
def _trailing(language: Language) -> re.Pattern[str]:
    small = pattern("trailing", language)
    each = rf"(?:(?:\s+|^){small})" if language is Language.EN else small
    return re.compile(f"{each}+$", re.IGNORECASE)
