"""What a treatment plan recommends and how it is given, what it turns down, and what could not be read in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from osler.eval.ladder.names import LONGEST, NameKey, by_name, chinese, find_names, real_parts, script, units
from osler.eval.ladder.negation import SENTENCE, split_clauses
from osler.eval.vocabulary import Concept, concepts, cue, read
from osler.language import Language

_UNIT_ENDS = r"(?!/?dl|/?kg|(?!qd|bid|tid|qid|qn|qw|q\d|po|iv|im|d(?![a-z]))[a-z])"
_DOSE = re.compile(
    r"(\d+(?:\.\d+)?)(?:\s*(?:[-–~～]|to|至|到)\s*(\d+(?:\.\d+)?))?\s*"
    rf"(mg|毫克|g|克|mcg|ug|μg|µg|micrograms?|微克){_UNIT_ENDS}",
    re.IGNORECASE,
)
_MICROGRAMS = {"g": 1e6, "克": 1e6, "mg": 1e3, "毫克": 1e3}
_UNKNOWN = re.compile(
    r"([a-z][a-z-]{3,}|[\u4e00-\u9fff]{2,})\s*\d+(?:\.\d+)?\s*"
    r"(?:mg|g|mcg|[uμµ]g|ml|iu|u|units?|tablets?|毫克|克|微克|片|粒|支)" + _UNIT_ENDS,
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?<=\d)\s*[-–—]\s*(?=\d)")
_FROM_TO = re.compile(r"\b(?:switch|chang)\w* (?:\w+ )?from (.{1,40}?) to\b", re.IGNORECASE)
_CONTENT = re.compile(r"[a-z]{4}|[\u4e00-\u9fff]{2}", re.IGNORECASE)
_MARK = 0xE000
"""The first private character: it stands for the first Chinese name of an answer, the next one for the second."""
_STEM = 6
"""Letters that a word has at least if its stem tells its class."""

Manner = dict[str, set[str]]
"""How something is given: by dimension, the values that are said."""
Marks = dict[str, tuple[str, NameKey]]
"""What each private character stands for: the name as it is written, and its key."""


class Mention(NamedTuple):
    """A drug, class or procedure that a plan recommends."""

    thing: Concept
    around: str
    """The text that says how it is given."""
    sure: bool = True
    """Whether it is plainly recommended, and by its right name."""
    open_choice: bool = False
    """Whether it is one of several of which one is to be given."""


class Plan(NamedTuple):
    """A treatment plan as it was understood."""

    said: str
    """The answer."""
    mentions: tuple[Mention, ...]
    text: str
    """All that is meant."""
    turned_down: frozenset[Concept]
    unread: tuple[str, ...]
    """The pieces that name nothing known and are no check-up."""
    timed: frozenset[Concept] = frozenset()
    """What the record wants at its time only, as another one is unsafe."""

    @property
    def unknown_drug(self) -> str:
        """A piece with a dose of something that no table knows, or nothing."""
        dosed = ((piece, each[1]) for piece in self.unread for each in _UNKNOWN.finditer(piece))
        return next((piece for piece, word in dosed if _CONTENT.search(beside(word))), "")


@lru_cache(maxsize=4096)
def read_plan(answer: str) -> Plan:
    """Read a plan up to where it talks to the judge."""
    answer = answer[:LONGEST]
    language = script(answer)
    talk = cue("answer_cues", "talk").search(answer)
    marked, marks = _mark(_spread(answer[: talk.start()] if talk else answer), language)
    mentions: list[Mention] = []
    unread: list[str] = []
    turned_down: set[Concept] = set()
    meant: list[str] = []
    for line in SENTENCE.split(marked):
        clauses = split_clauses(line, script(line))
        turned_down.update(thing for _, mentioned in clauses for thing in _found(mentioned, marks))
        if sentence := ", ".join(said for said, _ in clauses if said):
            meant.append(_unmark(sentence, marks))
            _read_sentence(sentence, line, marks, mentions, unread, turned_down)
    return Plan(answer, tuple(mentions), ". ".join(meant), frozenset(turned_down), tuple(unread))


def _spread(text: str) -> str:
    """Put what a heading says to avoid before each line of the list below it, and say plainly what is switched."""
    heading, lines = "", []
    text = _FROM_TO.sub(r"stop \1, give", text)
    for line in text.splitlines():
        told = cue("treatment_cues", "avoid_heading").search(line)
        if told and not line[told.end() :].strip(" *_#"):
            heading = told[0].strip(" :：*_#")
        elif not line.strip() or line.rstrip(" *").endswith((":", "：")) or line.lstrip().startswith("#"):
            heading = ""
        elif told:
            line = f"{line[: told.start()]}{told[0].strip(' :：*_#')} {line[told.end() :]}"
        elif heading:
            line = f"{heading} {line}"
        lines.append(line)
    return "\n".join(lines)


def _is_bare_after_no(measure: str, sentence: str) -> bool:
    """Check whether a measure only goes on with a list of what is turned down, as far as one can tell."""
    no, place = cue("answer_cues", "before").search(sentence), sentence.find(measure)
    if no is None or place < no.start() or re.search(r"\d", measure) or manner(measure):
        return False
    return not cue("treatment_cues", "give").search(sentence, no.end(), place + len(measure))


def _read_sentence(
    said: str, line: str, marks: Marks, mentions: list[Mention], unread: list[str], turned_down: set[Concept]
) -> None:
    """Read what is meant of a line into the three lists."""
    is_sure, ahead, before = True, "", len(mentions)
    for bare, found in _measures(said, marks):
        is_allergy = len(found) == 1 and cue("treatment_cues", "allergy").search(bare)
        if is_allergy or cue("treatment_cues", "dangling").search(bare):
            turned_down.update(found)
            continue
        text = _unmark(bare, marks)
        is_sure = is_sure and not cue("treatment_cues", "condition").search(bare)
        is_watched = cue("treatment_cues", "workup").search(bare)
        is_doubtful = is_watched or cue("treatment_cues", "doubt").search(bare) or _is_bare_after_no(bare, line)
        is_open = bool(cue("treatment_cues", "choice").search(bare))
        mentions += [Mention(thing, f"{ahead}{text}", is_sure and not is_doubtful, is_open) for thing in found]
        if not found and len(mentions) > before:
            mentions[-1] = mentions[-1]._replace(around=f"{mentions[-1].around} {text}")
        ahead = "" if found or len(mentions) > before else f"{ahead}{text} "
        if not (found or is_watched) and _CONTENT.search(beside(text)):
            unread.append(text)


def _mark(text: str, language: Language) -> tuple[str, Marks]:
    """Put one private character for each Chinese name, so that no part of a name is read as a word of its own."""
    marks: Marks = {}
    if language is Language.EN:
        return text, marks
    lines = []
    for line in (chinese(_RANGE.sub("~", line)) for line in text.splitlines()):
        end, marked = 0, ""
        for hit in find_names(line, _index(language)):
            mark = chr(_MARK + len(marks))
            marks[mark] = (line[hit.start : hit.end], hit.key)
            marked += line[end : hit.start] + mark
            end = hit.end
        lines.append(marked + line[end:])
    return "\n".join(lines), marks


def _unmark(text: str, marks: Marks) -> str:
    return "".join(marks[char][0] if char in marks else char for char in text)


def _found(text: str, marks: Marks) -> list[Concept]:
    """Return what a text names, by its marks if there are Chinese names."""
    by_mark = [thing for char in text if char in marks for thing in _index(Language.ZH)[marks[char][1]]]
    return by_mark if marks else things(text)


def _measures(sentence: str, marks: Marks) -> Iterator[tuple[str, list[Concept]]]:
    """Split a sentence into measures with what each names; an English name that holds a joint comes last."""
    seen: set[Concept] = set()
    for part in cue("treatment_cues", "joint").split(sentence):
        found = _found(part, marks)
        seen.update(found)
        yield part, found
    if rest := [thing for thing in _found(sentence, marks) if thing not in seen]:
        yield sentence, rest


@cache
def _index(language: Language) -> dict[NameKey, tuple[Concept, ...]]:
    """Index all names; a product of several drugs stands for its drugs."""
    drugs = {f"={drug.names[0]}": drug for drug in concepts("drugs")}
    every = [*drugs.values(), *concepts("procedures"), *concepts("classes")]
    if language is Language.ZH:
        every += [Concept((stem,), each.kin) for each in concepts("drug_stems") for stem in each.names if stem > "z"]
    return {
        key: tuple(
            part for each in some for part in ([drugs[kin] for kin in sorted(each.kin) if kin in drugs] or [each])
        )
        for key, some in by_name(every, language).items()
    }


@cache
def known_parts(language: Language) -> frozenset[str]:
    """Return the words, or pairs of characters, that known names are made of."""
    return real_parts(_index(language))


def things(text: str) -> list[Concept]:
    """Return the drugs, classes and procedures that a text names, the longest names at each place."""
    return _named(text)[0]


def words_beside(text: str) -> tuple[str, ...]:
    """Return the words, or the characters, of a text that name nothing."""
    return _named(text)[1]


def text_beside(text: str) -> str:
    """Return what a text says besides its names."""
    return ("" if script(text) is Language.ZH else " ").join(words_beside(text))


def beside(text: str) -> str:
    """Return what a text says besides its names, its manner and words that could be in any plan."""
    return " ".join(re.findall(r"[a-z]+|[\u4e00-\u9fff]+", _plain(text_beside(text)).casefold()))


@lru_cache(maxsize=8192)
def _named(text: str) -> tuple[list[Concept], tuple[str, ...]]:
    language = script(text)
    sequence, index = units(text, language), _index(language)
    hits = list(find_names(sequence, index))
    inside = {place for hit in hits for place in range(hit.start, hit.end)}
    rest = tuple(unit for place, unit in enumerate(sequence) if place not in inside)
    stems = [_by_stem(word) for word in rest] if language is Language.EN else []
    return [*(thing for hit in hits for thing in index[hit.key]), *filter(None, stems)], rest


@lru_cache(maxsize=8192)
def _by_stem(word: str) -> Concept | None:
    """Return an unlisted drug whose class its stem tells: the end of the name, or cef- at its beginning."""
    if len(word) >= _STEM:
        for each in concepts("drug_stems"):
            if word.endswith(each.names) or (word.startswith("cef") and "cef" in each.names):
                return Concept((word,), each.kin)
    return None


def _plain(text: str) -> str:
    """Return a text without manner and idle words."""
    for _, _, pattern in _manners():
        text = pattern.sub(" ", text)
    return cue("treatment_cues", "idle").sub(" ", text)


@cache
def _manners() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple(
        (dimension, value, re.compile(rf"\b(?:{in_english})\b|{in_chinese}", re.IGNORECASE))
        for dimension, values in read("treatment_cues")["manner"].items()
        for value, (in_english, in_chinese) in values.items()
    )


def manner(text: str) -> Manner:
    """Return how something is given."""
    found: Manner = defaultdict(set)
    for dimension, value, pattern in _manners():
        if pattern.search(text):
            found[dimension].add(value)
    return dict(found)


def doses(text: str) -> set[float]:
    """Return the doses in a text, in micrograms; of a range both ends."""
    return {
        float(number) * _MICROGRAMS.get(unit.casefold(), 1)
        for low, high, unit in _DOSE.findall(text)
        for number in (low, high)
        if number
    }


def numbers(text: str) -> set[str]:
    """Return the numbers in a text."""
    return set(re.findall(r"\d+(?:\.\d+)?", text_beside(text)))
