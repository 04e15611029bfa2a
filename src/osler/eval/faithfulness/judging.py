"""Judging the replies of a run by a model, after it has shown on controls that it can."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

from osler.eval.faithfulness.controls import tried
from osler.eval.faithfulness.model import ModelSaid, PatientJudge, request
from osler.eval.faithfulness.patient_verdicts import JudgedReplies, patient_verdicts, unjudged_replies
from osler.eval.faithfulness.replies import replies_of
from osler.eval.faithfulness.verdict import JudgedReply, ReplyVerdict, by_turn
from osler.models import open_backbone
from osler.runs.store import RunFile, RunWriter


def judge_patients(
    run: Path, spec: str, *, again: bool, concurrency: int, timeout: float, any_judge: bool = False
) -> str:
    """Judge the replies of all consultations that ended with an answer; one line that says what was done.

    A model is tried on replies whose faults are known before it judges, unless any judge will do.

    Raises:
        UserError: The judge cannot be reached or cannot judge.
    """
    with RunFile.open(run) as known:
        about = known.about()
    with RunWriter.create_or_resume(run, about) as store:
        return asyncio.run(
            _judged(store, spec, again=again, concurrency=concurrency, seconds=timeout, any_judge=any_judge)
        )


async def _judged(
    store: RunWriter, spec: str, *, again: bool, concurrency: int, seconds: float, any_judge: bool
) -> str:
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
        """What was said of the same reply with the same facts, by the prompt; a turn is its own prompt in most."""
        self._tokens, self._cost, self._replies, self._faulty = 0, 0.0, 0, 0
        self._priced = True

    async def try_out(self, numbers: list[int]) -> None:
        """Put the controls of the run's languages to the judge, and keep how it did."""
        languages = {self._store.record(self._store.cell(number).case).language for number in numbers}
        trial = {}
        for language in sorted(languages):
            found = await tried(self._judge, language, self._gate)
            self._pay(found.tokens, found.cost)
            found.require_passed(" replies")
            trial[language.value] = asdict(found.agreement)
        before = self._store.ask("SELECT trial FROM patient_judges WHERE judge = :judge", {"judge": self._judge.name})
        known = json.loads(before[0][0]) if before else {}
        self._store.patient_judge_tried(self._judge.name, {**known, **trial})

    def learn(self) -> None:
        """Take up what this judge has said of replies of this run: the same content is judged once."""
        for number, body in patient_verdicts(self._store, self._judge.name).items():
            transcript = self._store.transcript(number)
            if transcript is None:
                continue
            faults = by_turn(body["faults"])
            for one in replies_of(transcript, self._store.record(transcript.header.case)):
                if one.turn not in body["unread"]:
                    said = ModelSaid(faults.get(one.turn, ReplyVerdict()))
                    self._known[request(one.text, one.context)] = said

    async def judge(self, number: int) -> None:
        """Judge the replies of one consultation, and keep the word when all have been."""
        transcript = self._store.transcript(number)
        assert transcript is not None
        replies = list(replies_of(transcript, self._store.record(transcript.header.case)))
        said: list[ModelSaid] = []
        for one in replies:
            prompt = request(one.text, one.context)
            if prompt in self._known:
                said.append(ModelSaid(self._known[prompt].verdict))
                continue
            async with self._gate:
                answer = await self._judge.say(one.text, one.context)
            if answer.verdict is not None:
                self._known[prompt] = answer
            said.append(answer)
        pairs = [(one.turn, answer.verdict) for one, answer in zip(replies, said, strict=True)]
        judged = JudgedReplies(
            replies=len(replies),
            unread=tuple(turn for turn, verdict in pairs if verdict is None),
            faults=tuple(JudgedReply(turn, verdict) for turn, verdict in pairs if verdict and not verdict.is_faithful),
        )
        costs = [one.cost for one in said]
        cost = None if None in costs else sum(one for one in costs if one is not None)
        tokens = sum(one.tokens for one in said)
        self._store.patient_judged(number, self._judge.name, judged.to_json(), tokens, cost)
        self._pay(tokens, cost)
        self._replies += len(replies)
        self._faulty += len(judged.faults)

    def _pay(self, tokens: int, cost: float | None) -> None:
        self._tokens += tokens
        self._priced = self._priced and cost is not None
        self._cost += cost or 0.0

    def told(self, consultations: int) -> str:
        """What was done, in one line."""
        cost = f", {self._cost:.4f} USD" if self._priced and self._cost else ""
        return (
            f"{self._replies} replies of {consultations} consultation(s) judged by {self._judge.name},"
            f" {self._tokens:,} tokens{cost}: {self._faulty} with faults"
        )
