"""Judge a run again: by what is exact, by a majority of judges, or by a person's sheet."""

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
    RunAnswer,
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
            record = store.record(transcript.header.case)
            store.store_score(number, score(transcript, record, prices))
        undecided = sum(answer.is_undecided for answer in answers_of(store))
    return f"{len(numbers)} consultation(s) judged by {EXACT}; {undecided} answer(s) are undecided"


_TEST_PRICES = TypeAdapter(dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]])


def read_test_prices(path: Path) -> dict[str, float]:
    """Read what tests cost, by their names: a YAML file with `NAME: PRICE` lines.

    Raises:
        UserError: The file cannot be read or is not such a table.
    """
    from osler.records.formats.yaml import read
    from osler.records.validation import RecordError

    try:
        tables = [getattr(part, "data", None) for part in read(path, str(path))]
        return _TEST_PRICES.validate_python(tables[0] if len(tables) == 1 else None)
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
        work.store_all()
        return work.names[-1], work.summary()


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
                # It was examined when this run was judged before.
                continue
            examination, tokens = await examined(judge, language, gate)
            require_agreement(judge.name, kinds, language, examination)
            store_marks(store, judge.name, {language: examination.marks})
            spent += tokens
    return spent


async def opinion_of(judge: Judge, content: AnswerContent, record: PatientRecord) -> Opinion:
    """Ask a judge; what it says is marked as its own, so that nobody asks it again."""
    opinion = await judge.judge(content.kind, content.text, record)
    return replace(opinion, rung=RUNG if isinstance(judge, ModelJudge) else "judge")


class PanelWork:
    """A panel at work on one run."""

    def __init__(self, store: RunWriter, panel: Panel, options: JudgeOptions) -> None:
        self._store = store
        self._judges = panel.judges
        self._options = options
        self._answers = list(answers_of(store))
        contents = by_content(answer for answer in self._answers if answer.can_be_judged)
        self._exact: dict[AnswerContent, Opinion] = {}
        """What is exactly a name that the record lists; it needs no reader."""
        self._to_read: dict[AnswerContent, list[RunAnswer]] = {}
        """Everything else, with the answers that have it."""
        for content, answers in contents.items():
            truth = truth_of(content.kind, store.record(content.case))
            exact = exact_opinion(truth, content.text)
            if exact is not None:
                self._exact[content] = exact
            else:
                self._to_read[content] = answers
        single = (*panel.judges, panel) if len(panel.judges) > 1 else panel.judges
        self.names = [judge.name for judge in single]
        """The names under which verdicts are stored: every judge's, and the panel's last."""
        self._opinions: list[dict[AnswerContent, Opinion]] = [
            {} if options.again else own_opinions(store, name, self._answers)
            for name in self.names[: len(panel.judges)]
        ]
        """What each judge says."""
        self.tokens = 0
        self.cost = 0.0
        self._gate = asyncio.Semaphore(options.concurrency)

    async def ask(self) -> None:
        """Ask every judge about what it has not judged yet, after it was examined."""
        todo: list[tuple[int, AnswerContent]] = []
        for place, opinions in enumerate(self._opinions):
            todo += [(place, content) for content in self._to_read if content not in opinions]
        if not self._options.any_judge:
            judges = [self._judges[place] for place in sorted({place for place, _ in todo})]
            languages = sorted({self._to_read[content][0].language for _, content in todo})
            kinds = sorted({content.kind for content in self._to_read})
            self.tokens += await examine_judges(self._store, judges, languages, kinds, self._gate)
        async with asyncio.TaskGroup() as group:
            for place, content in todo:
                group.create_task(self._ask_one(place, content))

    async def _ask_one(self, place: int, content: AnswerContent) -> None:
        """Judge an answer, and store the verdict for all consultations that ended with it."""
        judge = self._judges[place]
        async with self._gate:
            opinion = await opinion_of(judge, content, self._store.record(content.case))
        self._opinions[place][content] = opinion
        self.tokens += opinion.tokens or 0
        self.cost += opinion.cost or 0.0
        tokens = opinion.tokens
        for answer in self._to_read[content]:
            stored = StoredScore(self.names[place], [answer.verdict(opinion, tokens)])
            self._store.store_score(answer.place.number, stored)
            # The others cost nothing.
            tokens = 0

    def store_all(self) -> None:
        """Store what every judge and the panel say of all answers.

        What nobody can read stays as it is.
        """
        panel = {}
        for content in self._to_read:
            panel[content] = decide([opinions[content] for opinions in self._opinions])
        # A single judge is its own panel, so there is a name less than there are opinions.
        for name, opinions in zip(self.names, (*self._opinions, panel), strict=False):
            all_opinions = {**opinions, **self._exact}
            verdicts = {}
            for answer in self._answers:
                verdicts[answer.place] = answer.by_names
                if answer.can_be_judged:
                    verdicts[answer.place] = answer.verdict(all_opinions[answer.content])
            store_verdicts(self._store, name, verdicts)

    def summary(self) -> list[str]:
        """Say what was read and what it cost, the verdicts, and how far the judges agree."""
        price = f", {self.cost:.4f} USD" if self.cost else ""
        exact = f", {len(self._exact)} exactly named" if self._exact else ""
        lines = [
            f"{len(self._to_read)} answers read by {self.names[-1]}{exact}; {self.tokens:,}"
            f" tokens{price}"
        ]
        final = stored_verdicts(self._store, self.names[-1])
        for kind in KINDS:
            places = [answer.place for answer in self._answers if answer.place.kind == kind]
            counts = Counter(final[place].verdict for place in places)
            if counts:
                parts = [f"{count} {verdict}" for verdict, count in counts.most_common()]
                lines.append(f"{kind}: {', '.join(parts)}")
        if len(self._judges) > 1:
            lines += self._agreement()
        return lines

    def _agreement(self) -> list[str]:
        groups: dict[str, list[list[Verdict]]] = defaultdict(list)
        for content, (first, *_) in self._to_read.items():
            verdicts = [opinions[content].verdict for opinions in self._opinions]
            groups["all"].append(verdicts)
            groups[f"{content.kind} {first.language}"].append(verdicts)
        title = f"agreement of {len(self._judges)} judges"
        return [
            agreement_line(f"{title}, {name}", verdicts)
            for name, verdicts in sorted(groups.items())
        ]
