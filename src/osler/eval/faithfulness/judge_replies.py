"""Judge the replies of a run by a model, after it has passed the controls."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

from osler.eval.course import Course
from osler.eval.faithfulness.patient_judge import ModelSaid, PatientJudge, request, total_cost, tried
from osler.eval.faithfulness.patient_verdicts import by_turn, patient_verdicts, unjudged_replies
from osler.eval.faithfulness.replies import GivenReply, JudgedReply, ReplyVerdict, replies_of
from osler.models import open_backbone
from osler.runs.store import RunWriter


def judge_patients(
    run: Path, spec: str, *, again: bool, concurrency: int, timeout: float, any_judge: bool = False
) -> str:
    """Judge the replies of all consultations that ended with an answer; return one line that says what was done.

    A model is tried on replies whose faults are known before it judges, unless any judge will do.

    Raises:
        UserError: The judge cannot be reached or cannot judge.
    """
    with RunWriter.resume(run) as store:
        return asyncio.run(_judged(store, spec, again, concurrency, timeout, any_judge))


async def _judged(store: RunWriter, spec: str, again: bool, concurrency: int, seconds: float, any_judge: bool) -> str:
    backbone = open_backbone(spec, timeout=seconds)
    judge = PatientJudge(backbone)
    work = _Work(store, judge, asyncio.Semaphore(concurrency))
    numbers = unjudged_replies(store, "" if again else judge.name)
    try:
        if numbers and not any_judge:
            await work.try_out(numbers)
        if not again:
            work.learn()
        async with asyncio.TaskGroup() as group:
            for number in numbers:
                group.create_task(work.judge(number))
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    finally:
        await backbone.close()
    return work.told(len(numbers))


class _Work:
    """One judge at work on one run."""

    def __init__(self, store: RunWriter, judge: PatientJudge, gate: asyncio.Semaphore) -> None:
        self._store, self._judge, self._gate = store, judge, gate
        self._known: dict[str, ModelSaid] = {}
        """Verdicts on the same reply with the same facts, by the prompt."""
        self._tokens, self._replies, self._faulty = 0, 0, 0
        self._cost: float | None = 0.0

    async def try_out(self, numbers: list[int]) -> None:
        """Run the controls of the run's languages through the judge, and store the results."""
        languages = {self._store.record(self._store.cell(number).case).language for number in numbers}
        trial = {}
        for language in sorted(languages):
            found = await tried(self._judge, language, self._gate)
            self._pay(found.tokens, found.cost)
            found.require_passed(" replies")
            trial[language.value] = asdict(found.agreement)
        before = self._store.ask("SELECT trial FROM patient_judges WHERE judge = :judge", {"judge": self._judge.name})
        known = json.loads(before[0][0]) if before else {}
        self._store.judge_examined(self._judge.name, {**known, **trial})

    def learn(self) -> None:
        """Load what this judge has said of replies of this run: the same content is judged once."""
        for number, body in patient_verdicts(self._store, self._judge.name).items():
            faults = by_turn(body["faults"])
            for one in self._replies_of(number):
                if one.turn not in body["unread"]:
                    self._known[request(one.text, one.context)] = ModelSaid(faults.get(one.turn, ReplyVerdict()))

    def _replies_of(self, number: int) -> list[GivenReply]:
        transcript = self._store.transcript(number)
        if transcript is None:
            return []
        record = self._store.record(transcript.header.case)
        return list(replies_of(Course.of(transcript, record), record))

    async def judge(self, number: int) -> None:
        """Judge the replies of one consultation, and store the verdicts when all are done."""
        replies = self._replies_of(number)
        said = [await self._say(one) for one in replies]
        pairs = [(one.turn, answer.verdict) for one, answer in zip(replies, said, strict=True)]
        faults = [JudgedReply(turn, verdict) for turn, verdict in pairs if verdict and not verdict.is_faithful]
        body = {
            "leaks": sum(bool(one.verdict.leaks) for one in faults),
            "fabrications": sum(bool(one.verdict.unsupported) for one in faults),
            "contradictions": sum(bool(one.verdict.turned_round) for one in faults),
            "replies": len(replies),
            # Turns for which the model's answer could not be read; they are in no count.
            "unread": [turn for turn, verdict in pairs if verdict is None],
            "faults": [asdict(one) for one in faults],
        }
        tokens, cost = sum(one.tokens for one in said), total_cost(said)
        self._store.patient_judged(number, self._judge.name, body, tokens, cost)
        self._pay(tokens, cost)
        self._replies += len(replies)
        self._faulty += len(faults)

    async def _say(self, one: GivenReply) -> ModelSaid:
        """Judge a reply; a verdict on the same content is reused at no cost."""
        prompt = request(one.text, one.context)
        if prompt in self._known:
            return ModelSaid(self._known[prompt].verdict)
        async with self._gate:
            answer = await self._judge.say(one.text, one.context)
        if answer.verdict is not None:
            self._known[prompt] = answer
        return answer

    def _pay(self, tokens: int, cost: float | None) -> None:
        self._tokens += tokens
        self._cost = None if cost is None or self._cost is None else self._cost + cost

    def told(self, consultations: int) -> str:
        """Say what was done, in one line."""
        cost = f", {self._cost:.4f} USD" if self._cost else ""
        return (
            f"{self._replies} replies of {consultations} consultation(s) judged by {self._judge.name},"
            f" {self._tokens:,} tokens{cost}: {self._faulty} with faults"
        )
