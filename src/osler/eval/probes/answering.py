"""The doctor's answer to a probe, from what its memory recalled and from nothing else.

Without a model the rules read the recalled text: the statements that are about the thing, and whether they affirm it.
With one, the model is given the recalled text and the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from osler.agents.rules.knowledge import knowledge
from osler.agents.rules.reading import Polarity, polarity
from osler.eval.probes.gold import Probe
from osler.eval.probes.statements import NOT_DONE, Statement, statements
from osler.eval.probes.wording import Asks
from osler.language import Language
from osler.language.lexicon import Phrases, categories, concepts, terms
from osler.language.words import plain
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import prompt
from osler.ranking import best, reaches

_ABOUT = 0.5
"""How near a statement must be to the thing to be about it."""
_MEANT = 0.95
"""How near it is when it means the same in other words; the words themselves are nearer."""
_ASKED = 0.8
"""What counts of nearness when only the question before it names the thing."""
_AS_NEAR = 0.1
"""What is less near than the best by more than this is about something else."""
_OF_A_KIND = 0.65
"""How near it is when both speak of the same part of a history: all medicines are of interest, where some are asked."""
_SURELY = 0.9
_WHOLE = 0.999
_MOST = 8
_STOP = {Language.EN: ". ", Language.ZH: "。"}
_LONGEST = 120
_SAY = {
    Language.EN: {"yes": "Yes: {told}", "no": "No: {told}", "unknown": "Not known."},
    Language.ZH: {"yes": "有：{told}", "no": "没有：{told}", "unknown": "不知道。"},
}


def rules_answer(probe: Probe, recalled: str, language: Language) -> str:
    """What the rules read in the recalled text; they see the thing's name, as the question does, and not the truth.

    To whether something was there they say yes or no; anything else is answered by all that was said along with it.
    """
    told = about(probe.thing, recalled, language)
    if not told:
        return _SAY[language]["unknown"]
    if probe.asks is not Asks.WHETHER:
        return _joined(_along_with(told, statements(recalled, language)), language)
    answer = "yes" if _affirmed(probe.thing, told, language) else "no"
    return _SAY[language][answer].format(told=_joined(told, language))


def _along_with(told: Sequence[Statement], everything: Sequence[Statement]) -> list[Statement]:
    """The statements, and those of the same exchange: `That was a week ago` names nothing and belongs to it."""
    exchanges = {statement.exchange for statement in told} - {None}
    return [one for one in everything if one in told or (one.knows and one.exchange in exchanges)]


def _joined(told: Sequence[Statement], language: Language) -> str:
    texts = dict.fromkeys(statement.text.rstrip(" .。;；") for statement in told)
    return _STOP[language].join(list(texts)[:_MOST])


async def model_answer(question: str, recalled: str, language: Language, backbone: Backbone) -> str:
    """What a model says from the recalled text.

    Raises:
        BackboneError: the model could not be reached or gave nothing to read.
    """
    nothing = "(nothing)" if language is Language.EN else "（无）"
    filled = prompt("probe_answer", language).fill(recall=recalled or nothing, question=question)
    said = await ask(backbone.client, [ChatMessage("user", filled)], max_tokens=_LONGEST)
    return said.text.strip()


def about(thing: str, recalled: str, language: Language) -> list[Statement]:
    """The statements of a text that are about a thing, as it is called; only those that know something of it."""
    near = [
        (nearness(thing, statement, language), statement)
        for statement in statements(recalled, language)
        if statement.knows
    ]
    nearest = max((score for score, _ in near), default=0.0)
    if not reaches(nearest, _ABOUT):
        return []
    return [statement for score, statement in near if reaches(score, max(_ABOUT, nearest - _AS_NEAR))]


def claims(thing: str, recalled: str, language: Language) -> bool:
    """Whether a text surely says something of a thing: a statement names it, and not only the question before it."""
    known = (statement.text for statement in statements(recalled, language) if statement.knows)
    return any(reaches(_near(thing, text, language), _SURELY) for text in known)


def nearness(thing: str, statement: Statement, language: Language) -> float:
    """How near a statement is to a thing, from 0 to 1: by the weight of shared words, by meaning, by what was asked."""
    own = _near(thing, statement.text, language)
    return max(own, _ASKED * _near(thing, statement.topic, language)) if statement.topic else own


@lru_cache(maxsize=32768)
def _near(thing: str, text: str, language: Language) -> float:
    index = concepts(language)
    wanted = terms(thing, language)
    there = wanted & terms(text, language)
    shared = sum(map(index.weight, there)) / (sum(map(index.weight, wanted)) or 1.0)
    meaning = max(_same_meaning(thing, text, phrases) for phrases in (index, _item_names(language)))
    return max(shared, _MEANT * meaning, _OF_A_KIND * bool(kinds(thing, language) & kinds(text, language)))


def _same_meaning(thing: str, text: str, phrases: Phrases) -> float:
    """How surely a text speaks of what the thing means."""
    there = phrases.find(text)
    return max((score * there.get(name, 0.0) for name, score in phrases.best(thing).items()), default=0.0)


@lru_cache(maxsize=8192)
def kinds(text: str, language: Language) -> frozenset[str]:
    """The parts of a history that a text names as a whole: `regular medication`, `allergies`."""
    return frozenset(name for name, found in categories(language).find(text).items() if reaches(found, _WHOLE))


@cache
def _item_names(language: Language) -> Phrases:
    return Phrases.of(
        ((name, f"item {item.id}") for item in knowledge().items for name in item.names[language]), language
    )


def _affirmed(thing: str, told: Sequence[Statement], language: Language) -> bool:
    """Whether the nearest statement, or the first of these, affirms the thing: by its words, else its beginning."""
    nearest = told[best([nearness(thing, statement, language) for statement in told], range(len(told)))]
    wanted = terms(thing, language)
    signs = [affirmed for word, affirmed in nearest.said if word in wanted]
    if signs:
        return sum(signs) * 2 >= len(signs)
    if NOT_DONE[language].search(plain(nearest.text)):
        return False
    return polarity(nearest.text, language) is not Polarity.NO
