"""Form thoughts without a model, from a reply and from the reports that came with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, groupby

from osler.language import Language, Speaker
from osler.language.answers import answer_opening, read_answer
from osler.language.cues import any_of, finder, groups
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import named
from osler.language.numerals import values
from osler.language.questions import AnswerWanted, read_questions
from osler.language.reader import Mention, denies, read, thing
from osler.language.relatives import relative_at_start
from osler.language.times_and_values import time_finder
from osler.language.words import content, plain, words
from osler.memory.base import Turn
from osler.memory.core.fact import Fact, FactKey, FactKind
from osler.prompts import phrases
from osler.ranking import reaches

_MOST = 30
"""Thoughts that one turn can give."""
_NEARLY_ALL = 0.9
"""How well a thing's name must cover the words that deny it."""
_UNSURE = 0.5
"""The certainty of what the speaker is not sure of."""
_NAME = re.compile(r"\s*(?P<name>[^:：]{1,60})[:：]\s*(?P<report>\S.*)")
_WORD = re.compile(r"[^\s,.;:?!()\"，。；：？！（）、]+")
_EDGE = " \t,.;:?!，。；：？！、"
_NOT_THEIRS = re.compile(
    r"\b(?:am|is|are|was|were|it|they|we|you|there|under|over)\b|'(?:m|s|re)\b", re.IGNORECASE
)
"""Words before a statement which show that the patient neither has nor does it, or that it is a
place."""
_YOU = re.compile(r"\W*(?:you|your|you're|you've)\b|[你您]", re.IGNORECASE)
"""Opens a statement about the one who is spoken to."""
_POINTS = re.compile(r"\b(?:it|that|this|them|one)\W*$", re.IGNORECASE)
_KINDS = (FactKind.ALLERGY, FactKind.PREGNANCY, FactKind.MEDICINE)


def rules_facts(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Fact]:
    """The facts of a reply, completed by its question, and those of the reports, each once.

    If two people talk who have names, what the one who asks tells besides is read too.
    """
    speaker = turn.speaker or speaker
    facts = [*_of_reply(turn, language, speaker), *_of_reports(turn.results, language)]
    if turn.asked_by and turn.said_by:
        facts = [*_of_reply(_other_way(turn, language), language, speaker), *facts]
    different: dict[FactKey, Fact] = {}
    for fact in facts:
        different.setdefault(fact.key, fact)
    return list(different.values())[:_MOST]


def _other_way(turn: Turn, language: Language) -> Turn:
    """What the one who asks says before or behind the question, as a turn of its own."""
    update = {
        "question": "",
        "reply": " ".join(_statements(turn.question, language)),
        "asked_by": turn.said_by,
        "said_by": turn.asked_by,
    }
    return turn.model_copy(update=update)


def _statements(text: str, language: Language) -> list[str]:
    """The sentences that are no questions."""
    sentences = read(text, language).sentences
    return [sentence.text for sentence in sentences if not sentence.is_question]


def _of_reply(turn: Turn, language: Language, speaker: Speaker) -> Iterator[Fact]:
    mentions = read_answer(turn.question, turn.reply, language, speaker) if turn.reply else ()
    asked_words = frozenset(content(turn.question, language))
    first = next((sentence.text for sentence in read(turn.reply, language).sentences), "")
    opening, rest = answer_opening(turn.reply, language)
    is_answered = any(_answers(mention, asked_words, language) for mention in mentions)
    telling = [mention for mention in mentions if _tells(mention, language)]
    quoted = [_quoted(mention, asked_words, language) for mention in telling]
    quoted += [Mention("", said=text) for text in _unread(rest, language)]
    for mention in _whole_sentences(quoted, turn.reply, language):
        # What follows a no is said besides, and so is what follows the first sentence of an answer
        # to a question for yes or no; what follows a yes says more about it.
        is_first = plain(mention.said) in plain(first)
        is_answer = is_open(turn.question, language) or (
            is_first and (not is_answered or opening == "yes")
        )
        object_ = _object(mention, language)
        topic = ""
        if is_answer and not _is_clear(object_, turn.question, language):
            topic = question_topic(turn.question, language)
        if topic or content(object_, language):
            yield _fact_of(mention, object_, topic, turn, language, speaker)


def _answers(mention: Mention, asked_words: frozenset[str], language: Language) -> bool:
    """Whether a mention is a yes or a no to the question, or denies what it asks for."""
    return not mention.said or (mention.denied and _shares(mention.what, asked_words, language))


def _unread(reply: str, language: Language) -> list[str]:
    """Sentences in which the reader finds nothing, though they say something.

    They are kept as they are.
    """
    texts = [
        sentence.text
        for sentence in read(reply, language).sentences
        if not sentence.is_question and not sentence.mentions
    ]
    # A single word says too little by itself.
    return [text for text in texts if len(content(text, language)) > 1]


def _quoted(mention: Mention, asked_words: frozenset[str], language: Language) -> Mention:
    """A mention as a quotation that has its own "not", unless it denies a thing by name."""
    if mention.denied and (mention.value or not _names_a_thing(mention, asked_words, language)):
        return replace(mention, denied=False, what="")
    return mention


