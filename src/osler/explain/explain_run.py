"""Explain the lost consultations of a run.

Which they are, asking the doctor again, storing what came of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from osler.agents.messages import Briefing, Conclusion, Enquiry, Exchange
from osler.agents.ram.by_model import ModelRam
from osler.errors import RunStopped, StorageError, UserError, printable, warn
from osler.eval.causes import Cause
from osler.eval.faithfulness.patient_verdicts import faults_in
from osler.eval.scoring import EXACT, score_missing
from osler.eval.verbatim import has_name
from osler.eval.verdict import Verdict
from osler.explain.answers import HELPER, AnswerJudge, ExplanationModels
from osler.explain.cause import found, key_entries, needed
from osler.explain.steps import ExplainStep, LostConsultation
from osler.models.errors import BackboneError
from osler.prompts import using_prompts
from osler.runs.events import ConsultationError, Ending, Journal, Maker
from osler.runs.plan import Column, chosen_columns
from osler.runs.scored import DIAGNOSIS, ScoredConsultation, StoredExplanation
from osler.runs.store.explanations import ExplanationCost, ExplanationWriter, explanations
from osler.runs.store.scores import scored_consultations
from osler.settings.names import CONCURRENCY, HUMAN, TIMEOUT, WITHOUT_MODEL, Limits
from osler.simulator.build import case_of, check_strategies, doctor_of
from osler.simulator.clients import Clients, ClientSettings
from osler.simulator.limits import RunLimiter, check_prices


@dataclass(frozen=True)
class ExplainOptions:
    """What to explain, and how."""

    judge: str | None = None
    """Whose verdicts; the rules' unless another judge is named."""
    verify: str | None = None
    """A model that says what the doctor's questions asked for; without one, the names of key
    entries do."""
    trials: int = 1
    memories: Sequence[str] = ()
    strategies: Sequence[str] = ()
    limit: int | None = None
    """Lost consultations of each column."""
    concurrency: int = CONCURRENCY
    timeout: float = TIMEOUT
    limits: Limits = field(default_factory=Limits)
    """Of all explanations of the run together."""


@dataclass(frozen=True)
class Explained:
    """What was done."""

    judge: str
    new: int
    before: int
    """Explained before, and not asked again."""
    failures: dict[str, int]
    """Why explanations failed, and how many each; they are tried again the next time."""
    by_people: int
    """Lost consultations of people, who cannot be asked again."""
    cost: ExplanationCost
    stopped: str | None = None
    """Why it ended early."""


def explain_run(run: Path, options: ExplainOptions) -> Explained:
    """Find the cause of each lost consultation of a run, and store it in the run.

    Raises:
        UserError: The run cannot be explained with these options.
    """
    with ExplanationWriter.resume(run) as store:
        return asyncio.run(_explain(store, options))


async def _explain(store: ExplanationWriter, options: ExplainOptions) -> Explained:
    judge = AnswerJudge.of(store, options.judge)
    if judge.name == EXACT:
        score_missing(store)
    lost, by_people = _lost(store, judge.name, options)
    if changed := store.changed_prompts():
        warn(
            "its doctor is now asked with other prompts than when the run was made"
            f" ({', '.join(changed)})"
        )
    work = _Work(store, options, judge)
    with using_prompts(store.settings.prompts):
        before = await work.explain_all(lost)
    failures = dict(work.failures.most_common())
    return Explained(
        judge.name, work.new, before, failures, by_people, store.explanation_cost(), work.stopped
    )


def _lost(
    store: ExplanationWriter, judge: str, options: ExplainOptions
) -> tuple[list[ScoredConsultation], int]:
    """Return the consultations to explain, and how many lost ones people held."""
    columns = chosen_columns(store.columns(), options.memories, options.strategies)
    chosen, seen, by_people = [], Counter[Column](), 0
    for consultation in scored_consultations(store, judge):
        column, verdict = consultation.column, consultation.verdict(DIAGNOSIS)
        if column not in columns or verdict in (None, Verdict.CORRECT):
            continue
        if column.backbone == HUMAN:
            by_people += 1
        elif options.limit is None or seen[column] < options.limit:
            seen[column] += 1
            chosen.append(consultation)
    return chosen, by_people


