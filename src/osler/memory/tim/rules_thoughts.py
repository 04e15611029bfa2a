"""Form thoughts without a model, from a reply and from the reports that came with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby

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
from osler.memory.tim.thought import Draft, ThoughtKind
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
_NOT_THEIRS = re.compile(r"\b(?:am|is|are|was|were|it|they|we|you|there|under|over)\b|'(?:m|s|re)\b", re.IGNORECASE)
"""Words before a statement which show that the patient neither has nor does it, or that it is a place."""
_YOU = re.compile(r"\W*(?:you|your|you're|you've)\b|[你您]", re.IGNORECASE)
"""Opens a statement about the one who is spoken to."""
_POINTS = re.compile(r"\b(?:it|that|this|them|one)\W*$", re.IGNORECASE)
_KINDS = (ThoughtKind.ALLERGY, ThoughtKind.PREGNANCY, ThoughtKind.MEDICINE)


def rules_thoughts(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> list[Draft]:
    """The facts of a reply, completed by its question, and those of the reports.

    If two people talk who have names, what the one who asks tells besides is read too.
    """
    speaker = turn.speaker or speaker
    drafts = [*_of_reply(turn, language, speaker), *_of_reports(turn.results, language)]
    if turn.asked_by and turn.said_by:
        drafts = [*_of_reply(_other_way(turn, language), language, speaker), *drafts]
    return drafts[:_MOST]


def _other_way(turn: Turn, language: Language) -> Turn:
    """What the one who asks says before or behind the question, as a turn of its own."""
    told = [sentence.text for sentence in read(turn.question, language).sentences if not sentence.is_question]
    update = {"question": "", "reply": " ".join(told), "asked_by": turn.said_by, "said_by": turn.asked_by}
    return turn.model_copy(update=update)


def _of_reply(turn: Turn, language: Language, speaker: Speaker) -> Iterator[Draft]:
    mentions = read_answer(turn.question, turn.reply, language, speaker) if turn.reply else ()
    asked = frozenset(content(turn.question, language))
    first = next((sentence.text for sentence in read(turn.reply, language).sentences), "")
    opened, rest = answer_opening(turn.reply, language)
    is_answered = any(not one.said or (one.denied and _shares(one.what, asked, language)) for one in mentions)
    told = [_quoted(one, asked, language) for one in mentions if _tells(one, language)]
    told += [Mention("", said=text) for text in _unread(rest, language)]
    for mention in _whole_sentences(told, turn.reply, language):
        # What follows a no is said besides, and so is what follows the first sentence of an answer to a question for
        # yes or no; what follows a yes says more about it.
        is_first = plain(mention.said) in plain(first)
        is_answer = is_open(turn.question, language) or (is_first and (not is_answered or opened == "yes"))
        said = _object(mention, language)
        topic = (
            question_topic(turn.question, language)
            if is_answer and not _is_clear(said, turn.question, language)
            else ""
        )
        if topic or content(said, language):
            yield _draft(mention, said, topic, turn, language, speaker)


def _unread(reply: str, language: Language) -> list[str]:
    """Sentences in which the reader finds nothing, though they say something: they are kept as they are."""
    said = (one for one in read(reply, language).sentences if not one.is_question and not one.mentions)
    return [one.text for one in said if len(content(one.text, language)) > 1]


def _quoted(mention: Mention, asked: frozenset[str], language: Language) -> Mention:
    """A mention as a quotation that has its own "not", unless it denies a thing by name."""
    if mention.denied and (mention.value or not _names_a_thing(mention, asked, language)):
        return replace(mention, denied=False, what="")
    return mention


def _whole_sentences(mentions: Sequence[Mention], reply: str, language: Language) -> list[Mention]:
    """Mentions, with those joined that one sentence affirms of one person in a row: as a whole they say what is meant.

    If a sentence gives a number that none of its mentions has, all of it is kept.
    """
    found: list[Mention] = []
    sentences = [sentence.text for sentence in read(reply, language).sentences if not sentence.is_question]
    by_sentence = groupby(mentions, key=lambda one: _sentence_of(one.said, reply, language))
    told = {text: list(group) for text, group in by_sentence if text}
    found += [one for one in mentions if not _sentence_of(one.said, reply, language)]
    for text in sentences:
        rows = told.get(text, [])
        joined = [_joined(run, text) for run in _runs(rows)]
        said = " ".join(f"{one.what} {one.said} {one.when}" for one in joined)
        if not values(text) <= values(said):
            joined = [one for one in joined if one.denied] + [Mention("", said=text)]
        found += joined
    return found


def _runs(mentions: Sequence[Mention]) -> list[list[Mention]]:
    """Mentions in a row that affirm something of one person; a denial, and each further drug, stands alone."""
    runs: list[list[Mention]] = []
    for mention in mentions:
        last = runs[-1] if runs else [mention]
        is_one = (mention.whose, mention.unsure) == (last[0].whose, last[0].unsure)
        is_denial = mention.denied or last[0].denied
        is_other_drug = drugs_in(mention.said) and any(drugs_in(one.said) for one in last)
        if runs and is_one and not is_denial and not is_other_drug:
            last.append(mention)
        else:
            runs.append([mention])
    return runs


def _joined(run: Sequence[Mention], sentence: str) -> Mention:
    """Mentions in a row as one: the stretch of the sentence from the first to the last."""
    if len(run) == 1 and (run[0].denied or not run[0].value or _is_cut_out(run[0].what, run[0].said)):
        return run[0]
    start = max(plain(sentence).find(plain(run[0].said)), 0)
    end = plain(sentence).rfind(plain(run[-1].said))
    said = sentence[start : end + len(run[-1].said)] if end >= start else sentence
    asked = next((one.what for one in run if one.is_asked or not _is_cut_out(one.what, one.said)), "")
    times = {one.when for one in run if one.when}
    return replace(
        run[0],
        what=asked,
        value=said if asked else "",
        is_asked=bool(asked),
        said=said,
        when=times.pop() if len(times) == 1 else "",
    )


def _tells(mention: Mention, language: Language) -> bool:
    """Check whether a mention says something, unlike a `sorry`, an aside (`what men are like`) or a bare yes."""
    own = thing(mention.said, language) or mention.what
    if finder("sides", language).fullmatch(own):
        return True
    if any(finder(kind, language).fullmatch(own) for kind in ("answer_yes", "answer_no", "correction")):
        return False
    if mention.said:
        return not (_aside(language).match(own) or finder("vague", language).fullmatch(mention.what))
    last = mention.what.split()[-1:]
    return mention.denied or not (mention.unsure or any(finder("vague", language).fullmatch(word) for word in last))


@cache
def _aside(language: Language) -> re.Pattern[str]:
    """Finds a question within what somebody says: it tells nothing."""
    listed = groups("question_words", language)
    asked = ("what", "how") if language is Language.EN else ("where", "who")
    return re.compile(any_of((word for kind in asked for word in listed[kind]), language), re.IGNORECASE)


def _object(mention: Mention, language: Language) -> str:
    """Return what is so, or is denied, in the speaker's own words.

    Empty words at both ends are left out. If that would leave out more, or split a word, all of it is kept.
    """
    said, what = mention.said.strip(_EDGE), mention.what
    if what and (mention.is_asked or not said):
        return mention.value or what
    start = plain(said).find(plain(what)) if what else -1
    if start < 0:
        return what if what and (mention.denied or not _is_cut_out(what, said)) else said
    before, behind = said[:start], finder("negation_after", language).sub("", said[start + len(what) :])
    is_whole = not finder("fillers", language).sub("", behind).strip(_EDGE) and not _POINTS.search(behind)
    told = what if is_whole else said[start:]
    if mention.denied:
        return told
    is_torn = not set(words(told, language)) <= set(words(said, language))
    return said if is_torn or content(before, language) or _NOT_THEIRS.search(before) else told


def _is_cut_out(what: str, said: str) -> bool:
    """Check whether a thing is made of the letters of what was said, in order; else the question names it."""
    letters = iter(plain(said))
    return all(letter in letters for letter in plain(what))


def _names_a_thing(mention: Mention, asked: frozenset[str], language: Language) -> bool:
    """Return whether what is denied is a thing by its usual name or in the question's words, not a whole clause.

    "It never settled" or "the swab was negative" denies no thing: such a reply is quoted.
    """
    if not mention.said:
        return True
    if denies(mention.what, language) or plain(mention.what) not in plain(mention.said):
        return False
    is_known = any(reaches(score, _NEARLY_ALL) for score in named(language).best(mention.what).values())
    return is_known or asked.issuperset(content(mention.what, language))


def _shares(said: str, asked: frozenset[str], language: Language) -> bool:
    """Check whether some words show by themselves what was asked."""
    return not asked.isdisjoint(content(said, language))


def _is_clear(said: str, question: str, language: Language) -> bool:
    """Check whether an answer shows by itself what was asked, also which drug."""
    said_, asked = (time_finder(language).sub(" ", text) for text in (said, question))
    is_shared = _shares(said_, frozenset(content(asked, language)), language)
    return is_shared and set(drugs_in(question).values()) <= set(drugs_in(said).values())


def _draft(mention: Mention, said: str, topic: str, turn: Turn, language: Language, speaker: Speaker) -> Draft:
    line = phrases("tim_lines", language)
    subject = _subject(mention, turn, language)
    person = relative_at_start(said, language, speaker) if mention.whose and not mention.denied else None
    if mention.what and said == mention.value:
        relation, topic = line["topic"].format(topic=mention.what), ""
    elif mention.denied:
        relation = line["has"]
    elif person and content(person.rest, language):
        relation, said = "", person.rest.strip(_EDGE)
    elif turn.asked_by and subject == turn.asked_by:
        relation, topic = line["hears"].format(name=turn.said_by), ""
    elif topic or said != mention.what:
        relation = line["says"]
    else:
        relation = line["may_have" if mention.unsure else "has"]
    return Draft(
        subject=subject,
        relation=relation,
        object=said,
        sentence=_sentence_of(mention.said, turn.reply, language),
        asked=topic,
        negated=mention.denied,
        certainty=_UNSURE if mention.unsure else 1.0,
        reported=mention.when if plain(mention.when) not in plain(said) else "",
        kind=ThoughtKind.OTHER if mention.whose else _kind(f"{relation} {topic} {said}", turn.question, language),
    )


def _subject(mention: Mention, turn: Turn, language: Language) -> str:
    """Return whom a mention is about: the patient or a relative; of two people with names, one of them or theirs."""
    line = phrases("tim_lines", language)
    if not turn.said_by:
        return mention.whose or line["patient"]
    if mention.whose:
        return line["kin"].format(name=turn.said_by, relative=mention.whose)
    return turn.asked_by if turn.asked_by and _YOU.match(mention.said) else turn.said_by


def _sentence_of(clause: str, reply: str, language: Language) -> str:
    """The sentence of a reply that has a clause; empty if only the question says it."""
    said = (sentence.text for sentence in read(reply, language).sentences)
    return next((text for text in said if clause and plain(clause) in plain(text)), "")


def _of_reports(results: str, language: Language) -> Iterator[Draft]:
    """A thought for each line of a report, in its own words."""
    line = phrases("tim_lines", language)
    for text in filter(None, map(str.strip, results.splitlines())):
        named = _NAME.fullmatch(text)
        relation = line["topic"].format(topic=named["name"].strip()) if named else line["has"]
        report = (named["report"] if named else text).strip(_EDGE)
        yield Draft(subject=line["patient"], relation=relation, object=report, sentence=text)


def _kind(said: str, question: str, language: Language) -> ThoughtKind:
    """Return what a treatment may depend on: an allergy, a pregnancy or a medicine that the words name.

    A medicine that is named when allergies were asked for is one.
    """
    drug = bool(drugs_in(said))
    for kind in _KINDS:
        cue = finder(kind.value, language)
        if cue.search(said) or (drug and cue.search(question)):
            return kind
    return ThoughtKind.MEDICINE if drug else ThoughtKind.OTHER


def is_open(question: str, language: Language) -> bool:
    """Check whether a question asks for more than yes or no."""
    asked = read_questions(question, language)
    return any(one.asks not in (AnswerWanted.YES_OR_NO, AnswerWanted.CHOICE) for one in asked)


@lru_cache(maxsize=1024)
def question_topic(question: str, language: Language) -> str:
    """Return what a question is about: its content words, in order."""
    topics = [topic for asked in read_questions(question, language) for topic in asked.topics] or [question]
    if language is Language.ZH:
        return "、".join(topic.strip(_EDGE) for topic in topics if content(topic, language))
    found = (word for topic in topics for word in _WORD.findall(topic) if content(word, language))
    return " ".join(dict.fromkeys(found))
