"""A patient without a model: tells the selected entries in a lay person's words, and nothing else."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Case, Reply, Selection
from osler.language import Language, Speaker
from osler.language.lexicon.phrases import meant
from osler.language.words import content, plain
from osler.prompts import phrases
from osler.records.schema import RESULTS, Category, Entry, Sex, Status
from osler.runs.events import Maker, Unrecorded

EN, ZH = Language.EN, Language.ZH
_CHOICES = 2
"""Ways in which each persona says that it does not know; the question decides which, so that it is always the same."""
_STOPS = tuple(".!?…。！？")
_POLAR = re.compile(
    r"^(?:and |so |but )*(?:do|does|did|is|are|was|were|am|have|has|had|can|could|any|ever)\b", re.IGNORECASE
)
"""Questions that one answers with yes or no."""
_FELT = "(?:activity|exercise|fitness|stress|pain|energy|fatigue|anxiety|comfort|discomfort|function)"
_FELT_LEVEL = re.compile(rf"\b{_FELT} levels?\b|\blevels? of (?:\w+ )?{_FELT}\b", re.IGNORECASE)
"""Levels that nobody measures: "level of physical activity"."""
_TESTISH = re.compile(
    r"\b(?:test|tests|scan|x-?ray|ultrasound|ct|mri|ecg|ekg|biopsy|blood work|lab|laborator\w+|imaging|endoscop\w*"
    r"|colonoscop\w*|culture|examin\w+|measured|checked|levels?|panel|screen\w*|serolog\w*|antibod\w*)\b"
    r"|检查|化验|拍片|核磁|超声|B超|心电图|(?<!眼)镜(?!子)|培养|查过|测过|抗体|(?<![a-z])CT(?![a-z])",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"^(?:the )?(?:patient|he|she|mother)\s+(?:also\s+)?"
    r"(?:reports?|states?|notes?|mentions?|complains? of|presents? with)\s+(?:that\s+)?",
    re.IGNORECASE,
)
"""Openings of a report that says what the patient said."""
_AND_DOES = re.compile(r"\b(and|but|or) (\w+s)(?= (?:a|an|the|no|that|\w+ing)\b)")
_SENTENCE = re.compile(r"([.!?]\s+)(my|his|her|their|he|she|they)\b")
_A_NAME = 4
"""A name with more words than this is treated as a sentence, so it is not put after "yes"."""


class RulesPatient(Participant):
    """Says the selected entries in the speaker's own words: the same selection always gives the same reply."""

    def __init__(self) -> None:
        """Keep nothing."""
        super().__init__("patient", "Answers from the entries it was given, without a language model.")

    async def respond(self, content: Any) -> Reply:
        """Answer an augmented question."""
        return Reply(text=spoken(content), maker=Maker.RULES)


def spoken(selection: Selection) -> str:
    """A whole reply: what is known, what the doctor has on paper, and what the record says nothing about."""
    case, say = selection.case, phrases("rules_patient", selection.case.language)
    missing = [thing for thing in selection.things if thing.unrecorded is not None]
    said = [voice(selection.known, selection.question, case)] if selection.known else []
    said += [say["handed_over"]] if selection.reported else []
    if said:
        named = [thing for thing in missing if thing.unrecorded is not Unrecorded.UNKNOWN]
        said += [say[f"unrecorded_{one.unrecorded}"].format(name=one.name[:1].upper() + one.name[1:]) for one in named]
        return (" " if case.language is EN else "").join(said)
    why = {thing.unrecorded for thing in missing}
    if why in ({Unrecorded.DENIED}, {Unrecorded.NOT_DONE}):
        return say["no" if why == {Unrecorded.DENIED} else "untested"]
    return _unknown(selection.question, case)


def voice(entries: tuple[Entry, ...], question: str, case: Case) -> str:
    """One to three sentences that tell what these entries say, and nothing else."""
    if not entries:
        return _unknown(question, case)
    told = {entry: _told(entry, question, case) for entry in entries}
    said = [_titled(text, entry, case) if entries[1:] else text for entry, text in told.items()]
    return (" " if case.language is EN else "").join(dict.fromkeys(said))


def _titled(text: str, entry: Entry, case: Case) -> str:
    """Name each of several results: "586, high" does not say which it is."""
    language = case.language
    is_named = set(content(entry.name, language)) & set(content(text, language))
    if entry.category not in RESULTS or is_named or meant(entry.name, language) & meant(text, language):
        return text
    return phrases("rules_patient", language)["titled"].format(name=entry.name, told=text)


