"""What each memory is worth when the room for it shrinks: diagnoses of the bundled patients.

python benchmarks/budget.py                              the full budget, and that of four turns
python benchmarks/budget.py --budget 250 --budget 125    rows for further budgets, in tokens

Nobody here is a model. Of each pair of rows, `raw` is the dialogue word for word and `tim` its
thoughts. For the four turns, `raw` holds the last four of them, and `tim` may at each recall take
as many tokens as the last four turns of its own consultation would, however little was said in
them. The pair after that has one budget for all recalls, as any run has: what the last four turns
took on average. Patients are the units of the interval and the test: one patient is there in both
languages.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(
    0, str(Path(__file__).parents[1])
)  # so that memories are found as `benchmarks.budget:...`

from osler.eval.scoring import exact_verdicts
from osler.eval.statistics import Trial, paired
from osler.eval.verdict import Verdict
from osler.memory import Change, Memory, MemorySettings, Recall, Turn, memory_factory
from osler.memory.base import Query, tokens
from osler.records import Language, RecordPool
from osler.records.schema import PatientRecord
from osler.runs.events import Recalled
from osler.runs.plan import Cell, Column
from osler.settings.names import PLAIN, RULES
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one

LAST = 4


class LastFour:
    """A raw memory of the last four turns."""

    name = "last four turns"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._turns: deque[Turn] = deque(maxlen=LAST)

    async def remember(self, turn: Turn) -> Change:
        """Hold the turn in the place of the oldest."""
        self._turns.append(turn)
        return Change()

    async def recall(self, query: Query) -> Recall:
        """What a raw memory of these turns alone would bring."""
        raw = memory_factory("raw")(self._settings)
        for turn in self._turns:
            await raw.remember(turn)
        return await raw.recall(query)

    @property
    def state(self) -> dict[str, Any]:
        """The turns it holds."""
        return {"turns": [turn.model_dump() for turn in self._turns]}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        """Exactly these turns."""
        self._turns = deque(map(Turn.model_validate, state["turns"]), maxlen=LAST)


class TimOfFour:
    """Think-in-Memory that may take the tokens of the last four turns and no more."""

    name = "tim, tokens of the last four turns"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._settings = settings
        self._tim = memory_factory("tim")(settings)
        self._last = LastFour(settings)

    async def remember(self, turn: Turn) -> Change:
        """Think about the turn, and know how long it was."""
        await self._last.remember(turn)
        return await self._tim.remember(turn)

    async def recall(self, query: Query) -> Recall:
        """What the same memory brings when it has that budget."""
        budget = tokens((await self._last.recall(query)).text)
        return await self._with(budget).recall(query)

    def _with(self, budget: int) -> Memory:
        """Another memory with this budget and the same state: a budget cannot be changed."""
        tim = memory_factory("tim")(self._settings.model_copy(update={"budget": budget}))
        tim.state = self._tim.state
        return tim

    @property
    def state(self) -> dict[str, Any]:
        """Both memories."""
        return {"tim": self._tim.state, "last": self._last.state}

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        """Exactly these."""
        self._tim.state = state["tim"]
        self._last.state = state["last"]


class Row(NamedTuple):
    """A memory and its budget."""

    title: str
    memory: str
    settings: RunSettings


class Outcome(NamedTuple):
    """What came of one consultation."""

    is_right: bool
    tokens: int
    """Of the last recall, with which the doctor concludes."""


def pair_of(settings: RunSettings, budget: int) -> tuple[Row, Row]:
    """Raw and tim with so many tokens at every recall."""
    own = replace(settings, budget=budget)
    return Row(f"raw, {budget} tokens", "raw", own), Row(f"tim, {budget} tokens", "tim", own)


def four_turns(settings: RunSettings) -> tuple[Row, Row]:
    """Raw that holds four turns, and tim with the tokens of these."""
    return (
        Row("raw, last four turns", f"benchmarks.budget:{LastFour.__name__}", settings),
        Row("tim, tokens of these", f"benchmarks.budget:{TimOfFour.__name__}", settings),
    )


def held(row: Row, record: PatientRecord) -> Outcome:
    """Hold one consultation and judge it."""
    cell = Cell(record.id, Column.of(RULES, PLAIN, row.memory), 1)
    transcript = asyncio.run(simulate_one(record, cell, row.settings, Clients()))
    if not transcript.ending.is_answer:
        raise SystemExit(
            f"{record.id} with {row.memory} ended with {transcript.ending.value}:"
            f" {transcript.events[-1]}"
        )
    verdicts = {verdict.kind: verdict for verdict in exact_verdicts(transcript, record)}
    recalls = [event.recall.text for event in transcript.events if isinstance(event, Recalled)]
    is_right = verdicts["diagnosis"].verdict == Verdict.CORRECT.value
    return Outcome(is_right, tokens(recalls[-1]) if recalls else 0)


def right_in(
    outcomes: Mapping[str, Outcome], records: Sequence[PatientRecord]
) -> dict[Trial, float]:
    """Right or wrong by patient; the languages of one patient are its trials."""
    places = list(Language)
    return {
        Trial(one.patient, places.index(one.language)): float(outcomes[one.id].is_right)
        for one in records
    }


def parts(records: Sequence[PatientRecord]) -> Iterator[Sequence[PatientRecord]]:
    """Each language, and all of them together."""
    for language in Language:
        yield [record for record in records if record.language is language]
    yield records


def show(row: Row, outcomes: Mapping[str, Outcome], records: Sequence[PatientRecord]) -> None:
    right = [sum(outcomes[record.id].is_right for record in some) for some in parts(records)]
    print(f"{row.title:24}" + "".join(f"{count:8}" for count in right) + f"{taken(outcomes):10}")


def taken(outcomes: Mapping[str, Outcome]) -> int:
    """Tokens of the last recall, on average."""
    return round(sum(outcome.tokens for outcome in outcomes.values()) / len(outcomes))


def compare(
    raw: Mapping[str, Outcome], tim: Mapping[str, Outcome], records: Sequence[PatientRecord]
) -> None:
    """The gain of tim in each part, and on how many trials only one of the two is right."""
    gains = [paired(right_in(tim, some), right_in(raw, some)) for some in parts(records)]
    print(
        f"{'  tim - raw':24}"
        + "".join(f"{gain.only_first - gain.only_second:+8}" for gain in gains)
    )
    counts = "".join(f"{f'{gain.only_second}/{gain.only_first}':>8}" for gain in gains)
    both = gains[-1]
    between = (
        f"[{100 * both.interval.low:+.1f}, {100 * both.interval.high:+.1f}]"
        if both.interval
        else "unknown"
    )
    print(
        f"{'  only raw / only tim':24}{counts}   95 % of the gain in points {between}, p ="
        f" {both.p_value:.3g}\n"
    )


def run(settings: RunSettings, budgets: Sequence[int], workers: int) -> None:
    began = time.perf_counter()
    records = list(RecordPool.open())
    print(
        f"right diagnoses of {len(records)} records, seed {settings.seed}; the tokens are those of"
        " the last recall\n"
    )
    heads = [
        f"{name} {len(some)}"
        for name, some in zip([*Language, "both"], parts(records), strict=True)
    ]
    print(f"{'':24}" + "".join(f"{head:>8}" for head in heads) + f"{'tokens':>10}")
    with ProcessPoolExecutor(workers) as pool:

        def outcomes(row: Row) -> dict[str, Outcome]:
            got = pool.map(held, [row] * len(records), records, chunksize=4)
            return dict(zip((record.id for record in records), got, strict=True))

        def beside(pair: tuple[Row, Row]) -> int:
            """Hold and show a pair; the tokens that raw took."""
            by_raw, by_tim = map(outcomes, pair)
            show(pair[0], by_raw, records)
            show(pair[1], by_tim, records)
            compare(by_raw, by_tim, records)
            sys.stdout.flush()
            return taken(by_raw)

        none = Row("none", "none", settings)
        show(none, outcomes(none), records)
        print()
        beside(pair_of(settings, settings.budget))
        average = beside(four_turns(settings))
        for budget in (average, *budgets):
            beside(pair_of(settings, budget))
    print(f"{time.perf_counter() - began:.0f} s in all")


def at_least_one(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is too little; give 1 or more")
    return value


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--budget", type=at_least_one, action="append", default=[], help="tokens; can be repeated"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=at_least_one, default=2, help="processes")
    options = parser.parse_args()
    run(RunSettings(seed=options.seed), options.budget, options.workers)


if __name__ == "__main__":
    main()
