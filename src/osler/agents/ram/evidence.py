"""The evidence that a question asks for an entry: by words, by phrases, by meaning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Columns, Layout, Places, grams
from osler.ranking import exceeds, reaches

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
_AT = {name: place for place, name in enumerate(FEATURES)}
_BY_NAMES, _BY_PHRASES, _BY_MEANING = (
    tuple(_AT[name] for name in names)
    for names in (
        ("name_covered", "ask_covered", "name_in_ask", "best_lexical", "name_says"),
        ("shared_concept", "concept_rank", "best_concept", "concept_alone", "concept_leads"),
        ("meant", "meant_rank", "meant_alone"),
    )
)
_AGAINST = [_AT[name] for name in ("ask_unmet", "other_concept", "meant_other", "named_other")]
_WHOLE_NAME = 0.999
_MOST_SAID, _MOST_UNMET = 12.0, 20.0

Weighed = list[tuple[str, float]]
"""Words that the record has, each with how much it says."""
Values = dict[int, tuple[float, ...]]
"""Several numbers for some of the entries, by their place in the record."""


@dataclass
class _Found:
    """What the asks of a question have in common with entries: of each number the best, for or against the entry."""

    by_names: Values = field(default_factory=dict)
    by_phrases: Values = field(default_factory=dict)
    by_meaning: Values = field(default_factory=dict)
    named: Places = field(default_factory=dict)
    in_text: Places = field(default_factory=dict)
    alike: Places = field(default_factory=dict)
    category: Places = field(default_factory=dict)
    unmet: Places = field(default_factory=dict)
    other_concept: Places = field(default_factory=dict)
    meant_other: Places = field(default_factory=dict)
    named_other: Places = field(default_factory=dict)


def evidence(intent: Intent, layout: Layout) -> Columns:
    """The best of the asks for each entry, and how the question stands to the whole record."""
    asks = intent.asks
    found = _Found()
    # `ask_is_whole` stays 0: of a question with parts each of them speaks against the whole.
    usual = [0.0] * len(FEATURES)
    limits = [_weigh(ask, layout, found) for ask in asks]
    meant = [values[0] for values in found.by_meaning.values()]
    second, first = sorted([*meant, 0.0, 0.0])[-2:]
    others = {
        _AT["named"]: found.named,
        _AT["ask_in_text"]: found.in_text,
        _AT["ngrams"]: found.alike,
        _AT["category"]: found.category,
        len(FEATURES): {place: first for place, (share, *_) in found.by_meaning.items() if reaches(share, first)},
    }
    against = (found.unmet, found.other_concept, found.meant_other, found.named_other)
    for row, lower, limit in zip(_AGAINST, against, zip(*limits, strict=True), strict=True):
        usual[row] = least = min(limit)
        others[row] = {place: value for place, value in lower.items() if value < least}
    groups = ((_BY_NAMES, found.by_names), (_BY_PHRASES, found.by_phrases), (_BY_MEANING, found.by_meaning))
    for rows, values in groups:
        for row, column in zip(rows, zip(*values.values(), strict=True), strict=False):
            others[row] = dict(zip(values, column, strict=True))
    whole = (
        first,
        second,
        max([max(ask.meant.values(), default=0.0) for ask in asks]),
        max([ask.meant.get("none", 0.0) for ask in asks]),
        max([ask.meant.get("other", 0.0) for ask in asks]),
        max([len(ask.words) for ask in asks]),
        len(asks),
        max([values[0] for values in found.by_names.values()], default=0.0),
        max(found.in_text.values(), default=0.0),
    )
    return [*usual, 0.0, *whole], others


def _weigh(ask: Ask, layout: Layout, found: _Found) -> tuple[float, float, float, float]:
    """Note what an ask has in common with entries. Comes back: what speaks against those that have nothing of it."""
    total = layout.said(ask.words) or 1.0
    words = [(word, layout.lexicon.weight(word)) for word in ask.words if word in layout.in_entries]
    # Where no name of any entry is in the ask, the concept has to speak alone.
    alone = 1.0 - _by_names(words, total, layout, found.by_names)
    unmet = _by_texts(words, total, layout, found)
    _raise(found.alike, _alike(ask, layout))
    for name, share in ask.categories.items():
        _raise(found.category, dict.fromkeys(layout.of_category.get(name, ()), share))
    surest = max(ask.named.values(), default=0.0)
    for place, share in (named := shared_by(ask.named, layout)).items():
        _lower(found.named_other, place, surest - share)
    _raise(found.named, named)
    return unmet, _by_phrases(ask, alone, layout, found), _by_meaning(ask, alone, layout, found), surest


def _by_phrases(ask: Ask, alone: float, layout: Layout, found: _Found) -> float:
    """Note the entries that are about a concept whose phrase is in an ask. Comes back: how clear the clearest is."""
    clearest = max(ask.concepts.values(), default=0.0)
    if shared := shared_by(ask.concepts, layout):
        most = max(shared.values())
        for place, share in shared.items():
            best = share if reaches(share, most) else 0.0
            leads = share * alone if reaches(share, clearest) else 0.0
            _keep(found.by_phrases, place, (share, share / clearest, best, share * alone, leads))
            _lower(found.other_concept, place, clearest - share)
    return clearest


def _by_meaning(ask: Ask, alone: float, layout: Layout, found: _Found) -> float:
    """Note the entries that are about a concept that an ask may mean. Comes back: how likely the likeliest is."""
    likeliest = max(ask.meant.values(), default=0.0)
    if meant := shared_by(ask.meant, layout):
        most = max(meant.values())
        for place, share in meant.items():
            _keep(found.by_meaning, place, (share, share / most, math.sqrt(share) * alone))
            _lower(found.meant_other, place, likeliest - share)
    return likeliest


def _by_names(words: Weighed, total: float, layout: Layout, found: Values) -> float:
    """Note what the names of entries have of an ask that says so much. Comes back: the best share of a name."""
    there: Places = {}
    own: Places = {}
    for word, weight in words:
        if holders := layout.in_names.get(word):
            for name in holders:
                there[name] = there.get(name, 0.0) + weight
            for place in layout.in_own[word]:
                own[place] = own.get(place, 0.0) + weight
    if not there:
        return 0.0
    covered: Places = {}
    says: Places = {}
    for name, weight in there.items():
        place, in_all, _ = layout.names[name]
        # Spelled out, here and elsewhere in this folder: a call of max for each takes longer than all else.
        if (share := weight / in_all) > covered.get(place, 0.0):
            covered[place] = share
        if in_all > says.get(place, 0.0) and exceeds(share, _WHOLE_NAME):
            says[place] = in_all
    best = max(covered.values())
    for place, share in covered.items():
        leads = share if reaches(share, best) else 0.0
        said = min(says.get(place, 0.0), _MOST_SAID) / _MOST_SAID
        _keep(found, place, (share, own[place] / total, float(exceeds(share, _WHOLE_NAME)), leads, said))
    return best


def _by_texts(words: Weighed, total: float, layout: Layout, found: _Found) -> float:
    """Note how much of an ask entries have, in a name or in what they tell. Comes back: what the others lack."""
    met: Places = {}
    for word, weight in words:
        for place in layout.in_entries[word]:
            met[place] = met.get(place, 0.0) + weight
    for place, weight in met.items():
        if (share := weight / total) > found.in_text.get(place, 0.0):
            found.in_text[place] = share
        _lower(found.unmet, place, min(total - weight, _MOST_UNMET) / _MOST_UNMET)
    return min(total, _MOST_UNMET) / _MOST_UNMET


def _alike(ask: Ask, layout: Layout) -> Places:
    """How much the letters of an ask and of an entry's names are alike at best: the cosine of character grams."""
    some = grams(ask.text, layout.language)
    shared: dict[int, int] = {}
    for gram in layout.grams_in_names.keys() & some:
        for name in layout.grams_in_names[gram]:
            shared[name] = shared.get(name, 0) + 1
    alike: Places = {}
    for name, count in shared.items():
        place, _, its_length = layout.names[name]
        if (share := count / its_length) > alike.get(place, 0.0):
            alike[place] = share
    length = math.sqrt(max(1, len(some)))
    return {place: share / length for place, share in alike.items()}


def shared_by(asked: dict[str, float], layout: Layout) -> Places:
    """How strongly the entries that share a concept with what was asked do so."""
    shared: Places = {}
    for name, score in asked.items():
        for place, share in layout.about.get(name, ()):
            if (both := score * share) > shared.get(place, 0.0):
                shared[place] = both
    return shared


def _keep(found: Values, place: int, values: tuple[float, ...]) -> None:
    """Of each number of an entry the highest."""
    before = found.get(place)
    found[place] = values if before is None else tuple(map(max, before, values))


def _lower(found: Places, place: int, value: float) -> None:
    if value < found.get(place, math.inf):
        found[place] = value


def _raise(found: Places, more: Places) -> None:
    for place, value in more.items():
        if value > found.get(place, 0.0):
            found[place] = value


def highest(several: Sequence[Places]) -> Places:
    """The highest number of each entry, none of which is below 0."""
    found: Places = {}
    for one in several:
        _raise(found, one)
    return found
