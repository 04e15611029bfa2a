"""The languages Osler speaks, and who answers the doctor."""

from enum import StrEnum


class Language(StrEnum):
    """A record's language; prompts, rules, matching and judging follow it."""

    EN = "en"
    ZH = "zh"


class Speaker(StrEnum):
    """Who answers the doctor, by relation to the patient."""

    PATIENT = "patient"
    MOTHER = "mother"
    FATHER = "father"
    WIFE = "wife"
    HUSBAND = "husband"
    DAUGHTER = "daughter"
    SON = "son"
    SIBLING = "sibling"
    CAREGIVER = "caregiver"
