"""The statements of a recall, and the answer to a probe from them and from nothing else.

Without a model it is put together from the statements that are about the thing. With one, the model is given the
recalled text and the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from osler.eval.probes import claims
from osler.eval.probes.claims import AnswerKind, Signed
from osler.eval.probes.gold import MemoryProbe, ProbeQuestion
from osler.language import Language
from osler.language.words import sentences
from osler.memory.base import Recall, Turn
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import phrases, prompt
from osler.ranking import reaches

_ABOUT = 0.3
"""Share of the words of a thing's name that a statement, or the question before it, must have to be about it."""
_ASKED = 0.8
"""How much of that share counts if only the question names the thing."""
_AS_NEAR = 0.1
"""A statement less near than the best by more than this is about something else."""
_MOST = 8
_LONGEST = 120
_STOP = {Language.EN: ". ", Language.ZH: "。"}
_SAY = {
    Language.EN: {"yes": "Yes: {told}", "no": "No: {told}", "unknown": "Not known."},
    Language.ZH: {"yes": "有：{told}", "no": "没有：{told}", "unknown": "不知道。"},
}


@dataclass(frozen=True)
class RecalledStatement:
    """One thing that was recalled."""

    text: str
    said: Signed
    """Its words, each affirmed or denied."""
    topic: str = ""
    """The question before it."""
    turn: int | None = None


@lru_cache(maxsize=1024)
def statements(recall: Recall, language: Language) -> tuple[RecalledStatement, ...]:
    """Return every statement; what is only said to be unknown is left out.

    Facts of a turn that is told word for word would say the same again.
    """
    questions = {turn.number: turn.question for turn in recall.exchanges}
    whole = {turn.number for turn in recall.exchanges if turn.reply or turn.results}
    found = []
    for fact in recall.facts:
        if fact.turn in whole:
            continue
        words = claims.unsigned(fact.triple, language)
        said = claims.with_sign(words, False) if fact.denied else claims.signed(fact.triple, language)
        found.append(RecalledStatement(fact.triple, said, questions.get(fact.turn, ""), fact.turn))
    found += [statement for turn in recall.exchanges for statement in _replied(turn, language)]
    if not (recall.facts or recall.exchanges):
        found = [RecalledStatement(text, claims.signed(text, language)) for text in sentences(recall.text, language)]
    # That a test was not done is something, too.
    unknown = {one.text for one in found if claims.claim(one.text, language) is AnswerKind.UNKNOWN}
    return tuple(one for one in found if one.text not in unknown or claims.says_not_done(one.text, language))


def _replied(turn: Turn, language: Language) -> Iterator[RecalledStatement]:
    """The sentences of a reply and its reports; a bare yes or no says what was asked over again."""
    reply = f"{turn.reply}\n{turn.results}".strip()
    opening = claims.claim(reply, language)
    if not claims.unsigned(reply, language) and opening in {AnswerKind.YES, AnswerKind.NO}:
        asked = claims.with_sign(claims.unsigned(turn.question, language), opening is AnswerKind.YES)
        yield RecalledStatement(reply, asked, turn.question, turn.number)
        return
    for sentence in sentences(reply, language):
        said = claims.signed(claims.without_opening(sentence, language), language)
        yield RecalledStatement(sentence, said, turn.question, turn.number)


def rules_answer(probe: MemoryProbe, recall: Recall, language: Language) -> str:
    """Return what the recalled statements say about the thing the question names; the true answer is not seen.

    To whether something was there it is yes or no; anything else is answered by all that was said in the same turn.
    """
    told = about(probe.thing, recall, language)
    if not told:
        return _SAY[language]["unknown"]
    if probe.asks is not ProbeQuestion.WHETHER:
        turns = {statement.turn for statement in told} - {None}
        everything = statements(recall, language)
        return _joined([one for one in everything if one in told or one.turn in turns], language)
    answer = "yes" if _affirmed(probe.thing, told[0], language) else "no"
    return _SAY[language][answer].format(told=_joined(told, language))


async def model_answer(question: str, recalled: str, language: Language, backbone: Backbone) -> str:
    """Return a model's answer from the recalled text.

    Raises:
        BackboneError: the model could not be reached or gave nothing to read.
    """
    nothing = phrases("probe_questions", language)["nothing"]
    filled = prompt("probe_answer", language).fill(recall=recalled or nothing, question=question)
    said = await ask(backbone.client, [ChatMessage("user", filled)], max_tokens=_LONGEST)
    return said.text.strip()


def about(thing: str, recall: Recall, language: Language) -> list[RecalledStatement]:
    """Return the statements that are about a thing, by its name, the nearest first."""
    near = [(_nearness(thing, statement, language), statement) for statement in statements(recall, language)]
    nearest = max((score for score, _ in near), default=0.0)
    least = max(_ABOUT, nearest - _AS_NEAR)
    kept = [(score, statement) for score, statement in near if reaches(score, least)]
    return [statement for _, statement in sorted(kept, key=lambda one: -one[0])]


def _nearness(thing: str, statement: RecalledStatement, language: Language) -> float:
    """Return how much of a thing's name a statement has, from 0 to 1."""
    wanted = _parts(claims.unsigned(thing, language), language)
    own = _parts((word for word, _ in statement.said), language)
    asked = _parts(claims.unsigned(statement.topic, language), language)
    return max(len(wanted & own), _ASKED * len(wanted & asked)) / (len(wanted) or 1)


def _parts(words: Iterable[str], language: Language) -> set[str]:
    """Words; in Chinese their characters, since a compound is cut differently from text to text."""
    return set(words) if language is Language.EN else set("".join(words))


def _affirmed(thing: str, statement: RecalledStatement, language: Language) -> bool:
    """Check whether a statement affirms the thing: by the words of its name, else by all of its words."""
    wanted = _parts(claims.unsigned(thing, language), language)
    signs = [affirmed for word, affirmed in statement.said if wanted & _parts((word,), language)]
    signs = signs or [affirmed for _, affirmed in statement.said]
    return sum(signs) * 2 >= len(signs) and not claims.says_not_done(statement.text, language)


def _joined(told: Sequence[RecalledStatement], language: Language) -> str:
    texts = dict.fromkeys(statement.text.rstrip(" .。;；") for statement in told)
    return _STOP[language].join(list(texts)[:_MOST])
