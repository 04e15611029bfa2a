"""Whether a thought that a model proposes was said: its words, who it is about, and whether it was affirmed or denied.

The rules read the same turn. A model may word a thought better or cut it finer; it may not turn one round, answer a
question that was not answered, or join what nobody joined.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.memory.base import Turn
from osler.memory.tim.alike import bare_relation
from osler.memory.tim.extract.chinese_shape import is_worded, weight
from osler.memory.tim.extract.english_shape import in_one_clause, is_shaped, mends_begun
from osler.memory.tim.extract.scope import Voices, voices
from osler.memory.tim.extract.wording import GENERIC, OTHERS, PATIENTS, mended
from osler.memory.tim.thought import Draft
from osler.records.language import Language
from osler.words import content, numbers, plain, sentences, words

_BETWEEN = 3
"""Words that may stand between a subject and its object when the relation itself was not said."""
_JOINING = frozenset(
    words("is was are were been has have had shows showed show says said a an the my of at", Language.EN)
)
"""English words that join a name to its value; `for` and `with` join it to something else."""
_SEEN = frozenset(words("saw see found noticed know", Language.EN))
_SAYS = frozenset({"says", "说"})
_LONGEST_NAME = {Language.EN: 60, Language.ZH: 24}
"""Characters of a subject; a longer one is a sentence."""


def as_said(draft: Draft, turn: Turn, heard: Sequence[Draft], language: Language) -> Draft | None:
    """The draft with its polarity in its words and the sentence it rests on; nothing when it was not said.

    `heard` is what the rules made of the turn.
    """
    draft = mended(draft, language)
    draft = mends_begun(draft) if language is Language.EN else draft
    if not _is_a_fact(draft, language) or (heard and all(other.certainty == 0 for other in heard)):
        return None
    if not set(numbers(draft.triple)) <= set(numbers(f"{turn.question} {turn.reply}")):
        return None
    for sentence in sentences(turn.reply, language):
        if not _is_worded(draft, sentence, language) or not _agree(draft, voices(sentence, language), language):
            continue
        if language is Language.ZH or in_one_clause(draft, sentence):
            return draft.model_copy(update={"sentence": sentence, "reported": _time(draft, sentence)})
    for other in heard:
        if other.certainty == 0 or not _is_worded(draft, other.triple, language):
            continue
        if _agree(draft, _voices(other, language), language):
            said = {"sentence": other.sentence, "certainty": other.certainty}
            return draft.model_copy(update={**said, "reported": _time(draft, other.sentence)})
    return None


def _is_a_fact(draft: Draft, language: Language) -> bool:
    """Whether it has the shape of one, whatever was said; a denial is no value of anything."""
    if not content(draft.object, language) or plain(draft.subject) == plain(draft.object) or not draft.relation:
        return False
    if len(draft.subject) > _LONGEST_NAME[language] or (language is Language.EN and not is_shaped(draft)):
        return False
    return draft.negated or bool(voices(draft.object, language).affirmed)


def _time(draft: Draft, sentence: str) -> str:
    return draft.reported if plain(draft.reported) in plain(sentence) else ""


def _is_worded(draft: Draft, text: str, language: Language) -> bool:
    """Whether every word of the draft is in the text, of the same person."""
    if language is Language.ZH:
        return is_worded(draft, text)
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
            between = after[: after.index(object_[0])]
            return language is Language.ZH or _JOINING.issuperset(between)
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
        told = " ".join(f"{proposed[place].triple} {proposed[place].reported}" for place in parts)
        covers = _weight(other.triple, language) <= _weight(told, language) and plain(other.reported) in plain(told)
        covers = covers and set(numbers(other.triple)) <= set(numbers(told))
        if parts and covers and _cuts_finer([proposed[place] for place in parts], other, language):
            continue
        dropped |= set(parts)
        kept.append(other)
    chosen = [draft for place, draft in enumerate(proposed) if place not in dropped]
    return [draft for draft in chosen if not _adds_nothing(draft, kept, language)] + kept


def _weight(text: str, language: Language) -> frozenset[str]:
    """What tells a thought from others: words of weight, in Chinese characters, since words are cut in many ways."""
    return weight(text) if language is Language.ZH else frozenset(content(text, language)) - GENERIC[language]


def _cuts_finer(parts: Sequence[Draft], other: Draft, language: Language) -> bool:
    """Whether a model says more exactly what the rules kept whole: one thing each of a list, or of words just said."""
    return other.relation in _SAYS or (
        len(parts) > 1
        and all(
            bare_relation(part, language) == bare_relation(other, language)
            or (language is Language.ZH and part.subject == other.subject)
            for part in parts
        )
    )


def _adds_nothing(draft: Draft, kept: Sequence[Draft], language: Language) -> bool:
    """Whether the rules' thoughts of the same words hold all of it: torn from them it would be said twice."""
    around = " ".join(other.triple for other in kept if _same_words(draft.sentence, other.sentence))
    if around and language is Language.ZH and draft.relation in _SAYS:
        return True  # words only quoted, which the rules have read
    own = _weight(draft.triple, language) - PATIENTS - _SEEN
    return bool(around) and own <= _weight(around, language) and set(numbers(draft.triple)) <= set(numbers(around))


def _same_words(sentence: str, other: str) -> bool:
    other = other.rpartition("：")[2]  # without the Chinese question that it answers
    return plain(other).strip(" .!。！") in plain(sentence) or plain(sentence).strip(" .!。！") in plain(other)


def _holds(fuller: Draft, draft: Draft, language: Language) -> bool:
    """Whether one thought has all words of weight of another, with the same polarity."""
    return _weight(draft.triple, language) <= _weight(fuller.triple, language) and (
        fuller.certainty == 0 or _agree(draft, _voices(fuller, language), language)
    )