def _unknown(question: str, case: Case) -> str:
    """Return the reply if the record has nothing: not examined, or not known."""
    say = phrases("rules_patient", case.language)
    if _TESTISH.search(_FELT_LEVEL.sub("", question)):
        return say["untested"]
    choice = hashlib.sha256(plain(question).encode()).digest()[0] % _CHOICES
    return say[f"{case.persona}_{choice + 1}"]


def _told(entry: Entry, question: str, case: Case) -> str:
    text = (entry.said or (_english(entry, question, case) if case.language is EN else _chinese(entry))).strip()
    if text[-1:] not in _STOPS:
        text += "." if case.language is EN else "。"
    if entry.when and entry.when.casefold() not in text.casefold():
        return phrases("rules_patient", case.language)["when"].format(told=text, when=entry.when)
    return text


def _english(entry: Entry, question: str, case: Case) -> str:
    name = entry.name[:1].lower() + entry.name[1:] if not entry.name.isupper() else entry.name
    match entry.status:
        case Status.NOT_DONE:
            return f"No, {name} hasn't been done."
        case Status.ABSENT if entry.report and entry.category in RESULTS:
            return f"{entry.name}: {entry.report}"
        case Status.ABSENT:
            name = name.removeprefix("no ")
            return f"No, no {name}." if len(name.split()) <= _A_NAME else f"No. {_first_person(entry.report, case)}"
        case Status.NORMAL:
            return f"{entry.name}: {entry.report or 'normal.'}"
        case Status.PRESENT:
            report = _first_person(entry.report, case) if entry.report else ""
            if entry.category in RESULTS:
                return f"{entry.name}: {report or phrases('rules_patient', EN)['no_report']}"
            told = bool(report) and report.rstrip(".").casefold() != entry.name.casefold()
            if told or (report and len(name.split()) > _A_NAME):
                return report
            # "Yes, non-smoker" would say both.
            yes = entry.category is Category.SYMPTOM and _POLAR.match(question)
            return f"Yes, {name}." if yes else f"{entry.name[:1].upper()}{entry.name[1:]}."


def _chinese(entry: Entry) -> str:
    match entry.status:
        case Status.NOT_DONE:
            return f"没有，{entry.name}还没做过。"
        case Status.ABSENT:
            return f"没有，没有{entry.name}。"
        case Status.NORMAL:
            return f"{entry.name}是正常的，{entry.report}" if entry.report else f"{entry.name}是正常的。"
        case Status.PRESENT:
            if entry.category in RESULTS:
                return f"{entry.name}，{entry.report or phrases('rules_patient', ZH)['no_report']}"
            return f"有，{entry.report}" if entry.report else f"有{entry.name}。"


def _mine(verb: str) -> str:
    """A verb of the third person in the first: `has`, `denies`, `appears`; `was` stays."""
    irregular = {"has": "have", "is": "am", "was": "was", "does": "do", "goes": "go"}
    if verb in irregular:
        return irregular[verb]
    return f"{verb[:-3]}y" if verb.endswith("ies") else verb.removesuffix("s")


def _first_person(report: str, case: Case) -> str:
    """`The patient reports a cough. She notes …` as the speaker would say it."""
    text = _REPORTED.sub("", report)
    if case.speaker is Speaker.PATIENT:
        text = re.sub(r"\b(?:(?:the )?patient['’]s|his|her)\b", "my", text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:the )?patient\b(?! portal)|\b(?:he|she)\b", "I", text, flags=re.IGNORECASE)
        text = re.sub(r"\bI( also| currently| often)? (\w+s)\b", lambda hit: f"I{hit[1] or ''} {_mine(hit[2])}", text)
        text = _AND_DOES.sub(lambda hit: f"{hit[1]} {_mine(hit[2])}", text)
        text = re.sub(r"\b(?:himself|herself)\b", "myself", text, flags=re.IGNORECASE)
        text = re.sub(r"\bhim\b", "me", text, flags=re.IGNORECASE)
    else:
        he, his = {Sex.FEMALE: ("she", "her"), Sex.MALE: ("he", "his")}.get(case.sex, ("they", "their"))
        text = re.sub(r"\b(?:the )?patient['’]s\b", his, text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:the )?patient\b(?! portal)", he, text, flags=re.IGNORECASE)
    text = _SENTENCE.sub(lambda found: f"{found[1]}{found[2].capitalize()}", text)
    return text[:1].upper() + text[1:]
