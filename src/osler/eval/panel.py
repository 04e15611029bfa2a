"""A panel of judges: what they decide together, and how far they agree."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from osler.errors import UserError
from osler.eval.judge import Judge, Kind, Opinion, outside_judge
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.statistics import cohen_kappa, krippendorff_alpha
from osler.eval.verdict import Verdict
from osler.models import open_backbone
from osler.records.schema import PatientRecord
from osler.settings.names import TIMEOUT

PERSON = "person:"
"""Begins the name under which a person's verdicts are stored."""


@dataclass(frozen=True)
class Panel:
    """Some judges that decide by majority: a judge itself, so that it can stand for one."""

    judges: Sequence[Judge]

    @property
    def name(self) -> str:
        """The name its verdicts are stored under."""
        return " & ".join(judge.name for judge in self.judges)

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Ask all judges, and decide."""
        return decide([await judge.judge(kind, answer, record) for judge in self.judges])


def decide(opinions: Sequence[Opinion]) -> Opinion:
    """The verdict that more than half of the judges gave; two have to agree.

    Otherwise the answer stays undecided.
    """
    if len(opinions) == 1:
        return opinions[0]
    tokens = [opinion.tokens for opinion in opinions if opinion.tokens is not None]
    costs = [opinion.cost for opinion in opinions if opinion.cost is not None]
    all_tokens = sum(tokens) if tokens else None
    all_costs = sum(costs) if costs else None
    for verdict in Verdict:
        votes = [opinion for opinion in opinions if opinion.verdict is verdict]
        if verdict is not Verdict.UNDECIDED and len(votes) > len(opinions) / 2:
            rung = "judges agree" if len(votes) == len(opinions) else "majority"
            return Opinion(verdict, votes[0].because, all_tokens, all_costs, rung)
    verdicts = " / ".join(opinion.verdict.value for opinion in opinions)
    return Opinion(Verdict.UNDECIDED, verdicts, all_tokens, all_costs, "judges differ")


@asynccontextmanager
async def open_panel(specs: Sequence[str], *, seconds: float = TIMEOUT) -> AsyncIterator[Panel]:
    """Open judges by their names: models, or judges of your own.

    Args:
        specs: Models, registered judges, or classes `package.module:Class`; at least one.
        seconds: Timeout for one call of a model.

    Raises:
        UserError: A judge cannot be opened, or is given twice.
    """
    async with AsyncExitStack() as stack:
        judges: list[Judge] = []
        for spec in specs:
            if spec.startswith(PERSON):
                raise UserError(
                    f"{spec} is a person", "import the sheet with --verdicts SHEET --person NAME"
                )
            judge = outside_judge(spec)
            if judge is None:
                backbone = open_backbone(spec, timeout=seconds)
                stack.push_async_callback(backbone.close)
                judge = ModelJudge(backbone)
            judges.append(judge)
        panel = Panel(judges)
        if len({judge.name for judge in judges}) < len(judges):
            raise UserError(f"the judges {panel.name} are not different", "give each --judge once")
        yield panel


def agreement_line(title: str, verdicts: Sequence[Sequence[Verdict]]) -> str:
    """How far judges agree on some answers, each with one verdict per judge.

    The share of equal verdicts, and Cohen's kappa for two judges or Krippendorff's alpha (nominal)
    for more; what a judge left undecided is left out.
    """
    decided = [_without_undecided(of_answer) for of_answer in verdicts]
    judges = max(map(len, verdicts), default=0)
    full = [of_answer for of_answer in decided if len(of_answer) == judges]
    if not full:
        return f"{title}: n 0"
    if judges == 2:
        measure = "kappa"
        agreement = cohen_kappa([(first, second) for first, second in full])
    else:
        measure = "alpha"
        agreement = krippendorff_alpha([_codes(of_answer) for of_answer in decided], nominal=True)
    equal = sum(len(set(of_answer)) == 1 for of_answer in full)
    value = "– (one verdict only)" if agreement.value is None else f"{agreement.value:.2f}"
    return f"{title}: n {len(full)}, equal {equal / len(full):.0%}, {measure} {value}"


def _without_undecided(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict is not Verdict.UNDECIDED]


def _codes(verdicts: Sequence[Verdict]) -> list[int]:
    """Verdicts as numbers; which is which does not matter to a nominal measure."""
    codes = list(Verdict)
    return [codes.index(verdict) for verdict in verdicts]
