"""Thoughts without a model: what the reader of language finds in a reply, and the reports that came with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.cues import finder
from osler.language.lexicon.drugs import drugs_in
from osler.language.questions import Asks, read_questions
from osler.language.reader import read
from osler.language.reading import Mention
from osler.language.words import content, plain
from osler.memory.base import Turn
from osler.memory.tim.thought import Draft, Kind
from osler.prompts import phrases

_MOST = 30
"""Thoughts that one turn can give."""
_UNSURE = 0.5
"""The certainty of what the speaker is not sure of."""
_NAME = re.compile(r"\s*(?P<name>[^:：]{1,60})[:：]\s*(?P<report>\S.*)")
_WORD = re.compile(r"[^\s,.;:?!()\"，。；：？！（）、]+")
_EDGE = " \t,.;:?!，。；：？！、"
_KINDS = (Kind.ALLERGY, Kind.PREGNANCY, Kind.MEDICINE)


def rules_thoughts(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Draft]:
    """The facts of a reply, completed by its question, and those of the reports."""
    drafts = [*_of_reply(turn, language, speaker), *_of_reports(turn.results, language)]
    return drafts[:_MOST]


def _of_reply(turn: Turn, language: Language, speaker: Speaker) -> list[Draft]:
    mentions = [one for one in read_answer(turn.question, turn.reply, language, speaker) if _tells(one, turn, language)]
    topic = question_topic(turn.question, language)
    is_told = _is_told_by(mentions, turn, language)
    drafts: list[Draft] = []
    for mention in mentions:
        own = _own_words(mention, language)
        if not own and drafts and (mention.when or mention.value):
            drafts[-1] = _completed(drafts[-1], mention)
            continue
        is_answer = not _shows(own, turn.question, language) and is_told(mention)
        draft = _draft(mention, own, topic if is_answer else "", turn, language)
        if draft:
            drafts.append(draft)
    return drafts


def _tells(mention: Mention, turn: Turn, language: Language) -> bool:
    """Whether a mention tells something.

    That the speaker does not know does not, nor does a bare yes, a `sorry`, or a yes to `anything`.
    """
    if plain(mention.what) not in plain(turn.reply) and not mention.denied:
        last = mention.what.split()[-1:]
        if mention.unsure or any(finder("vague", language).fullmatch(word) for word in last):
            return False
    own = _own_words(mention, language)
    return not own or not any(finder(cue, language).fullmatch(own) for cue in ("answer_yes", "answer_no", "correction"))


def _own_words(mention: Mention, language: Language) -> str:
    """What the reply itself says, without the words that the question lends it."""
    own = mention.what.strip(_EDGE)
    if mention.asked:
        own = own.removeprefix(mention.asked).removesuffix(mention.asked).strip(_EDGE)
    return own if content(own, language) else ""


def _shows(own: str, question: str, language: Language) -> bool:
    """Whether some words show by themselves what was asked."""
    return not set(content(question, language)).isdisjoint(content(own, language))


def _is_told_by(mentions: Sequence[Mention], turn: Turn, language: Language) -> Callable[[Mention], bool]:
    """A test whether a mention is the answer to the question.

    What follows a yes or a no is said besides, and so is what follows the first sentence of an answer to a question for
    yes or no.
    """
    if is_open(turn.question, language):
        return lambda _: True
    reply = plain(turn.reply)
    is_answered = any(
        plain(one.what) not in reply or (one.denied and _shows(one.what, turn.question, language))
        for one in mentions
        if not one.asked
    )
    first = next((plain(sentence.text) for sentence in read(turn.reply, language).sentences), "")
    return lambda mention: not is_answered and plain(_own_words(mention, language)) in first


def _draft(mention: Mention, own: str, topic: str, turn: Turn, language: Language) -> Draft | None:
    """A mention as a thought; None where it says nothing."""
    line = phrases("tim_lines", language)
    clause = _clause_of(mention, turn.reply, language)
    relation = line["says" if topic else "may_have" if mention.unsure and not mention.denied else "has"]
    if mention.value and plain(own) not in plain(turn.reply):
        # The question names the thing, the reply its value.
        relation, topic, own = line["topic"].format(topic=own), "", mention.value
    is_whole = mention.value in own and (mention.denied or not _leaves_out(mention, clause, language))
    said = own if is_whole else clause or f"{own} {mention.value}".strip()
    reported = mention.when if plain(mention.when) not in plain(said) else ""
    if not said and topic:
        said, reported = reported, ""
    if not said:
        return None
    return Draft(
        subject=mention.whose or line["patient"],
        relation=relation,
        object=said,
        sentence=_sentence_of(clause or own, turn.reply, language),
        asked=topic,
        phrase=clause if mention.denied and topic else "",
        negated=mention.denied,
        certainty=_UNSURE if mention.unsure else 1.0,
        reported=reported,
        kind=Kind.OTHER if mention.whose else _kind(f"{topic} {said}", turn.question, language),
    )


def _completed(draft: Draft, mention: Mention) -> Draft:
    """A thought with a time or a value that the reply gives without naming the thing again."""
    said = plain(draft.object)
    value = mention.value if mention.value and plain(mention.value) not in said else ""
    when = mention.when if mention.when != mention.value else ""
    object_ = f"{draft.object} {value}".strip() if value and value not in when else draft.object
    return draft.model_copy(update={"object": object_, "reported": draft.reported or when})


def _of_reports(results: str, language: Language) -> Iterator[Draft]:
    """A thought for each line of a report, in its own words."""
    line = phrases("tim_lines", language)
    for text in filter(None, map(str.strip, results.splitlines())):
        named = _NAME.fullmatch(text)
        relation = line["topic"].format(topic=named["name"].strip()) if named else line["has"]
        report = (named["report"] if named else text).strip(_EDGE)
        yield Draft(subject=line["patient"], relation=relation, object=report, sentence=text)


def _kind(said: str, question: str, language: Language) -> Kind:
    """What a treatment may hang on: an allergy, a pregnancy or a medicine that the words name.

    A medicine that is named when allergies were asked for is one.
    """
    drug = bool(drugs_in(said))
    for kind in _KINDS:
        cue = finder(kind.value, language)
        if cue.search(said) or (drug and cue.search(question)):
            return kind
    return Kind.MEDICINE if drug else Kind.OTHER


def _leaves_out(mention: Mention, clause: str, language: Language) -> bool:
    """Whether a clause has words of weight that the mention of it has not."""
    told = f"{mention.what} {mention.when} {mention.value} {mention.whose}"
    return not set(content(clause, language)) <= set(content(told, language))


def _sentence_of(own: str, reply: str, language: Language) -> str:
    """The sentence of a reply that says something; empty where only the question does."""
    said = (sentence.text for sentence in read(reply, language).sentences)
    return next((text for text in said if own and plain(own) in plain(text)), "")


def _clause_of(mention: Mention, reply: str, language: Language) -> str:
    """The clause of a reply that mentions one thing and nothing else; empty where it mentions more."""
    for clause in read(reply, language).clauses:
        said = clause.mentions[0].what if len(clause.mentions) == 1 else ""
        if said and said in mention.what:
            return clause.text.strip(_EDGE)
    return ""


def is_open(question: str, language: Language) -> bool:
    """Whether a question asks for more than yes or no."""
    asked = read_questions(question, language)
    return any(one.asks not in (Asks.YES_OR_NO, Asks.CHOICE) for one in asked)


@lru_cache(maxsize=4096)
def question_topic(question: str, language: Language) -> str:
    """What a question is about: the words of weight of what it asks for, in their order."""
    topics = [topic for asked in read_questions(question, language) for topic in asked.topics] or [question]
    if language is Language.ZH:
        return "、".join(topic.strip(_EDGE) for topic in topics if content(topic, language))
    found = (word for topic in topics for word in _WORD.findall(topic) if content(word, language))
    return " ".join(dict.fromkeys(found))
