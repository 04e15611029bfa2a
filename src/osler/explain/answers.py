"""The models of one explanation.

Every answer is stored at once, and a stored answer is never asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass

from osler.agents.messages import Conclusion
from osler.errors import UserError
from osler.eval.exact_diagnosis import judge_diagnosis
from osler.eval.judge import Judge, outside_judge, verdict_on
from osler.eval.panel import PERSON
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.scoring import EXACT
from osler.eval.verdict import Verdict
from osler.models import Backbone
from osler.models.cache import Allowance, StoreAnswer
from osler.models.completion import Completion
from osler.records.schema import PatientRecord
from osler.runs.store.explanations import ExplanationWriter
from osler.settings.names import Limits
from osler.simulator.clients import Clients, ConsultationClients

DOCTOR, HELPER = "doctor", "helper"
"""Roles of stored answers: the run's doctor, and the judge or the verifying model, who are asked
the same once."""


@dataclass(frozen=True)
class ExplanationModels:
    """The models that are asked to explain one consultation."""

    store: ExplanationWriter
    number: int
    doctors: Clients
    """Sample as the run's models do."""
    helpers: Clients
    """Sample at temperature 0."""
    allowance: Allowance

    def doctor(self, trial: int, temperature: float) -> ConsultationClients:
        """The doctor's model, as its column has it: every trial has answers of its own."""
        return ConsultationClients(
            self.doctors,
            trial,
            tuple(self.store.explain_answers(DOCTOR, self.number)),
            self._store_as(DOCTOR),
            Limits(),
            self.allowance,
            temperature=temperature,
        )

    def helper(self, spec: str) -> Backbone:
        """A model whose answer to the same request is shared by all consultations."""
        clients = ConsultationClients(
            self.helpers, 0, (), self._store_as(HELPER), Limits(), self.allowance
        )
        return clients.open(spec, shared=True)

    def _store_as(self, role: str) -> StoreAnswer:
        async def store(key: str, answer: Completion) -> None:
            self.store.store_explain_answer(self.number, role, key, answer)

        return store


@dataclass(frozen=True)
class AnswerJudge:
    """Judges diagnoses as the verdicts that are explained were judged."""

    name: str
    """The name its verdicts are stored under in the run."""
    spec: str | None = None
    """The model that reads the answers; without one, only what is exact is decided."""
    own: Judge | None = None
    """A judge of the user's own, who is asked likewise."""

    @classmethod
    def of(cls, store: ExplanationWriter, name: str | None) -> AnswerJudge:
        """Return the judge of that name or spec.

        Without one, it is the run's own if it can be asked, or the exact stage.

        Raises:
            UserError: It has not judged the run, or cannot judge new answers.
        """
        if name is None:
            name = store.own_judge()
            if name is None or _cannot_be_asked(name):
                return cls(EXACT)
        if name == EXACT:
            return cls(EXACT)
        spec = name.split("#")[0]
        own = outside_judge(spec)
        judges = store.judges()
        if own is not None:
            candidates = {own.name}
        else:
            candidates = {judge for judge in judges if judge.split("#")[0] == spec}
        if name in candidates:
            candidates = {name}
        candidates &= set(judges)
        if not candidates:
            raise UserError(
                f"{store.path} has no verdicts of {name!r}; it was judged by"
                f" {', '.join(judges) or 'nobody'}",
                f"`osler score {store.path} --judge {spec}` judges it; a panel or a person cannot"
                " judge new answers",
            )
        return cls(max(candidates), None if own else spec, own)

    async def verdict(
        self, conclusion: Conclusion, record: PatientRecord, models: ExplanationModels
    ) -> Verdict:
        """Compare the diagnosis of a conclusion with the record's."""
        judge = self.own if self.spec is None else ModelJudge(models.helper(self.spec))
        if judge is None:
            codes = conclusion.codes[0] if conclusion.codes else ()
            return judge_diagnosis(conclusion.diagnosis, record.diagnosis, codes).verdict
        return (await verdict_on("diagnosis", conclusion.diagnosis, record, judge)).verdict


def _cannot_be_asked(judge: str) -> bool:
    """Whether these are the verdicts of a panel or of a person, who cannot judge new answers."""
    return " & " in judge or judge.startswith(PERSON)
