"""The evidence that a question asks for an entry: by words, by phrases, by meaning."""

from __future__ import annotations

import numpy as np

from osler.agents.ram.intent import Ask, Intent
from osler.agents.ram.layout import Floats, Layout, grams, marked

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
_AGAINST = [_AT[name] for name in ("other_concept", "ask_unmet", "meant_other", "ask_is_whole", "named_other")]
_WHOLE_NAME = 0.999
_MOST_SAID, _MOST_UNMET = 12.0, 20.0


def said(ask: Ask, layout: Layout) -> float:
    """How much the words of an ask say."""
    return sum(map(layout.lexicon.weight, ask.words))


def features(intent: Intent, layout: Layout) -> Floats:
    """(features, asks, entries): what the probability is made of, for all asks of the question at once."""
    asks = intent.asks
    names, entries = len(layout.name_weights), len(layout.own)
    total = np.array([[said(ask, layout) or 1.0] for ask in asks])
    marks, rows = marked([ask.words for ask in asks], layout.words)
    there = marks @ layout.by_word.take(rows, axis=0)
    met = there[:, names + entries :]
    name_covered, whole_names, alike = _by_entry(there[:, :names], asks, layout)
    spoken_of = [*(ask.concepts for ask in asks), *(ask.meant for ask in asks), *(ask.named for ask in asks)]
    strength, clear = (part.reshape(3, len(asks), -1) for part in shared_by(spoken_of, layout))
    (shared, meant, named), (clearest, _, _) = strength, clear
    best_name, (best_shared, best_meant, _) = _best(name_covered), _best(strength)
    # Where no name of any entry is in the ask, the concept has to speak alone.
    alone = 1.0 - best_name
    found = np.zeros((len(FEATURES), len(asks), entries))
    found[_AT["name_covered"]] = name_covered
    found[_AT["ask_covered"]] = there[:, names : names + entries] / total
    found[_AT["ask_in_text"]] = met / total
    found[_AT["shared_concept"]] = shared
    found[_AT["concept_rank"]] = shared / np.maximum(clearest, 1e-9)
    found[_AT["other_concept"]], found[_AT["meant_other"]], found[_AT["named_other"]] = clear - strength
    found[_AT["ngrams"]] = alike
    for place, ask in enumerate(asks):
        for name in ask.categories.keys() & layout.of_category.keys():
            found[_AT["category"], place][layout.of_category[name]] = ask.categories[name]
    found[_AT["name_in_ask"]] = name_covered > _WHOLE_NAME
    # The first of several asks is the question itself.
    found[_AT["ask_is_whole"], 0] = len(asks) > 1
    found[_AT["best_lexical"]] = (name_covered >= best_name - 1e-9) * name_covered
    found[_AT["best_concept"]] = (shared >= best_shared - 1e-9) * shared
    found[_AT["name_says"]] = np.minimum(whole_names, _MOST_SAID) / _MOST_SAID
    found[_AT["ask_unmet"]] = np.minimum(total - met, _MOST_UNMET) / _MOST_UNMET
    found[_AT["concept_alone"]] = shared * alone
    found[_AT["concept_leads"]] = (shared >= clearest - 1e-9) * shared * alone
    found[_AT["meant"]] = meant
    found[_AT["meant_rank"]] = meant / np.maximum(best_meant, 1e-9)
    found[_AT["meant_alone"]] = np.sqrt(meant) * alone
    found[_AT["named"]] = named
    return found


def evidence(found: Floats, intent: Intent) -> Floats:
    """(columns, entries): the best of the asks for each entry, and how the question stands to the whole record."""
    asks = intent.asks
    best = np.maximum.reduce(found, axis=1)
    if len(asks) > 1:
        best[_AGAINST] = np.minimum.reduce(found.take(_AGAINST, axis=0), axis=1)
    meant = best[_AT["meant"]]
    second, first = sorted([*meant.tolist(), 0.0])[-2:]
    whole = (
        first,
        second,
        max(max(ask.meant.values(), default=0.0) for ask in asks),
        max(ask.meant.get("none", 0.0) for ask in asks),
        max(ask.meant.get("other", 0.0) for ask in asks),
        max(len(ask.words) for ask in asks),
        len(asks),
        best[_AT["name_covered"]].max(initial=0.0),
        best[_AT["ask_in_text"]].max(initial=0.0),
    )
    count = len(FEATURES)
    rows = np.empty((count + 1 + len(whole), best.shape[1]))
    rows[:count], rows[count], rows[count + 1 :] = best, (meant >= first - 1e-9) * first, np.array(whole)[:, None]
    return rows


def _by_entry(there: Floats, asks: tuple[Ask, ...], layout: Layout) -> Floats:
    """What the names of an entry come to at best: share covered, weight of one that is whole, likeness of letters."""
    found = np.empty((3, *there.shape))
    covered = np.divide(there, layout.name_totals, out=found[0])
    np.multiply(covered > _WHOLE_NAME, layout.name_weights, out=found[1])
    # Likeness is the cosine of character grams.
    sets = [grams(ask.text, layout.language) for ask in asks]
    marks, rows = marked(sets, layout.grams)
    alike = marks @ layout.name_grams.take(rows, axis=0) / np.sqrt([[max(1, len(some))] for some in sets])
    np.divide(alike, layout.name_lengths, out=found[2])
    best: Floats = np.maximum.reduceat(found, layout.first, axis=2)
    return best


def shared_by(asks: list[dict[str, float]], layout: Layout) -> tuple[Floats, Floats]:
    """How strongly each entry shares a concept with what was asked, and how clear the clearest of these is."""
    # Few entries are about any one concept: numbers that are looked at one by one are had sooner than matrices.
    shared = [[0.0] * len(layout.own) for _ in asks]
    for row, asked in zip(shared, asks, strict=True):
        for name, score in asked.items():
            for place, share in layout.about.get(name, ()):
                # Spelled out, here and elsewhere in this folder: a call of max for each takes longer than all else.
                if (both := score * share) > row[place]:
                    row[place] = both
    return np.array(shared), np.array([[max(asked.values(), default=0.0)] for asked in asks])


def _best(values: Floats) -> Floats:
    """The largest value of each ask, as a column; 0 where there is none."""
    best: Floats = np.maximum.reduce(values, axis=-1, initial=0.0, keepdims=True)
    return best
