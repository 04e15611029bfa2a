"""Tell when several trials of a plan cannot differ.

They would be counted as if they were chances of their own.
"""

from __future__ import annotations

from osler.errors import warn
from osler.memory.registry import BUILT_IN, memory_options
from osler.models import parse_spec
from osler.runs.plan import Plan, models_of
from osler.settings.names import HUMAN, ONE_STEP


def warn_of_equal_trials(plan: Plan) -> None:
    """Warn if nothing in a plan with several trials is drawn anew in each of them.

    Small talk and the order of a stream are drawn for each trial, a person never does the same
    twice, and what a backbone or a memory of your own does is not known here.
    """
    settings = plan.settings
    if plan.trials < 2 or plan.experience or settings.filler:
        return
    memories = {memory_options(memory)[0] for memory in plan.memories}
    if HUMAN in (*plan.backbones, settings.patient_backbone) or not memories <= {
        *BUILT_IN,
        ONE_STEP,
    }:
        return
    models = models_of(plan.columns, settings)
    if not models:
        warn(
            f"rules decide nothing by chance: the {plan.trials} trials will be the same, and more"
            " of them tell nothing"
        )
        return
    temperatures = {settings.for_column(column).temperature for column in plan.columns}
    if not any(_may_sample(spec, max(temperatures)) for spec in models):
        warn(
            f"at temperature 0 a model answers a request nearly always alike, so the {plan.trials}"
            " trials will mostly repeat each other; give --temperature 0.7, for example, or fewer"
            " --trials"
        )


def _may_sample(text: str, temperature: float) -> bool:
    """Whether a model may answer the same request in different ways.

    Its own parameter wins over the run's.
    """
    spec = parse_spec(text)
    return spec.kind == "plugin" or spec.options().get("temperature", temperature) != 0