class _Work:
    """The explanations of one run under way."""

    def __init__(
        self, store: ExplanationWriter, options: ExplainOptions, judge: AnswerJudge
    ) -> None:
        self._store, self._options, self._judge, self._settings = (
            store,
            options,
            judge,
            store.settings,
        )
        self._doctors = Clients(ClientSettings(options.timeout))
        self._helpers = Clients(ClientSettings(options.timeout))
        spent = store.explanation_cost()
        self._allowance = RunLimiter(options.limits, spent.tokens, spent.cost or 0.0)
        self._gate = asyncio.Semaphore(options.concurrency)
        self.new = 0
        self.failures: Counter[str] = Counter()
        self.stopped: str | None = None

    async def explain_all(self, lost: Sequence[ScoredConsultation]) -> int:
        """Explain those that are not explained yet, several at a time; return how many were."""
        known = explanations(self._store, self._judge.name)
        todo = []
        for consultation in lost:
            number, new = consultation.number, self._unexplained(consultation)
            if number not in known or known[number].settings != new.settings:
                todo.append((number, new))
        try:
            self._open({self._store.cell(number).column for number, _ in todo})
            async with asyncio.TaskGroup() as group:
                for number, new in todo:
                    group.create_task(self._explain(number, new))
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        finally:
            await self._doctors.close()
            await self._helpers.close()
        return len(lost) - len(todo)

    def _unexplained(self, consultation: ScoredConsultation) -> StoredExplanation:
        """Return what an explanation starts from.

        Judges that disagree are a cause without asking the doctor.
        """
        differing = self._differing(consultation)
        settings = {
            "differing": differing,
            "trials": self._options.trials,
            "verify": self._options.verify or "",
        }
        verdict = consultation.verdicts[DIAGNOSIS].verdict
        return StoredExplanation(Cause.JUDGE, None, (), differing, verdict, settings)

    def _open(self, columns: set[Column]) -> None:
        """Open the models that are needed: a wrong name stops the command before a request."""
        check_strategies(column.strategy for column in columns)
        specs = {column.backbone for column in columns} - WITHOUT_MODEL
        models = [self._doctors.open(spec) for spec in specs]
        models += [
            self._helpers.open(spec)
            for spec in (self._options.verify, self._judge.spec)
            if spec and columns
        ]
        check_prices(self._options.limits, [model.model for model in models])
        self._helpers.shared.learn(self._store.explain_answers(HELPER))

    async def _explain(self, number: int, new: StoredExplanation) -> None:
        async with self._gate:
            if self.stopped is not None:
                return
            try:
                if not new.settings["differing"]:
                    found = await self._asked(number)
                    new = replace(found, verdict=new.verdict, settings=new.settings)
                self._store.store_explanation(number, self._judge.name, new)
                self.new += 1
            except RunStopped as stop:
                self.stopped = self.stopped or stop.message
            except StorageError:
                raise
            except (ConsultationError, BackboneError, UserError) as error:
                self.failures[printable(str(error))[:200]] += 1

    def _differing(self, consultation: ScoredConsultation) -> str:
        """Say how the judges of the run disagree about an ending.

        Empty if they agree that it is not right.
        """
        judge, own = self._judge.name, consultation.verdicts[DIAGNOSIS]
        if own.verdict == Verdict.UNDECIDED:
            return f"{judge} cannot decide"
        if own.rung == "judges differ":
            return f"the judges differ: {own.because}"
        right = [
            other
            for other, stored in self._store.every_verdict(consultation.number)
            if stored.kind == DIAGNOSIS and stored.verdict == Verdict.CORRECT
        ]
        return f"{judge} says {own.verdict}, and {', '.join(right)} says correct" if right else ""

    async def _asked(self, number: int) -> StoredExplanation:
        """Let the doctor conclude from more and more, until it is right."""
        transcript = self._store.transcript(number)
        assert transcript is not None
        lost = LostConsultation(transcript, self._store.record(transcript.header.case))
        models = ExplanationModels(
            self._store, number, self._doctors, self._helpers, self._allowance
        )
        asked = lost.asked | _named(lost)
        steps: list[dict[str, Any]] = []
        first_right = None
        for step in ExplainStep:
            if step is ExplainStep.ASKED and self._options.verify is not None:
                asked = lost.asked | await self._verified(lost, models, self._options.verify)
            briefing = await lost.briefing(step, asked)
            if briefing is None:
                continue
            steps.append(await self._step(step, briefing, lost, models))
            if steps[-1]["right"]:
                first_right = step
                break
        faults = faults_in(self._store, number)
        wrong = {turn for turn, found_in_reply in faults.items() if found_in_reply.contradictions}
        end = found(first_right, key_entries(lost, asked, wrong), lost.last_turn)
        return replace(end, steps=tuple(steps))

    async def _step(
        self,
        step: ExplainStep,
        briefing: Briefing,
        lost: LostConsultation,
        models: ExplanationModels,
    ) -> dict[str, Any]:
        """Ask every trial of one step; it is right if most of them are."""
        by_model = lost.transcript.header.backbone not in WITHOUT_MODEL
        trials = []
        for trial in range(1, (self._options.trials if by_model else 1) + 1):
            conclusion, verdict = (
                await self._concluded(briefing, lost, models, trial),
                Verdict.UNPARSED,
            )
            if conclusion is not None:
                verdict = await self._judge.verdict(conclusion, lost.record, models)
            diagnosis = conclusion.diagnosis if conclusion is not None else None
            trials.append({"diagnosis": diagnosis, "verdict": verdict.value})
        right = sum(trial["verdict"] == Verdict.CORRECT for trial in trials)
        return {"step": step.value, "right": 2 * right > len(trials), "trials": trials}

    async def _concluded(
        self, briefing: Briefing, lost: LostConsultation, models: ExplanationModels, trial: int
    ) -> Conclusion | None:
        """Return the conclusion of the run's doctor; None if it cannot be read."""
        column = lost.transcript.header.column
        settings = self._settings.for_column(column)
        clients = models.doctor(trial, settings.temperature)
        doctor = doctor_of(column, briefing.case, settings, Journal(), clients)
        try:
            move = await doctor.respond(briefing)
        except ConsultationError as error:
            if error.ending is Ending.UNPARSED:
                return None
            raise
        assert isinstance(move, Conclusion)
        return move

    async def _verified(
        self, lost: LostConsultation, models: ExplanationModels, spec: str
    ) -> dict[str, int]:
        """Ask a model what the questions asked for; return each entry's first turn."""
        backbone, case, record = models.helper(spec), case_of(lost.record), lost.record
        settings = self._settings.for_column(lost.transcript.header.column)
        ram = ModelRam(record, case, backbone, Journal(), answer_tokens=settings.answer_tokens)
        asked: dict[str, int] = {}
        conversation: list[Exchange] = []
        for one in lost.course.exchanges:
            if not one.question:
                continue
            enquiry = Enquiry(text=one.question, conversation=tuple(conversation))
            chosen = await ram.choose(enquiry)
            if (
                chosen.maker is not Maker.RULES
            ):  # the model could not say, and rules would repeat the retrieval
                for entry in chosen.entries:
                    asked.setdefault(entry.name, one.turn)
            if one.answer:
                conversation.append(Exchange(question=one.question, reply=one.answer.reply))
        return asked


def _named(lost: LostConsultation) -> dict[str, int]:
    """Return the key entries that the questions name, each with its first turn."""
    asked: dict[str, int] = {}
    for one in lost.course.exchanges:
        for entry in needed(lost.record):
            if any(has_name(one.question, name) for name in (entry.name, *entry.aliases)):
                asked.setdefault(entry.name, one.turn)
    return asked
