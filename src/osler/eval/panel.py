"""A panel of judges: what they decide together, and how far they agree."""

from __future__ import annotations

from collections import Counter
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
    """Some judges that decide by majority.

    Itself a judge, so that it can stand wherever one does.
    """

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
    tokens = [one.tokens for one in opinions if one.tokens is not None]
    costs = [one.cost for one in opinions if one.cost is not None]
    spent = sum(tokens) if tokens else None, sum(costs) if costs else None
    votes = Counter(one.verdict for one in opinions if one.verdict is not Verdict.UNDECIDED)
    for verdict, count in votes.most_common(1):
        if count > len(opinions) / 2:
            because = next(one.because for one in opinions if one.verdict is verdict)
            rung = "judges agree" if count == len(opinions) else "majority"
            return Opinion(verdict, because, *spent, rung)
    told = " / ".join(one.verdict.value for one in opinions)
    return Opinion(Verdict.UNDECIDED, told, *spent, "judges differ")


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

    Share of equal verdicts, and kappa.

    Cohen's kappa for two judges and Krippendorff's alpha (nominal) for more; what a judge left
    undecided is left out.
    """
    known = list(Verdict)
    given = [[one for one in each if one is not Verdict.UNDECIDED] for each in verdicts]
    judges = max(map(len, verdicts), default=0)
    full = [each for each in given if len(each) == judges]
    if not full:
        return f"{title}: n 0"
    if judges == 2:
        measure, found = "kappa", cohen_kappa([(first, second) for first, second in full])
    else:
        measure, found = (
            "alpha",
            krippendorff_alpha([list(map(known.index, each)) for each in given], nominal=True),
        )
    equal = sum(len(set(each)) == 1 for each in full)
    value = "– (one verdict only)" if found.value is None else f"{found.value:.2f}"
    return f"{title}: n {len(full)}, equal {equal / len(full):.0%}, {measure} {value}"
