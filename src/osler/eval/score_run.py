"""Judge a run again.

By what is exact, by one or more judges that decide by majority, or by a person's sheet.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from osler.errors import UserError
from osler.eval.judge import Judge, Kind, Opinion, truth_of
from osler.eval.panel import Panel, agreement_line, decide, open_panel
from osler.eval.reader.exact import exact_opinion
from osler.eval.reader.marks import examined, has_marks, require_agreement, store_marks
from osler.eval.reader.model_judge import RUNG, ModelJudge
from osler.eval.run_answers import (
    KINDS,
    AnswerContent,
    answers_of,
    by_content,
    own_opinions,
    store_verdicts,
    stored_verdicts,
)
from osler.eval.scoring import EXACT, score, score_missing
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records.schema import PatientRecord
from osler.runs.store import RunWriter, StoredScore
from osler.settings.names import CONCURRENCY, TIMEOUT


@dataclass(frozen=True)
class JudgeOptions:
    """How judges are asked."""

    again: bool = False
    """Ask also about answers that the judge has judged before."""
    any_judge: bool = False
    """Do not try models on the controls first."""
    concurrency: int = CONCURRENCY
    timeout: float = TIMEOUT


def judge_run(run: Path, specs: Sequence[str], options: JudgeOptions) -> tuple[str, list[str]]:
    """Have judges judge what ended with an answer.

    Every judge's own verdicts and the panel's are stored.

    Returns:
        The name under which the panel's verdicts are stored, and lines that say what was done.

    Raises:
        UserError: A judge cannot be reached or cannot judge.
    """
    with RunWriter.resume(run) as store:
        name, lines = asyncio.run(_judged(store, specs, options))
        if store.own_judge() is None and not options.any_judge:
            store.make_own_judge(name)
        return name, lines


def judge_exactly(run: Path, *, again: bool = False, test_prices: Path | None = None) -> str:
    """Judge a run again by what is exact; return one line that says what was done.

    With a table of what tests cost, all consultations are measured again with it.

    Raises:
        UserError: The run or the table cannot be read.
    """
    prices = read_test_prices(test_prices) if test_prices is not None else None
    with RunWriter.resume(run) as store:
        numbers = store.unjudged("" if again or prices is not None else EXACT)
        for number in numbers:
            transcript = store.transcript(number)
            assert transcript is not None
            store.store_score(
                number, score(transcript, store.record(transcript.header.case), prices)
            )
        left = sum(one.is_undecided for one in answers_of(store))
    return f"{len(numbers)} consultation(s) judged by {EXACT}; {left} answer(s) are undecided"


def read_test_prices(path: Path) -> dict[str, float]:
    """Read what tests cost, by their names: a YAML file with `NAME: PRICE` lines.

    Raises:
        UserError: The file cannot be read or is not such a table.
    """
    from osler.records.formats.yaml import read
    from osler.records.validation import RecordError

    try:
        table = [getattr(part, "data", None) for part in read(path, str(path))]
        return TypeAdapter(
            dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]]
        ).validate_python(*table)
    except OSError as error:
        raise UserError(
            f"the prices of tests {path} cannot be read ({error.strerror})", "check the path"
        ) from None
    except (ValidationError, RecordError):
        raise UserError(
            f"{path} is no table of what tests cost", "write `Chest X-ray: 40`, one test a line"
        ) from None


async def _judged(
    store: RunWriter, specs: Sequence[str], options: JudgeOptions
) -> tuple[str, list[str]]:
    score_missing(store)
    async with open_panel(specs, seconds=options.timeout) as panel:
        work = PanelWork(store, panel, options)
        try:
            await work.ask()
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        work.keep()
        return work.names[-1], work.told()


async def examine_judges(
    store: RunWriter,
    judges: Sequence[Judge],
    languages: Sequence[Language],
    kinds: Sequence[Kind],
    gate: asyncio.Semaphore,
) -> int:
    """Examine those judges that are models, and keep their marks in the run.

    Return the tokens that it took.

    Raises:
        UserError: One cannot judge.
    """
    spent = 0
    for judge in judges:
        if not isinstance(judge, ModelJudge):
            continue
        for language in languages:
            if has_marks(store, judge.name, language):
                continue  # it was examined when this run was judged before
            examination, tokens = await examined(judge, language, gate)
            require_agreement(judge.name, kinds, language, examination)
            store_marks(store, judge.name, {language: examination.marks})
            spent += tokens
    return spent


async def opinion_of(judge: Judge, content: AnswerContent, record: PatientRecord) -> Opinion:
    """Ask a judge; what it says is marked as its own, so that nobody asks it again."""
    said = await judge.judge(content.kind, content.text, record)
    return replace(said, rung=RUNG if isinstance(judge, ModelJudge) else "judge")


class PanelWork:
    """A panel at work on one run."""

    def __init__(self, store: RunWriter, panel: Panel, options: JudgeOptions) -> None:
        self._store, self._judges, self._options = store, panel.judges, options
        self._answers = list(answers_of(store))
        contents = by_content(one for one in self._answers if one.can_be_judged)
        self._exact = {
            content: opinion
            for content in contents
            if (
                opinion := exact_opinion(
                    truth_of(content.kind, store.record(content.case)), content.text
                )
            )
            is not None
        }
        """What is exactly a name that the record lists; it needs no reader."""
        self._asked = {
            content: places for content, places in contents.items() if content not in self._exact
        }
        single = (*panel.judges, panel) if len(panel.judges) > 1 else panel.judges
        self.names = [judge.name for judge in single]
        """The names under which verdicts are stored: every judge's, and the panel's last."""
        self._opinions: list[dict[AnswerContent, Opinion]] = [
            {} if options.again else own_opinions(store, name, self._answers)
            for name in self.names[: len(panel.judges)]
        ]
        """What each judge says."""
        self.tokens, self.cost = 0, 0.0
        self._gate = asyncio.Semaphore(options.concurrency)

    async def ask(self) -> None:
        """Ask every judge about what it has not judged yet, after it was examined."""
        todo = [
            (place, one)
            for place, known in enumerate(self._opinions)
            for one in self._asked
            if one not in known
        ]
        if not self._options.any_judge:
            judges = [self._judges[place] for place in sorted({place for place, _ in todo})]
            languages = sorted({self._asked[content][0].language for _, content in todo})
            kinds = sorted({content.kind for content in self._asked})
            self.tokens += await examine_judges(self._store, judges, languages, kinds, self._gate)
        async with asyncio.TaskGroup() as group:
            for place, content in todo:
                group.create_task(self._ask_one(place, content))

    async def _ask_one(self, place: int, content: AnswerContent) -> None:
        """Judge an answer, and store the verdict for all consultations that ended with it."""
        judge = self._judges[place]
        async with self._gate:
            said = await opinion_of(judge, content, self._store.record(content.case))
        self._opinions[place][content] = said
        self.tokens += said.tokens or 0
        self.cost += said.cost or 0.0
        tokens = said.tokens
        for one in self._asked[content]:
            self._store.store_score(
                one.place.number, StoredScore(self.names[place], [one.verdict(said, tokens)])
            )
            tokens = 0  # the others cost nothing

    def keep(self) -> None:
        """Store what every judge and the panel say of all answers.

        What nobody can read stays as it is.
        """
        panel = {
            content: decide([known[content] for known in self._opinions]) for content in self._asked
        }
        for name, opinions in zip(self.names, (*self._opinions, panel), strict=False):
            said = {**opinions, **self._exact}
            verdicts = {
                one.place: one.verdict(said[one.content]) if one.can_be_judged else one.by_names
                for one in self._answers
            }
            store_verdicts(self._store, name, verdicts)

    def told(self) -> list[str]:
        """Say what was done.

        The calls and what they cost, the verdicts, and how far the judges agree.
        """
        price = f", {self.cost:.4f} USD" if self.cost else ""
        exact = f", {len(self._exact)} exactly named" if self._exact else ""
        lines = [
            f"{len(self._asked)} answers read by {self.names[-1]}{exact}; {self.tokens:,}"
            f" tokens{price}"
        ]
        final = stored_verdicts(self._store, self.names[-1])
        for kind in KINDS:
            counts = Counter(
                final[one.place].verdict for one in self._answers if one.place.kind == kind
            )
            lines += (
                [f"{kind}: {', '.join(f'{n} {verdict}' for verdict, n in counts.most_common())}"]
                if counts
                else []
            )
        return lines + (self._agreement() if len(self._judges) > 1 else [])

    def _agreement(self) -> list[str]:
        groups: dict[str, list[list[Verdict]]] = defaultdict(list)
        for content, (first, *_) in self._asked.items():
            verdicts = [known[content].verdict for known in self._opinions]
            groups["all"].append(verdicts)
            groups[f"{content.kind} {first.language}"].append(verdicts)
        title = f"agreement of {len(self._judges)} judges"
        return [
            agreement_line(f"{title}, {name}", verdicts)
            for name, verdicts in sorted(groups.items())
        ]
