"""Whether the record has what was asked for at all: the evidence that tells a thing from its neighbours.

Alcohol is not smoking, and a CT of the chest is no film of it: where a question clearly means a thing that no entry is
about, what lies nearest is not what was asked for.
"""

from __future__ import annotations

import numpy as np

from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Floats, Layout
from osler.records.schema import Category

_LEAST = 0.05
"""A best entry below this is no measure for the others."""
_NOTHING_HERE = frozenset({"none", "other"})


def columns(intent: Intent, layout: Layout) -> Floats:
    """(entries, columns): what is meant and held, and how the question as a whole stands to the record."""
    entries = len(layout.own)
    own, near = [0.0] * entries, [0.0] * entries
    missing, first = zip(*(_weigh(ask, layout, own, near) for ask in intent.asks), strict=True)
    most = max(own, default=0.0)
    found = np.empty((11, entries))
    found[0], found[1] = own, near
    found[2] = found[0] / max(most, _LEAST)
    whole = (most, min(missing), missing[0], max(first), first[0], intent.is_asking, intent.names_kin, 0.0)
    found[3:] = np.array(whole)[:, None]
    if intent.names_kin and (family := layout.of_category.get(Category.FAMILY_HISTORY.value)) is not None:
        found[10, family] = 1.0
    return found.T


def _weigh(ask: Ask, layout: Layout, own: list[float], near: list[float]) -> tuple[float, float]:
    """Note for each entry how clearly it is meant, by a thing of its own and by one beside it.

    Comes back: how much is meant of which no entry is, and how clearly the likeliest thing is, negative where that is
    one of these.
    """
    missing = first = 0.0
    held = False
    for name, share in ask.meant.items():
        has = False
        for place, part in layout.about.get(name, ()):
            if part >= 1.0:
                has = True
                own[place] = max(own[place], share)
            else:
                near[place] = max(near[place], share)
        if name not in _NOTHING_HERE:
            missing += 0.0 if has else share
            if share > first:
                first, held = share, has
    return missing, first if held else -first
