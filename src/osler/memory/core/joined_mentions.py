"""Mentions of one sentence that only together say what is meant, joined to one stretch of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from osler.language import Language
from osler.language.lexicon.drugs import drugs_in
from osler.language.numerals import values
from osler.language.reader import Mention, read
from osler.language.words import plain


def whole_sentences(mentions: Sequence[Mention], reply: str, language: Language) -> list[Mention]:
    """Mentions, with those joined that one sentence affirms of one person in a row.

    Only as a whole do they say what is meant. If a sentence gives a number that none of its
    mentions has, all of it is kept.
    """
    # Of what only the question says there is no sentence.
    whole = [mention for mention in mentions if not sentence_of(mention.said, reply, language)]
    by_sentence = groupby(mentions, key=lambda mention: sentence_of(mention.said, reply, language))
    mentions_of = {text: list(group) for text, group in by_sentence if text}
    for text in statements(reply, language):
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
        if runs and _goes_on(runs[-1], mention):
            runs[-1].append(mention)
        else:
            runs.append([mention])
    return runs


def _goes_on(run: Sequence[Mention], mention: Mention) -> bool:
    """Check whether a mention affirms more of the person whom a run is about, and no other drug."""
    first = run[0]
    if first.denied or mention.denied:
        return False
    if (mention.whose, mention.unsure) != (first.whose, first.unsure):
        return False
    return not (drugs_in(mention.said) and any(drugs_in(earlier.said) for earlier in run))


def _joined(run: Sequence[Mention], sentence: str) -> Mention:
    """Mentions in a row as one: the stretch of the sentence from the first to the last."""
    first = run[0]
    last = run[-1]
    if len(run) == 1:
        is_quotable = not first.value or is_cut_out(first.what, first.said)
        if first.denied or is_quotable:
            return first
    start = max(plain(sentence).find(plain(first.said)), 0)
    end = plain(sentence).rfind(plain(last.said))
    stretch = sentence[start : end + len(last.said)] if end >= start else sentence
    # What the question names and the answer does not.
    named_by_question = [
        mention.what
        for mention in run
        if mention.is_asked or not is_cut_out(mention.what, mention.said)
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


def is_cut_out(what: str, said: str) -> bool:
    """Check whether a thing is made of the letters of what was said, in order.

    If it is not, the question names it.
    """
    letters = iter(plain(said))
    return all(letter in letters for letter in plain(what))


def statements(text: str, language: Language) -> list[str]:
    """The sentences that are no questions."""
    sentences = read(text, language).sentences
    return [sentence.text for sentence in sentences if not sentence.is_question]


def sentence_of(clause: str, reply: str, language: Language) -> str:
    """The sentence of a reply that has a clause; empty if only the question says it."""
    if not clause:
        return ""
    texts = [sentence.text for sentence in read(reply, language).sentences]
    return next((text for text in texts if plain(clause) in plain(text)), "")
