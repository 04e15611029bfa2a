"""Recall of lessons: which of them bear on what a doctor knows of its patient."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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

MOST_LESSONS, MOST_TOKENS = 5, 400
"""Lessons in one recall, and their tokens in a prompt, by estimate."""
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
        self._lessons = [
            one for one in experience.lessons if one.findings or one.language is language
        ]
        self._terms = [
            frozenset(content(one.when or one.text, one.language)) for one in self._lessons
        ]
        self._holders = Counter(term for some in self._terms for term in some)

    def recall(self, briefing: Briefing) -> LessonRecall:
        """Return the lessons that fit best, as many as there is room for."""
        fits = self._fits(briefing)
        places = ranked(fits, [f"{place:06}" for place in range(len(fits))])
        chosen = [place for place in places if reaches(fits[place], _LEAST_FIT)]
        line = phrases("briefing", briefing.case.language)
        lines, found, left = [line["lessons"]], list[LessonFit](), MOST_TOKENS
        for place in chosen[:MOST_LESSONS]:
            lesson = self._lessons[place]
            told = line["lesson"].format(when=lesson.when, text=lesson.text)
            if (left := left - tokens(told)) < 0:
                break
            lines.append(told)
            nearness = self._nearness.get(lesson.case, 0.0)
            found.append(LessonFit(lesson=lesson, fit=round(fits[place], 4), nearness=nearness))
        return (
            LessonRecall(text="\n".join(lines), lessons=tuple(found)) if found else LessonRecall()
        )

    def _fits(self, briefing: Briefing) -> list[float]:
        findings = (
            known_from(briefing).findings if any(one.findings for one in self._lessons) else {}
        )
        said = (briefing.case.complaint, briefing.recall.text, briefing.reply, briefing.results)
        known = frozenset(content("\n".join(filter(None, said)), briefing.case.language))
        return [
            (
                alike(findings, lesson.findings)
                if lesson.findings
                else self._words_shared(known, terms)
            )
            for lesson, terms in zip(self._lessons, self._terms, strict=True)
        ]

    def _words_shared(self, known: frozenset[str], terms: frozenset[str]) -> float:
        """Return the share of a lesson's words, by their weight, that are in what is known."""

        def weight(some: Sequence[str]) -> float:
            return sum(rarity(len(self._terms), self._holders[term]) for term in some)

        return weight(sorted(terms & known)) / weight(sorted(terms)) if terms else 0.0


def alike(one: Findings, other: Findings) -> float:
    """Return how alike two patients are: by what both have, less what one has and the other denies.

    What few people have counts for more. One finding in common is not enough.
    """
    mine, theirs = ({name for name, there in some.items() if there} for some in (one, other))
    shared, denied = (
        mine & theirs,
        {name for name in mine ^ theirs if name in one and name in other},
    )
    if len(shared) < _LEAST_SHARED:
        return 0.0
    return max(0.0, _weight(shared) - _weight(denied)) / _weight(mine | theirs)


def _weight(names: Iterable[str]) -> float:
    items = knowledge().item_of
    return sum(-math.log(min(items[name].findings[name].base, 0.99)) for name in sorted(names))


class RecordedLessons:
    """Recalls what was recalled in a recorded consultation, turn by turn.

    After its end, what was recalled last.
    """

    def __init__(self, recorded: Transcript) -> None:
        """Take the recalls of a transcript."""
        self._recalls = {event.turn: event.recall for event in recorded.of(LessonsRecalled)}

    @classmethod
    def of(cls, recorded: Transcript) -> RecordedLessons | None:
        """None if the consultation had no lessons."""
        return cls(recorded) if recorded.of(LessonsRecalled) else None

    def recall(self, briefing: Briefing) -> LessonRecall:
        """Return what was recalled in this turn."""
        turn = max((turn for turn in self._recalls if turn <= briefing.turn), default=None)
        return LessonRecall() if turn is None else self._recalls[turn]
