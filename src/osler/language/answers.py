"""Reads a reply as the answer to its question: what a bare "no" denies is what was asked about."""

from __future__ import annotations

from dataclasses import replace

from osler.language.base import Language, Speaker
from osler.language.cues import finder
from osler.language.reader import read
from osler.language.reading import Mention


def read_answer(
    question: str, reply: str, language: Language, speaker: Speaker = Speaker.PATIENT
) -> tuple[Mention, ...]:
    """What the reply says of the patient and of others, completed by the question where the reply leaves it out."""
    mentions = read(reply, language).mentions
    opening = finder("answer_no", language).match(reply.strip()), finder("answer_yes", language).match(reply.strip())
    if not any(opening):
        return mentions
    asked = (replace(mention, denied=bool(opening[0])) for mention in read(question, language).mentions)
    return (*asked, *mentions)
