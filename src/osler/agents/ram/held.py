"""Whether the record has what was asked for at all: the evidence that tells a thing from its neighbours.

Alcohol is not smoking, and a CT of the chest is no film of it: where a question clearly means a thing that no entry is
about, what lies nearest is not what was asked for.
"""

from __future__ import annotations

from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Columns, Layout, Places
from osler.language.lexicon.qualities import ALL_RESULTS, QUALITIES
from osler.ranking import best
from osler.records.schema import Category

_LEAST = 0.05
"""A best entry below this is no measure for the others."""
_NOTHING_HERE = frozenset({"none", "other", "plan-consent", "comfort", "reassurance", "paperwork"})
"""Talk, and what no record has."""
_OF_ANYTHING = QUALITIES | ALL_RESULTS | _NOTHING_HERE | {"associated-symptoms", "chief-complaint", "treatment-so-far"}
"""What names no thing by itself."""
_FAMILY = Category.FAMILY_HISTORY.value


def columns(intent: Intent, layout: Layout) -> Columns:
    """What is meant and held, and how the question as a whole stands to the record."""
    own: Places = {}
    near: Places = {}
    missing, first = zip(*(_weigh(ask, layout, own, near) for ask in intent.asks), strict=True)
    most = max(own.values(), default=0.0)
    measure = max(most, _LEAST)
    # Who asks for psoriasis does not ask whether a mother had bad joints.
    family = dict.fromkeys(layout.of_category.get(_FAMILY, ()), 1.0 if intent.names_kin else -1.0)
    meant, not_held = _things([ask.meant for ask in intent.asks], layout)
    named, not_named = _things([ask.named for ask in intent.asks], layout)
    whole = (most, min(missing), missing[0], max(first), first[0], float(intent.is_asking), float(intent.names_kin))
    ranks = {place: share / measure for place, share in own.items()}
    usual = [0.0, 0.0, 0.0, *whole, 0.0, 0.0, not_held, 0.0, not_named]
    return usual, {0: own, 1: near, 2: ranks, 10: family, 11: meant, 13: named}


def _things(asks: list[dict[str, float]], layout: Layout) -> tuple[Places, float]:
    """How clearly each entry is a thing that is spoken of, and how clearly one is that no entry is.

    How bad and since when may be asked of anything: a headache's severity does not ask for a pain of the chest.
    """
    found: Places = {}
    missing = 0.0
    for asked in asks:
        for name, share in asked.items():
            if name in _OF_ANYTHING:
                continue
            held = layout.about.get(name, ())
            for place, part in held:
                if (both := share * part) > found.get(place, 0.0):
                    found[place] = both
            if not held and share > missing:
                missing = share
    return found, missing


def _weigh(ask: Ask, layout: Layout, own: Places, near: Places) -> tuple[float, float]:
    """Note for the entries how clearly each is meant, by a thing of its own and by one beside it.

    Comes back: how much is meant of which no entry is, and how clearly the likeliest thing is, negative where that is
    one of these.
    """
    missing = 0.0
    things: dict[str, bool] = {}
    for name, share in ask.meant.items():
        has = False
        for place, part in layout.about.get(name, ()):
            if part >= 1.0:
                has = True
                if share > own.get(place, 0.0):
                    own[place] = share
            elif share > near.get(place, 0.0):
                near[place] = share
        if name not in _NOTHING_HERE:
            missing += 0.0 if has else share
            things[name] = has
    if not things:
        return missing, 0.0
    names = list(things)
    first = names[best([ask.meant[name] for name in names], names)]
    return missing, ask.meant[first] if things[first] else -ask.meant[first]
