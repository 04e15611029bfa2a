"""How a consultation is spoken: things asked in a turn, and the length of turns on both sides.

In English a turn is counted in words, in Chinese in characters without punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from statistics import fmean, median

from osler.language import Language
from osler.language.words import plain
from osler.records.schema import PatientRecord
from osler.runs.events import Maker, Standing, Thing
from osler.runs.transcript import Transcript
from osler.runs.turns import TurnView

_ENGLISH_WORD = re.compile(r"[a-z0-9]+(?:['’.-][a-z0-9]+)*")
_CHINESE_PIECE = re.compile(r"[\u4e00-\u9fff]|[a-z0-9]+(?:[.][0-9]+)?")


def spoken_length(text: str, language: Language) -> int:
    """Return the words of an English text, or the characters of a Chinese one.

    In Chinese, a number or a Latin word counts as one character.
    """
    pattern = _ENGLISH_WORD if language is Language.EN else _CHINESE_PIECE
    return len(pattern.findall(plain(text)))


def things_per_turn(transcript: Transcript, record: PatientRecord) -> float | None:
    """Return the mean number of things that a question of the doctor asks for.

    None if no model read the questions.
    """
    counts = [len(things) for things in _things_by_turn(transcript)]
    return fmean(counts) if counts else None


def question_length(transcript: Transcript, record: PatientRecord) -> float | None:
    """Return the median length of the doctor's questions."""
    questions = (turn.question for turn in _own_turns(transcript))
    return _median_length(questions, record.language)


def reply_length(transcript: Transcript, record: PatientRecord) -> float | None:
    """Return the median length of the patient's replies."""
    replies = (turn.answered.reply for turn in _turns(transcript) if turn.answered)
    return _median_length(replies, record.language)


def share_assumed(transcript: Transcript, record: PatientRecord) -> float | None:
    """Return the share of the things asked for that the patient answered out of silence."""
    return _share_of(Standing.ASSUMED, transcript)


def share_unknown(transcript: Transcript, record: PatientRecord) -> float | None:
    """Return the share of the things asked for that the patient did not know."""
    return _share_of(Standing.UNKNOWN, transcript)


def share_of_guarded_got(transcript: Transcript, record: PatientRecord) -> float | None:
    """Return the share of the entries guarded by the persona that the doctor got plainly.

    Of those that it asked for. None if it met none.
    """
    got: dict[str, bool] = {}
    for turn in _own_turns(transcript):
        if turn.retrieved is None:
            continue
        tellings = turn.retrieved.tellings
        got |= dict.fromkeys(tellings, False)
        for name in turn.retrieved_names:
            if name in got and name not in tellings:
                got[name] = True
    return fmean(got.values()) if got else None


def _share_of(standing: Standing, transcript: Transcript) -> float | None:
    standings = []
    for things in _things_by_turn(transcript):
        standings += [thing.standing for thing in things]
    return standings.count(standing) / len(standings) if standings else None


def _things_by_turn(transcript: Transcript) -> Iterator[tuple[Thing, ...]]:
    """Yield what each question of the doctor itself asks for, as far as a model read it."""
    for turn in _own_turns(transcript):
        if turn.retrieved is not None and turn.retrieved.maker is not Maker.RULES:
            yield turn.retrieved.things


def _own_turns(transcript: Transcript) -> Iterator[TurnView]:
    for turn in _turns(transcript):
        if turn.asked is not None and turn.asked.maker.is_own:
            yield turn


def _turns(transcript: Transcript) -> Iterator[TurnView]:
    """Yield the turns of the consultation itself, without earlier visits."""
    for turn in transcript.turn_views:
        if turn.visited is None:
            yield turn


def _median_length(texts: Iterable[str], language: Language) -> float | None:
    lengths = [spoken_length(text, language) for text in texts]
    return float(median(lengths)) if lengths else None
