"""Whether a thought that a model proposes was said: its words, who it is about, and whether it was affirmed or denied.

The rules read the same turn. A model may word a thought better or cut it finer; it may not turn one round, answer a
question that was not answered, or join what nobody joined.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.memory.base import Turn
from osler.memory.tim.extract.scope import Voices, voices
from osler.memory.tim.extract.wording import GENERIC, OTHERS, PATIENTS, mended
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import content, numbers, plain, sentences, words

_BETWEEN = 3
"""Words that may stand between a subject and its object when the relation itself was not said."""
_LONGEST_NAME = {Language.EN: 60, Language.ZH: 24}
"""Characters of a subject; a longer one is a sentence."""


def as_said(draft: Draft, turn: Turn, heard: Sequence[Draft], language: Language) -> Draft | None:
    """The draft with its polarity in its words and the sentence it rests on; nothing when it was not said.

    `heard` is what the rules made of the turn.
    """
    draft = mended(draft, language)
    if not content(draft.object, language) or plain(draft.subject) == plain(draft.object) or not draft.relation:
        return None
    if not draft.negated and not voices(draft.object, language).affirmed:
        return None  # a denial is no value of anything
    if len(draft.subject) > _LONGEST_NAME[language] or (heard and all(other.certainty == 0 for other in heard)):
        return None
    if not set(numbers(draft.triple)) <= set(numbers(f"{turn.question} {turn.reply}")):
        return None
    for sentence in sentences(turn.reply, language):
        if _is_worded(draft, sentence, language) and _agree(draft, voices(sentence, language), language):
            return draft.model_copy(update={"sentence": sentence, "reported": _time(draft, sentence)})
    for other in heard:
        if other.certainty == 0 or not _is_worded(draft, other.triple, language):
            continue
        if _agree(draft, _voices(other, language), language):
            said = {"sentence": other.sentence, "certainty": other.certainty}
            return draft.model_copy(update={**said, "reported": _time(draft, other.sentence)})
    return None


def _time(draft: Draft, sentence: str) -> str:
    return draft.reported if plain(draft.reported) in plain(sentence) else ""


def _is_worded(draft: Draft, text: str, language: Language) -> bool:
    """Whether every word of the draft is in the text, of the same person."""
    named = [word for word in content(f"{draft.subject} {draft.object}", language) if word not in PATIENTS]
    doing = [word for word in content(draft.relation, language) if word not in GENERIC[language]]
    if not named or not all(said_in(word, text, language) for word in named + doing):
        return False
    if doing and language is Language.EN and not _before(doing[0], draft.object, text):
        return False
    if not doing and draft.subject not in PATIENTS and not _side_by_side(draft, text, language):
        return False
    return not OTHERS[language].search(plain(text)) or OTHERS[language].search(plain(draft.triple)) is not None


def _before(verb: str, object_: str, text: str) -> bool:
    """Whether the verb was said before its object: `WBC: elevated` is not `elevated WBC`."""
    said, own = words(text, Language.EN), set(content(object_, Language.EN))
    return verb in said and any(word in own for word in said[said.index(verb) + 1 :])


def _side_by_side(draft: Draft, text: str, language: Language) -> bool:
    """Whether the subject is followed by its object: `has` between two distant words joins what nobody joined."""
    said = words(text, language)
    subject, object_ = words(draft.subject, language), words(draft.object, language)
    for place in range(len(said) - len(subject) + 1):
        after = said[place + len(subject) :][: _BETWEEN + 1]
        if said[place : place + len(subject)] == subject and set(object_[:1]) & set(after):
            return True
    return False


def _agree(draft: Draft, said: Voices, language: Language) -> bool:
    """Whether every word of the object is affirmed where it was affirmed, and denied where it was denied."""
    mine = voices(draft.object, language, denied=draft.negated)
    return all(mine.of(word) & (said.of(word) or {said.denies}) for word in content(draft.object, language))


def _voices(draft: Draft, language: Language) -> Voices:
    return voices(f"{draft.relation} {draft.object}", language, denied=draft.negated)


def said_in(word: str, text: str, language: Language) -> bool:
    """Whether a word, as `content` gives it, is in a text."""
    if language is Language.ZH:
        return word in plain(text) or set(word) <= set(plain(text).replace("疼", "痛"))
    return word in content(text, language)


def said_once(proposed: Sequence[Draft], heard: Sequence[Draft], language: Language) -> list[Draft]:
    """Each thing once: a model's thoughts where together they hold all of a rules' thought, else the fuller one."""
    kept: list[Draft] = []
    dropped: set[int] = set()
    for other in heard:
        parts = [place for place, draft in enumerate(proposed) if _holds(other, draft, language)]
        told = " ".join(proposed[place].triple for place in parts)
        weight = set(content(other.triple, language)) - GENERIC[language]
        if parts and weight <= set(content(told, language)) and set(numbers(other.triple)) <= set(numbers(told)):
            continue
        dropped |= set(parts)
        kept.append(other)
    return [draft for place, draft in enumerate(proposed) if place not in dropped] + kept


def _holds(fuller: Draft, draft: Draft, language: Language) -> bool:
    """Whether one thought has all words of weight of another, with the same polarity."""
    own = set(content(draft.triple, language)) - GENERIC[language]
    return own <= set(content(fuller.triple, language)) | GENERIC[language] and (
        fuller.certainty == 0 or _agree(draft, _voices(fuller, language), language)
    )
