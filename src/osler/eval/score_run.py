"""Judge a run again: by the rules, by a model, or by two models that have to agree."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Annotated, cast

from pydantic import Field, TypeAdapter, ValidationError

from osler.errors import UserError
from osler.eval.controls import tried
from osler.eval.judge import Judge, Kind, outside_judge
from osler.eval.ladder import LADDER, committed
from osler.eval.model_judge import ModelJudge
from osler.eval.scoring import score, spoken
from osler.eval.verdict import Verdict
from osler.models import Backbone, open_backbone
from osler.records.schema import PatientRecord
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict
from osler.runs.transcript import Transcript

Content = tuple[str, str, str]


def judge_run(
    run: Path,
    specs: Sequence[str],
    tie_break: str | None,
    *,
    again: bool,
    concurrency: int,
    timeout: float,
    any_judge: bool = False,
    test_prices: Path | None = None,
) -> str:
    """Judge what ended with an answer; return one line that says what was done.

    With a table of what tests cost, all consultations are measured again with it, by the rules. A model is tried on
    pairs whose verdict is known before it judges, unless any judge will do.

    Raises:
        UserError: More than two judges, a tie-break without two, a judge that cannot be reached or cannot judge.
    """
    if len(specs) > 2 or (tie_break is not None and len(specs) != 2):
        raise UserError("judges are one, or two with or without a --tie-break", "give --judge once or twice")
    with RunFile.open(run) as known:
        about = known.about()
    with RunWriter.create_or_resume(run, about) as store:
        if specs:
            return asyncio.run(_by_models(store, specs, tie_break, again, concurrency, timeout, any_judge))
        prices = read_test_prices(test_prices) if test_prices is not None else None
        numbers = store.unjudged("" if again or prices is not None else LADDER)
        for number in numbers:
            transcript, record = _of(store, number)
            store.scored(number, score(transcript, record, prices))
        return f"{len(numbers)} consultation(s) judged by {LADDER}"


def read_test_prices(path: Path) -> dict[str, float]:
    """Read what tests cost, by their names: a YAML file with `NAME: PRICE` lines.

    Raises:
        UserError: The file cannot be read or is not such a table.
    """
    from osler.records.formats.yaml import read
    from osler.records.validation import RecordError

    try:
        table = [getattr(part, "data", None) for part in read(path, str(path))]
        return TypeAdapter(dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]]).validate_python(*table)
    except OSError as error:
        raise UserError(f"the prices of tests {path} cannot be read ({error.strerror})", "check the path") from None
    except (ValidationError, RecordError):
        raise UserError(f"{path} is no table of what tests cost", "write `Chest X-ray: 40`, one test a line") from None


def _of(store: RunFile, number: int) -> tuple[Transcript, PatientRecord]:
    transcript = store.transcript(number)
    assert transcript is not None
    return transcript, store.record(transcript.header.case)


async def _by_models(
    store: RunWriter,
    specs: Sequence[str],
    tie_break: str | None,
    again: bool,
    concurrency: int,
    seconds: float,
    any_judge: bool,
) -> str:
    backbones: list[Backbone] = []

    def opened(spec: str) -> Judge:
        if judge := outside_judge(spec):
            return judge
        backbones.append(open_backbone(spec, timeout=seconds))
        return ModelJudge(backbones[-1])

    panel = Panel([opened(spec) for spec in specs], opened(tie_break) if tie_break else None)
    numbers = store.unjudged("" if again else panel.name)
    if not again:
        panel.known |= _said_before(store, panel.name)
    gate = asyncio.Semaphore(concurrency)
    counts: Counter[str] = Counter()
    spent: list[int] = []

    async def one(number: int) -> None:
        transcript, record = _of(store, number)
        async with gate:
            said = await panel.judge(transcript, record)
        counts.update(one.verdict for one in said if one.kind == "diagnosis")
        spent.append(sum(one.tokens or 0 for one in said))
        store.scored(number, StoredScore(panel.name, said))

    try:
        if numbers and not any_judge:
            languages = {store.record(store.cell(number).case).language for number in numbers}
            for judge, language in product(panel.models, sorted(languages)):
                trial = await tried(judge, language, gate)
                trial.require_passed("")
                spent.append(trial.tokens)
        async with asyncio.TaskGroup() as group:
            for number in numbers:
                group.create_task(one(number))
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    finally:
        for backbone in backbones:
            await backbone.close()
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return f"{len(numbers)} consultation(s) judged by {panel.name}, {sum(spent):,} tokens: {told or 'nothing was left'}"


def _said_before(store: RunFile, judge: str) -> dict[Content, StoredVerdict]:
    """Return what this judge has said of the same answers in this run: the same content is judged once."""
    known: dict[Content, StoredVerdict] = {}
    for row in store.scores(judge):
        record = store.record(row["record"])
        for kind in ("diagnosis", "treatment"):
            rung, verdict, because = (row[f"{kind}_{name}"] for name in ("rung", "verdict", "because"))
            if rung in {"model", "judge"}:
                known[_content(kind, row[kind], record)] = StoredVerdict(kind, verdict, rung, because)
    return known


def _content(kind: str, answer: str, record: PatientRecord) -> Content:
    truth = record.diagnosis.name if kind == "diagnosis" else record.treatment.name if record.treatment else ""
    return kind, truth, answer


@dataclass
class Panel:
    """One judge, or two and who decides between them."""

    judges: list[Judge]
    tie_break: Judge | None = None
    known: dict[Content, StoredVerdict] = field(default_factory=dict)
    """Verdicts by content: kind, true answer, given answer."""

    @property
    def name(self) -> str:
        """The name its verdicts are stored under."""
        names = " & ".join(judge.name for judge in self.judges)
        return f"{names} else {self.tie_break.name}" if self.tie_break else names

    @property
    def models(self) -> list[ModelJudge]:
        """Those of them that are models."""
        return [judge for judge in (*self.judges, self.tie_break) if isinstance(judge, ModelJudge)]

    async def judge(self, transcript: Transcript, record: PatientRecord) -> list[StoredVerdict]:
        """Judge diagnosis and treatment; if the rules can decide beyond doubt, no model is asked."""
        return [
            said if self.models and _is_sure(said, transcript) else await self._once(said, transcript, record)
            for said in spoken(transcript, record)
        ]

    async def _once(self, by_rules: StoredVerdict, transcript: Transcript, record: PatientRecord) -> StoredVerdict:
        """Judge an answer; a verdict on the same content is reused at no cost; only the rank is its own."""
        kind = cast("Kind", by_rules.kind)
        answer: str = getattr(transcript.conclusion, kind)
        content = _content(kind, answer, record)
        if content in self.known:
            return replace(self.known[content], rank=by_rules.rank, tokens=0)
        opinions = [await judge.judge(kind, answer, record) for judge in self.judges]
        differing = " / ".join(one.verdict.value for one in opinions)
        is_split = len({one.verdict for one in opinions}) > 1
        if is_split and self.tie_break is not None:
            opinions.append(await self.tie_break.judge(kind, answer, record))
        tokens = sum(one.tokens or 0 for one in opinions)
        said = StoredVerdict(kind, Verdict.UNPARSED.value, "judges differ", differing, by_rules.rank, tokens)
        if not is_split or self.tie_break is not None:
            rung, last = "model" if self.models else "judge", opinions[-1]
            said = replace(said, verdict=last.verdict.value, rung=rung, because=last.because)
        self.known[content] = said
        return said


def _is_sure(said: StoredVerdict, transcript: Transcript) -> bool:
    """Check for an exact name, an unsafe drug, no answer or several, no diagnosis: a model could only be wrong here."""
    conclusion = transcript.conclusion
    names_none = said.kind == "diagnosis" and conclusion and not committed(conclusion.diagnosis).diagnosis
    return (
        said.verdict in {Verdict.UNPARSED, Verdict.NONE, Verdict.UNSAFE}
        or said.rung == "several"
        or (said.verdict == Verdict.CORRECT and said.rung == "name")
        or bool(names_none)
    )