def _whole_sentences(mentions: Sequence[Mention], reply: str, language: Language) -> list[Mention]:
    """Mentions, with those joined that one sentence affirms of one person in a row.

    As a whole they say what is meant.

    If a sentence gives a number that none of its mentions has, all of it is kept.
    """
    # Of what only the question says there is no sentence.
    whole = [mention for mention in mentions if not _sentence_of(mention.said, reply, language)]
    by_sentence = groupby(mentions, key=lambda mention: _sentence_of(mention.said, reply, language))
    mentions_of = {text: list(group) for text, group in by_sentence if text}
    for text in _statements(reply, language):
        joined = [_joined(run, text) for run in _runs(mentions_of.get(text, []))]
        covered = " ".join(f"{mention.what} {mention.said} {mention.when}" for mention in joined)
        if not values(text) <= values(covered):
            denials = [mention for mention in joined if mention.denied]
            joined = [*denials, Mention("", said=text)]
        whole += joined
    return whole


def _runs(mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions in a row that affirm something of one person.

    A denial, and each further drug, stands alone.
    """
    runs: list[list[Mention]] = []
    for mention in mentions:
        last = runs[-1] if runs else [mention]
        is_alike = (mention.whose, mention.unsure) == (last[0].whose, last[0].unsure)
        is_denial = mention.denied or last[0].denied
        is_other_drug = drugs_in(mention.said) and any(drugs_in(one.said) for one in last)
        if runs and is_alike and not is_denial and not is_other_drug:
            last.append(mention)
        else:
            runs.append([mention])
    return runs


def _joined(run: Sequence[Mention], sentence: str) -> Mention:
    """Mentions in a row as one: the stretch of the sentence from the first to the last."""
    first, last = run[0], run[-1]
    if len(run) == 1:
        is_quotable = not first.value or _is_cut_out(first.what, first.said)
        if first.denied or is_quotable:
            return first
    start = max(plain(sentence).find(plain(first.said)), 0)
    end = plain(sentence).rfind(plain(last.said))
    stretch = sentence[start : end + len(last.said)] if end >= start else sentence
    # What the question names and the answer does not.
    named_by_question = [
        mention.what
        for mention in run
        if mention.is_asked or not _is_cut_out(mention.what, mention.said)
    ]
    what = named_by_question[0] if named_by_question else ""
    times = {mention.when for mention in run if mention.when}
    return replace(
        first,
        what=what,
        value=stretch if what else "",
        is_asked=bool(what),
        said=stretch,
        when=times.pop() if len(times) == 1 else "",
    )


def _tells(mention: Mention, language: Language) -> bool:
    """Check whether a mention says something, unlike a `sorry`, an aside or a bare yes."""
    own = thing(mention.said, language) or mention.what
    if finder("sides", language).fullmatch(own):
        return True
    if any(finder(kind, language).fullmatch(own) for kind in ("answer_yes", "answer_no")):
        return False
    if mention.said:
        return not (
            _aside(language).match(own) or finder("vague", language).fullmatch(mention.what)
        )
    last = mention.what.split()[-1:]
    return mention.denied or not (
        mention.unsure or any(finder("vague", language).fullmatch(word) for word in last)
    )


@cache
def _aside(language: Language) -> re.Pattern[str]:
    """Finds a question within what somebody says: it tells nothing."""
    question_words = groups("question_words", language)
    kinds = ("what", "how") if language is Language.EN else ("where", "who")
    cues = chain.from_iterable(question_words[kind] for kind in kinds)
    return re.compile(any_of(cues, language), re.IGNORECASE)


def _object(mention: Mention, language: Language) -> str:
    """Return what is so, or is denied, in the speaker's own words.

    Empty words at both ends are left out. If that would leave out more, or split a word, all of it
    is kept.
    """
    text, what = mention.said.strip(_EDGE), mention.what
    if what and (mention.is_asked or not text):
        return mention.value or what
    start = plain(text).find(plain(what)) if what else -1
    if start < 0:
        return what if what and (mention.denied or not _is_cut_out(what, text)) else text
    before = text[:start]
    behind = finder("negation_after", language).sub("", text[start + len(what) :])
    is_empty_behind = not finder("fillers", language).sub("", behind).strip(_EDGE)
    is_whole = is_empty_behind and not _POINTS.search(behind)
    object_ = what if is_whole else text[start:]
    if mention.denied:
        return object_
    is_torn = not set(words(object_, language)) <= set(words(text, language))
    if is_torn or content(before, language) or _NOT_THEIRS.search(before):
        return text
    return object_


def _is_cut_out(what: str, said: str) -> bool:
    """Check whether a thing is made of the letters of what was said, in order.

    Else the question names it.
    """
    letters = iter(plain(said))
    return all(letter in letters for letter in plain(what))


def _names_a_thing(mention: Mention, asked_words: frozenset[str], language: Language) -> bool:
    """Return whether what is denied is a thing by its name, or in the question's words.

    "It never settled" or "the swab was negative" denies no thing: such a reply is quoted.
    """
    if not mention.said:
        return True
    if denies(mention.what, language) or plain(mention.what) not in plain(mention.said):
        return False
    scores = named(language).best(mention.what).values()
    is_in_thesaurus = any(reaches(score, _NEARLY_ALL) for score in scores)
    return is_in_thesaurus or asked_words.issuperset(content(mention.what, language))


def _shares(text: str, asked_words: frozenset[str], language: Language) -> bool:
    """Check whether some words show by themselves what was asked."""
    return not asked_words.isdisjoint(content(text, language))


def _is_clear(answer: str, question: str, language: Language) -> bool:
    """Check whether an answer shows by itself what was asked, also which drug."""
    # That both name the same time does not show what was asked.
    timeless_answer = time_finder(language).sub(" ", answer)
    timeless_question = time_finder(language).sub(" ", question)
    asked_words = frozenset(content(timeless_question, language))
    is_shared = _shares(timeless_answer, asked_words, language)
    return is_shared and set(drugs_in(question).values()) <= set(drugs_in(answer).values())


def _fact_of(
    mention: Mention, object_: str, topic: str, turn: Turn, language: Language, speaker: Speaker
) -> Fact:
    line = phrases("tim_lines", language)
    subject = _subject(mention, turn, language)
    relative = None
    if mention.whose and not mention.denied:
        relative = relative_at_start(object_, language, speaker)
    if mention.what and object_ == mention.value:
        relation, topic = line["topic"].format(topic=mention.what), ""
    elif mention.denied:
        relation = line["has"]
    elif relative and content(relative.rest, language):
        # "my mother had a stroke": the subject is the mother, and the rest is said of her.
        relation, object_ = "", relative.rest.strip(_EDGE)
    elif turn.asked_by and subject == turn.asked_by:
        relation, topic = line["hears"].format(name=turn.said_by), ""
    elif topic or object_ != mention.what:
        relation = line["says"]
    else:
        relation = line["may_have" if mention.unsure else "has"]
    kind = FactKind.OTHER
    if not mention.whose:
        kind = _kind(f"{relation} {topic} {object_}", turn.question, language)
    return Fact(
        subject=subject,
        relation=relation,
        object=object_,
        sentence=_sentence_of(mention.said, turn.reply, language),
        asked=topic,
        denied=mention.denied,
        certainty=_UNSURE if mention.unsure else 1.0,
        reported=mention.when if plain(mention.when) not in plain(object_) else "",
        kind=kind,
    )


def _subject(mention: Mention, turn: Turn, language: Language) -> str:
    """Return whom a mention is about: the patient or a relative.

    Of two people with names, one of them or theirs.
    """
    line = phrases("tim_lines", language)
    if not turn.said_by:
        return mention.whose or line["patient"]
    if mention.whose:
        return line["kin"].format(name=turn.said_by, relative=mention.whose)
    return turn.asked_by if turn.asked_by and _YOU.match(mention.said) else turn.said_by


def _sentence_of(clause: str, reply: str, language: Language) -> str:
    """The sentence of a reply that has a clause; empty if only the question says it."""
    if not clause:
        return ""
    texts = [sentence.text for sentence in read(reply, language).sentences]
    return next((text for text in texts if plain(clause) in plain(text)), "")


def _of_reports(results: str, language: Language) -> Iterator[Fact]:
    """A thought for each line of a report, in its own words."""
    line = phrases("tim_lines", language)
    for text in filter(None, map(str.strip, results.splitlines())):
        relation, report = line["has"], text
        if parts := _NAME.fullmatch(text):
            relation = line["topic"].format(topic=parts["name"].strip())
            report = parts["report"]
        yield Fact(
            subject=line["patient"], relation=relation, object=report.strip(_EDGE), sentence=text
        )


def _kind(text: str, question: str, language: Language) -> FactKind:
    """Return what a treatment may depend on.

    An allergy, a pregnancy or a medicine that the words name.

    A medicine that is named when allergies were asked for is one.
    """
    drug = bool(drugs_in(text))
    for kind in _KINDS:
        cue = finder(kind.value, language)
        if cue.search(text) or (drug and cue.search(question)):
            return kind
    return FactKind.MEDICINE if drug else FactKind.OTHER


def is_open(question: str, language: Language) -> bool:
    """Check whether a question asks for more than yes or no."""
    closed = (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE)
    return any(part.asks not in closed for part in read_questions(question, language))


@lru_cache(maxsize=1024)
def question_topic(question: str, language: Language) -> str:
    """Return what a question is about: its content words, in order."""
    parts = read_questions(question, language)
    topics = list(chain.from_iterable(part.topics for part in parts)) or [question]
    if language is Language.ZH:
        return "、".join(topic.strip(_EDGE) for topic in topics if content(topic, language))
    every_word = chain.from_iterable(map(_WORD.findall, topics))
    return " ".join(dict.fromkeys(word for word in every_word if content(word, language)))
