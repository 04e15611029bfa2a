"""What an English question is about, in few words, and whom it may be about."""

from __future__ import annotations

import re

PATIENT = "patient"
COMPLAINT = "complaint"
WHO = r"(?:you|he|she|they|we|your (?:child|son|daughter|baby|mother|father|wife|husband)|the (?:child|patient|baby))"
LONGEST = 14
"""Words of a topic."""
_OWNER = re.compile(
    r"\b(?:your child's|your baby's|your|you|the patient's|his|her|he|she|the child|the patient)\b ?", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:(?:any|a|an|the|some|this|that|these|more of)\s+)+", re.IGNORECASE)
_LAST_PHRASE = re.compile(r"(?:,| or| and| such as| that)(?! .*(?:,| or | and )).*$")


def short(text: str) -> str:
    """A noun phrase without its article and without whose it is."""
    text = _ARTICLE.sub("", _OWNER.sub("", text.strip(" ,?.")))
    kept = " ".join(text.split()[:LONGEST]).strip(" ,")
    # What is too long ends where a phrase ends, and not in the middle of one.
    return kept if len(kept) >= len(text.strip(" ,")) else _LAST_PHRASE.sub("", kept)


def lowered(text: str) -> str:
    """Without the capital that only the beginning of a sentence gave."""
    return text if re.match(r"I\b|\w?[A-Z\d]{2}", text) else text[:1].lower() + text[1:]
