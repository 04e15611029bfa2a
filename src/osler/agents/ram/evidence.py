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
)
COVERED = FEATURES.index("ask_covered")
_AGAINST = [FEATURES.index(name) for name in ("other_concept", "ask_unmet", "meant_other", "ask_is_whole")]
_MEANT, _NAME, _TEXT = (FEATURES.index(name) for name in ("meant", "name_covered", "ask_in_text"))
_WHOLE_NAME = 0.999
_MOST_SAID, _MOST_UNMET = 12.0, 20.0


def said(ask: Ask, layout: Layout) -> float:
    """How much the words of an ask say."""
    return sum(map(layout.lexicon.weight, ask.words))


def features(intent: Intent, layout: Layout) -> Floats:
    """(asks, entries, features): what the probability is made of, for all asks of the question at once."""
    asks = intent.asks
    names, entries = len(layout.name_weights), len(layout.categories)
    total = np.array([[said(ask, layout) or 1.0] for ask in asks])
    words, rows = marked([ask.words for ask in asks], layout.words)
    there = (words * layout.weights[rows]) @ layout.by_word[rows]
    covered = there[:, :names] / np.maximum(layout.name_weights, 1e-9)
    complete = (covered > _WHOLE_NAME) * layout.name_weights
    name_covered = np.maximum.reduceat(covered, layout.first, axis=1)
    met = there[:, names + entries :]
    shared, clearest = _shared([ask.concepts for ask in asks], layout)
    meant, surest = _shared([ask.meant for ask in asks], layout)
    best_name, best_shared, best_meant = _best(name_covered), _best(shared), _best(meant)
    # Where no name of any entry is in the ask, the concept has to speak alone.
    alone = 1.0 - best_name
    columns = {
        "name_covered": name_covered,
        "ask_covered": there[:, names : names + entries] / total,
        "ask_in_text": met / total,
        "shared_concept": shared,
        "concept_rank": shared / np.where(clearest > 0.0, clearest, 1.0),
        "other_concept": np.maximum(0.0, clearest - shared),
        "ngrams": _alike(asks, layout),
        "category": [[ask.categories.get(name, 0.0) for name in layout.categories] for ask in asks],
        "name_in_ask": name_covered > _WHOLE_NAME,
        "ask_is_whole": _is_whole(len(asks), entries),
        "best_lexical": (name_covered >= best_name - 1e-9) * name_covered,
        "best_concept": (shared >= best_shared - 1e-9) * shared,
        "name_says": np.minimum(np.maximum.reduceat(complete, layout.first, axis=1), _MOST_SAID) / _MOST_SAID,
        "ask_unmet": np.minimum(total - met, _MOST_UNMET) / _MOST_UNMET,
        "concept_alone": shared * alone,
        "concept_leads": (shared >= clearest - 1e-9) * shared * alone,
        "meant": meant,
        "meant_rank": meant / np.maximum(best_meant, 1e-9),
        "meant_other": np.maximum(0.0, surest - meant),
        "meant_alone": np.sqrt(meant) * alone,
    }
    return np.array([columns[name] for name in FEATURES]).transpose(1, 2, 0)


def evidence(found: Floats, intent: Intent) -> Floats:
    """(entries, columns): the best of the asks for each entry, and how the question stands to the whole record."""
    asks = intent.asks
    best = found.max(axis=0)
    best[:, _AGAINST] = found[:, :, _AGAINST].min(axis=0)
    meant = best[:, _MEANT]
    second, first = sorted([*meant.tolist(), 0.0])[-2:]
    whole = (
        first,
        second,
        max(max(ask.meant.values(), default=0.0) for ask in asks),
        max(ask.meant.get("none", 0.0) for ask in asks),
        max(ask.meant.get("other", 0.0) for ask in asks),
        max(len(ask.words) for ask in asks),
        len(asks),
        best[:, _NAME].max(initial=0.0),
        best[:, _TEXT].max(initial=0.0),
    )
    count = len(FEATURES)
    rows = np.empty((len(best), count + 1 + len(whole)))
    rows[:, :count], rows[:, count], rows[:, count + 1 :] = best, (meant >= first - 1e-9) * first, whole
    return rows


def _alike(asks: tuple[Ask, ...], layout: Layout) -> Floats:
    """Cosine of the character grams of each ask and of the entry's name that is nearest."""
    found = [grams(ask.text, layout.language) for ask in asks]
    marks, rows = marked(found, layout.grams)
    alike = marks @ layout.name_grams[rows] / np.sqrt([[max(1, len(some))] for some in found])
    nearest: Floats = np.maximum.reduceat(alike / layout.name_lengths, layout.first, axis=1)
    return nearest


def _is_whole(asks: int, entries: int) -> Floats:
    """1 for the first of several asks, which is the question itself."""
    whole = np.zeros((asks, entries))
    whole[0] = asks > 1
    return whole


def _shared(asks: list[dict[str, float]], layout: Layout) -> tuple[Floats, Floats]:
    """How strongly each entry shares a concept with what was asked, and how clear the clearest of these is."""
    known = [name for name in dict.fromkeys(name for asked in asks for name in asked) if name in layout.concepts]
    scores = np.array([[asked.get(name, 0.0) for name in known] for asked in asks])
    rows = layout.shares[[layout.concepts[name] for name in known]]
    shared: Floats = (scores[:, :, None] * rows).max(axis=1, initial=0.0)
    return shared, np.array([[max(asked.values(), default=0.0)] for asked in asks])


def _best(values: Floats) -> Floats:
    """The largest value of each ask, as a column; 0 where there is none."""
    best: Floats = values.max(axis=1, initial=0.0, keepdims=True)
    return best
