"""The evidence that a question asks for an entry: by words, by phrases, by meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence

from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Column, Layout, Places, grams

FEATURES = (
    "name_covered",
    "ask_covered",
    "ask_in_text",
    "shared_concept",
    "concept_rank",
    "other_concept",
    "ngrams",
    "category",
    "name_in_ask",
    "ask_is_whole",
    "best_lexical",
    "best_concept",
    "name_says",
    "ask_unmet",
    "concept_alone",
    "concept_leads",
    "meant",
    "meant_rank",
    "meant_other",
    "meant_alone",
    "named",
    "named_other",
)
_WHOLE_NAME = 0.999
_MOST_SAID, _MOST_UNMET = 12.0, 20.0
_SAME = 1e-9


def evidence(intent: Intent, layout: Layout) -> list[Column]:
    """The best of the asks for each entry, and how the question stands to the whole record."""
    asks = intent.asks
    spoken_for, spoken_against = zip(*(_features(ask, layout) for ask in asks), strict=True)
    best = {name: (0.0, highest([found[name] for found in spoken_for])) for name in spoken_for[0]}
    least = {name: _lowest([found[name] for found in spoken_against]) for name in spoken_against[0]}
    # Of a question with parts it is its parts that are asked for, the whole of another is its only ask.
    known = best | least | {"ask_is_whole": (0.0, {})}
    meant, covered, in_text = (best[name][1] for name in ("meant", "name_covered", "ask_in_text"))
    second, first = sorted([*meant.values(), 0.0, 0.0])[-2:]
    whole = (
        first,
        second,
        max(max(ask.meant.values(), default=0.0) for ask in asks),
        max(ask.meant.get("none", 0.0) for ask in asks),
        max(ask.meant.get("other", 0.0) for ask in asks),
        max(len(ask.words) for ask in asks),
        len(asks),
        max(covered.values(), default=0.0),
        max(in_text.values(), default=0.0),
    )
    leads = {place: first for place, share in meant.items() if share >= first - _SAME}
    return [*(known[name] for name in FEATURES), (0.0, leads), *((float(value), {}) for value in whole)]


def _features(ask: Ask, layout: Layout) -> tuple[dict[str, Places], dict[str, Column]]:
    """What speaks for the entries that have something of an ask, and what speaks against any of them."""
    total = layout.said(ask.words) or 1.0
    covered, says, own = _by_names(ask, layout)
    met = _by_texts(ask, layout)
    shared, meant, named = (shared_by(spoken_of, layout) for spoken_of in (ask.concepts, ask.meant, ask.named))
    best_name, best_shared, best_meant = (max(found.values(), default=0.0) for found in (covered, shared, meant))
    clearest = max(ask.concepts.values(), default=0.0)
    # Where no name of any entry is in the ask, the concept has to speak alone.
    alone = 1.0 - best_name
    speaks_for = {
        "name_covered": covered,
        "ask_covered": {place: weight / total for place, weight in own.items()},
        "ask_in_text": {place: weight / total for place, weight in met.items()},
        "shared_concept": shared,
        "concept_rank": {place: share / clearest for place, share in shared.items()},
        "ngrams": _alike(ask, layout),
        "category": {
            place: ask.categories[name] for name in ask.categories for place in layout.of_category.get(name, ())
        },
        "name_in_ask": {place: 1.0 for place, share in covered.items() if share > _WHOLE_NAME},
        "best_lexical": {place: share for place, share in covered.items() if share >= best_name - _SAME},
        "best_concept": {place: share for place, share in shared.items() if share >= best_shared - _SAME},
        "name_says": says,
        "concept_alone": {place: share * alone for place, share in shared.items()},
        "concept_leads": {place: share * alone for place, share in shared.items() if share >= clearest - _SAME},
        "meant": meant,
        "meant_rank": {place: share / best_meant for place, share in meant.items()},
        "meant_alone": {place: math.sqrt(share) * alone for place, share in meant.items()},
        "named": named,
    }
    unmet = {place: min(total - weight, _MOST_UNMET) / _MOST_UNMET for place, weight in met.items()}
    speaks_against = {
        "other_concept": _other(ask.concepts, shared),
        "meant_other": _other(ask.meant, meant),
        "named_other": _other(ask.named, named),
        "ask_unmet": (min(total, _MOST_UNMET) / _MOST_UNMET, unmet),
    }
    return speaks_for, speaks_against


def _by_names(ask: Ask, layout: Layout) -> tuple[Places, Places, Places]:
    """What the names of an entry come to: share covered at best, what a whole one says, and what all share with it."""
    there: Places = {}
    own: Places = {}
    for word in ask.words:
        holders = layout.in_names.get(word, ())
        weight = layout.lexicon.weight(word)
        for name in holders:
            there[name] = there.get(name, 0.0) + weight
        for place in {layout.names[name].place for name in holders}:
            own[place] = own.get(place, 0.0) + weight
    covered: Places = {}
    says: Places = {}
    for name, weight in there.items():
        place, in_all, _ = layout.names[name]
        share = weight / in_all
        if share > covered.get(place, 0.0):
            covered[place] = share
        if share > _WHOLE_NAME:
            says[place] = max(says.get(place, 0.0), min(in_all, _MOST_SAID) / _MOST_SAID)
    return covered, says, own


def _by_texts(ask: Ask, layout: Layout) -> Places:
    """How much of an ask an entry has, in its names or in what it tells."""
    met: Places = {}
    for word in ask.words:
        if holders := layout.in_entries.get(word):
            weight = layout.lexicon.weight(word)
            for place in holders:
                met[place] = met.get(place, 0.0) + weight
    return met


def _alike(ask: Ask, layout: Layout) -> Places:
    """How much the letters of an ask and of an entry's names are alike at best: the cosine of character grams."""
    some = grams(ask.text, layout.language)
    shared: dict[int, int] = {}
    for gram in some:
        for name in layout.grams_in_names.get(gram, ()):
            shared[name] = shared.get(name, 0) + 1
    length = math.sqrt(max(1, len(some)))
    alike: Places = {}
    for name, count in shared.items():
        place, _, its_length = layout.names[name]
        # Spelled out, here and elsewhere in this folder: a call of max for each takes longer than all else.
        if (cosine := count / length / its_length) > alike.get(place, 0.0):
            alike[place] = cosine
    return alike


def shared_by(asked: dict[str, float], layout: Layout) -> Places:
    """How strongly the entries that share a concept with what was asked do so."""
    shared: Places = {}
    for name, score in asked.items():
        for place, share in layout.about.get(name, ()):
            if (both := score * share) > shared.get(place, 0.0):
                shared[place] = both
    return shared


def _other(asked: dict[str, float], shared: Places) -> Column:
    """How much clearer the clearest of what was asked is than what an entry shares of it."""
    clearest = max(asked.values(), default=0.0)
    return clearest, {place: clearest - share for place, share in shared.items()}


def highest(several: Sequence[Places]) -> Places:
    """The highest number of each entry, none of which is below 0."""
    first, *others = several
    if not others:
        return first
    found = first.copy()
    for other in others:
        for place, value in other.items():
            if value > found.get(place, 0.0):
                found[place] = value
    return found


def _lowest(several: Sequence[Column]) -> Column:
    """The lowest number of each entry."""
    if len(several) == 1:
        return several[0]
    most = min(usual for usual, _ in several)
    found: Places = {}
    for _, others in several:
        for place, value in others.items():
            if value < found.get(place, most):
                found[place] = value
    return most, found
