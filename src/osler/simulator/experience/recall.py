"""Recall of lessons: which of them bear on what a doctor knows of its patient."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from osler.agents.messages import Briefing
from osler.agents.rules.findings import Findings, known_from
from osler.agents.rules.knowledge import knowledge
from osler.language import Language
from osler.language.words import content
from osler.memory.base import tokens
from osler.memory.core.bm25 import rarity
from osler.prompts import phrases
from osler.ranking import ranked, reaches
from osler.runs.events import LessonsRecalled
from osler.runs.lessons import Lesson, LessonFit, LessonRecall, NearCase, Stage
from osler.runs.transcript import Transcript
from osler.settings.names import Feedback

MOST_LESSONS = 5
"""Lessons in one recall."""
MOST_TOKENS = 400
"""Their tokens in a prompt, by estimate."""
_LEAST_FIT = 0.2
"""Lessons that fit less have nothing to do with the patient."""
_LEAST_SHARED = 2
"""Findings that a patient must share with that of a rules doctor's lesson."""


@dataclass(frozen=True)
class Experience:
    """What a doctor knows from earlier patients, without what must not reach this one."""

    feedback: Feedback
    stage: Stage
    position: int
    """Cases of the stream before this one."""
    lessons: tuple[Lesson, ...] = ()
    nearness: Mapping[str, float] | None = None
    """How near the lessons' patients are to this one, by case."""
    kept_away: tuple[NearCase, ...] = ()

    @property
    def is_learning(self) -> bool:
        """Whether lessons are kept from this case."""
        return self.feedback is not Feedback.NONE and self.stage is Stage.LEARNING

    def as_event(self) -> dict[str, object]:
        """The fields of `JoinedStream`."""
        return {
            "position": self.position,
            "stage": self.stage,
            "lessons": len(self.lessons),
            "nearest": max(self.nearness.values(), default=None) if self.nearness else None,
            "kept_away": self.kept_away,
        }


class LessonMemory:
    """Recalls lessons of earlier patients by what is known of the present one."""

    def __init__(self, experience: Experience, language: Language) -> None:
        """Take what may be recalled.

        Lessons of a model are compared by words, so they stay within their language.
        """
        self._nearness = experience.nearness or {}
        self._lessons: list[Lesson] = []
        self._terms: list[frozenset[str]] = []
        """The content words of each lesson."""
        self._holders: Counter[str] = Counter()
        """In how many lessons each of them is."""
        for lesson in experience.lessons:
            if lesson.findings or lesson.language is language:
                terms = frozenset(content(lesson.when or lesson.text, lesson.language))
                self._lessons.append(lesson)
                self._terms.append(terms)
                self._holders.update(terms)

    def recall(self, briefing: Briefing) -> LessonRecall:
        """Return the lessons that fit best, as many as there is room for."""
        fits = self._fits(briefing)
        places = ranked(fits, [f"{place:06}" for place in range(len(fits))])
        fitting = [place for place in places if reaches(fits[place], _LEAST_FIT)]
        words = phrases("briefing", briefing.case.language)
        lines = [words["lessons"]]
        recalled: list[LessonFit] = []
        tokens_left = MOST_TOKENS
        for place in fitting[:MOST_LESSONS]:
            lesson = self._lessons[place]
            line = words["lesson"].format(when=lesson.when, text=lesson.text)
            tokens_left -= tokens(line)
            if tokens_left < 0:
                break
            lines.append(line)
            nearness = self._nearness.get(lesson.case, 0.0)
            recalled.append(LessonFit(lesson=lesson, fit=round(fits[place], 4), nearness=nearness))
        if not recalled:
            return LessonRecall()
        return LessonRecall(text="\n".join(lines), lessons=tuple(recalled))

    def _fits(self, briefing: Briefing) -> list[float]:
        """How well each lesson fits: by findings if it has some, else by words."""
        findings: Findings = {}
        if any(lesson.findings for lesson in self._lessons):
            findings = known_from(briefing).findings
        texts = (briefing.case.complaint, briefing.recall.text, briefing.reply, briefing.results)
        words = frozenset(content("\n".join(filter(None, texts)), briefing.case.language))
        fits = []
        for lesson, terms in zip(self._lessons, self._terms, strict=True):
            if lesson.findings:
                fits.append(alike(findings, lesson.findings))
            else:
                fits.append(self._words_shared(words, terms))
        return fits

    def _words_shared(self, words: frozenset[str], terms: frozenset[str]) -> float:
        """Return the share of a lesson's words, by their weight, that are among these words."""
        if not terms:
            return 0.0
        return self._weight_of_terms(terms & words) / self._weight_of_terms(terms)

    def _weight_of_terms(self, terms: frozenset[str]) -> float:
        # In a fixed order, so that the sum has the same last digits in every run.
        return sum(rarity(len(self._terms), self._holders[term]) for term in sorted(terms))


def alike(first: Findings, second: Findings) -> float:
    """Return how alike two patients are: by what both have, less what one has and the other denies.

    What few people have counts for more. One finding in common is not enough.
    """
    first_has = {name for name, is_present in first.items() if is_present}
    second_has = {name for name, is_present in second.items() if is_present}
    shared = first_has & second_has
    denied = {name for name in first_has ^ second_has if name in first and name in second}
    if len(shared) < _LEAST_SHARED:
        return 0.0
    return max(0.0, _weight(shared) - _weight(denied)) / _weight(first_has | second_has)


def _weight(names: Iterable[str]) -> float:
    items = knowledge().item_of
    return sum(-math.log(min(items[name].findings[name].base, 0.99)) for name in sorted(names))


class RecordedLessons:
    """Recalls what a recorded consultation recalled, turn by turn; after its end, the last."""

    def __init__(self, recorded: Transcript) -> None:
        """Take the recalls of a transcript."""
        self._recalls = {event.turn: event.recall for event in recorded.of(LessonsRecalled)}

    @classmethod
    def of(cls, recorded: Transcript) -> RecordedLessons | None:
        """None if the consultation had no lessons."""
        if recorded.of(LessonsRecalled):
            return cls(recorded)
        return None

    def recall(self, briefing: Briefing) -> LessonRecall:
        """Return what was recalled in this turn."""
        turn = max((turn for turn in self._recalls if turn <= briefing.turn), default=None)
        if turn is None:
            return LessonRecall()
        return self._recalls[turn]
