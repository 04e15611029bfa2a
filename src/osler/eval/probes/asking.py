"""Asking a consultation's memory its probes, one recall after the other, and scoring what comes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from osler.eval.probes.answering import model_answer, rules_answer
from osler.eval.probes.gold import Probe, probes_of
from osler.eval.probes.replay import rebuilt
from osler.eval.probes.retrieval import holds_some
from osler.eval.probes.scoring import Score, score
from osler.language import Language
from osler.memory.base import Fact, Recall
from osler.models import Backbone, BackboneError, FailureKind
from osler.ranking import ranked
from osler.records.schema import PatientRecord
from osler.runs.plan import Settings
from osler.runs.transcript import Transcript

Answerer = Callable[[Probe, str, Recall, Language], Awaitable[str]]
"""Gives the answer to a probe in one of its wordings, from what was recalled."""

_AT_A_TIME = 8
_HOPELESS = frozenset({FailureKind.UNREACHABLE, FailureKind.UNAUTHORIZED, FailureKind.UNKNOWN_MODEL})
"""Failures that every further question would meet, too."""


@dataclass(frozen=True)
class Asked:
    """A probe in one wording: what was recalled, what was answered, and what that is worth."""

    question: str
    recall: Recall
    answer: str | None
    """None: the model failed, and nothing is scored."""
    score: Score | None

    @property
    def ranked(self) -> tuple[Fact, ...]:
        """What was recalled, the best first; nothing where the memory makes no difference between its items."""
        facts = self.recall.facts
        if len({fact.score for fact in facts}) < 2:
            return ()
        return tuple(facts[place] for place in ranked([fact.score for fact in facts], range(len(facts))))


@dataclass(frozen=True)
class Probed:
    """A probe with all its askings: each wording once, and the first of them again at the end."""

    probe: Probe
    asked: tuple[Asked, ...]

    def places(self, language: Language) -> list[int | None]:
        """For each wording, the place in the ranking of the first item that tells something of the truth.

        None where no item does, or where the memory made no difference between them. Nothing for what is not known.
        """
        if self.probe.gold.status is None:
            return []
        return [
            next((n for n, fact in enumerate(one.ranked, 1) if holds_some(self.probe, fact.triple, language)), None)
            for one in self.asked[: len(self.probe.wordings)]
        ]


@dataclass(frozen=True)
class Examined:
    """One consultation's memory, probed."""

    transcript: Transcript
    probes: tuple[Probed, ...]
    missing: int
    """Requests of the memory to its model that the transcript holds no answer to."""


async def rules_answerer(probe: Probe, question: str, recall: Recall, language: Language) -> str:
    """The answer without a model."""
    return rules_answer(probe, recall.text, language)


def model_answerer(backbone: Backbone) -> Answerer:
    """The answers of a model."""

    async def answer(probe: Probe, question: str, recall: Recall, language: Language) -> str:
        return await model_answer(question, recall.text, language, backbone)

    return answer


async def examine(transcript: Transcript, record: PatientRecord, settings: Settings, answerer: Answerer) -> Examined:
    """Rebuild the memory of a consultation, ask it every probe in every wording, and the first wording again.

    Raises:
        BackboneError: the model that answers cannot be reached at all.
    """
    again = await rebuilt(transcript, settings)
    language = record.language
    probes = probes_of(transcript, record)
    recalls = [[await again.memory.recall(question) for question in _questions(probe)] for probe in probes]
    gate = asyncio.Semaphore(_AT_A_TIME)

    async def asked(probe: Probe, question: str, recall: Recall) -> Asked:
        async with gate:
            try:
                answer = await answerer(probe, question, recall, language)
            except BackboneError as error:
                if error.kind in _HOPELESS:
                    raise
                return Asked(question, recall, None, None)
        return Asked(question, recall, answer, score(probe, recall, answer, language))

    async def probed(probe: Probe, found: list[Recall]) -> Probed:
        pairs = zip(_questions(probe), found, strict=True)
        return Probed(probe, tuple(await asyncio.gather(*(asked(probe, *pair) for pair in pairs))))

    done = await asyncio.gather(*(probed(probe, found) for probe, found in zip(probes, recalls, strict=True)))
    return Examined(transcript, tuple(done), again.missing)


def _questions(probe: Probe) -> tuple[str, ...]:
    return (*probe.wordings, probe.wordings[0])
