"""A patient without a model: tells the selected entries in a lay person's words, and nothing else."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Case, Reply, Selection
from osler.agents.rules.stated import EarlierFact, confirmed
from osler.language import Language, Speaker
from osler.language.answers import answer_opening
from osler.language.cues import finder
from osler.language.lexicon.phrases import meant
from osler.language.questions import AnswerWanted, read_questions
from osler.language.reader import read
from osler.language.words import content, numbers, plain
from osler.prompts import phrases
from osler.records.schema import RESULTS, Entry, Sex, Status
from osler.runs.events import Maker, Unrecorded

EN, ZH = Language.EN, Language.ZH
_CHOICES = 2
"""Ways in which each persona says that it does not know; the question decides which, so that it is always the same."""
_STOPS = tuple(".!?…。！？")
_FELT = "(?:activity|exercise|fitness|stress|pain|energy|fatigue|anxiety|comfort|discomfort|function)"
_FELT_LEVEL = re.compile(rf"\b{_FELT} levels?\b|\blevels? of (?:\w+ )?{_FELT}\b", re.IGNORECASE)
"""Levels that nobody measures: "level of physical activity"."""
_TESTISH = re.compile(
    r"\b(?:test|tests|scan|x-?ray|ultrasound|ct|mri|ecg|ekg|biopsy|blood work|lab|laborator\w+|imaging|endoscop\w*"
    r"|colonoscop\w*|culture|examin\w+|measured|checked|levels?|panel|screen\w*|serolog\w*|antibod\w*)\b"
    r"|检查|化验|拍片|核磁|超声|B超|心电图|(?<!眼)镜(?!子)|培养|查过|测过|抗体|(?<![a-z])CT(?![a-z])",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:present|absent|none|no|nil|negative|denied|not done|normal|有|无|没有|否认|正常|未做)[.。]?", re.IGNORECASE
)
"""Reports that say nothing without the name of their entry."""
_REPORTED = re.compile(
    r"^(?:(?:the )?(?:patient|he|she|mother)\s+(?:also\s+)?)?"
    r"(?:reports?|states?|notes?|mentions?|complains? of|presents? with)\s+(?:that\s+)?",
    re.IGNORECASE,
)
"""Openings of a report that says what the patient said."""
_DOES = r"(?:does|has|is|was|takes|uses|drinks|smokes|works|lives|denies)"
_WITHOUT_SUBJECT = re.compile(rf"^{_DOES}\b", re.IGNORECASE)
_AND_DOES = re.compile(rf"\b(and|but|or) ({_DOES}|\w+s(?= (?:a|an|the|no|that|\w+ing)))\b")
_SENTENCE = re.compile(r"([.!?]\s+)(my|his|her|their|he|she|they)\b")
_THE_PATIENT = re.compile("患者|病人|患儿")
_DENIES = re.compile("^(我|他|她|孩子)?(?:无|否认有?)")


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
    said += [say[phrase] for phrase in _about_earlier(selection)]
    if said:
        named = [thing for thing in missing if thing.unrecorded is not Unrecorded.UNKNOWN]
        said += [say[f"unrecorded_{one.unrecorded}"].format(name=one.name[:1].upper() + one.name[1:]) for one in named]
        return (" " if case.language is EN else "").join(said)
    why = {thing.unrecorded for thing in missing}
    if why in ({Unrecorded.DENIED}, {Unrecorded.NOT_DONE}):
        return say["no" if why == {Unrecorded.DENIED} else "untested"]
    return _unknown(selection.question, case)


def _about_earlier(selection: Selection) -> dict[str, None]:
    """Return the phrases for what was told at earlier visits: what the doctor states is confirmed or denied."""
    question, language = selection.question, selection.case.language
    past: tuple[EarlierFact, ...] = tuple(reversed(selection.past))  # what was said last counts
    facts = [(entry, *past) for entry in selection.entries if entry.name in selection.earlier] or [past] * bool(past)
    phrase = {True: "confirmed", False: "not_so", None: "told_earlier"}
    return dict.fromkeys(phrase[confirmed(question, some, language)] for some in facts)


def voice(entries: tuple[Entry, ...], question: str, case: Case) -> str:
    """One to three sentences that tell what these entries say, and nothing else."""
    if not entries:
        return _unknown(question, case)
    told = {entry: _told(entry, question, case) for entry in entries}
    said = [_titled(text, entry, case) if entries[1:] else text for entry, text in told.items()]
    return (" " if case.language is EN else "").join(dict.fromkeys(said))


def _titled(text: str, entry: Entry, case: Case) -> str:
    """Name each of several results, and each value of a text: "586, high" does not say which it is."""
    language = case.language
    is_named = set(content(entry.name, language)) & set(content(text, language))
    if (
        (entry.said and entry.category not in RESULTS)
        or is_named
        or meant(entry.name, language) & meant(text, language)
    ):
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
    text = (_said(entry, question, case) if entry.said else _stated(entry, question, case)).strip()
    if text[-1:] not in _STOPS:
        text += "." if case.language is EN else "。"
    if entry.when and entry.when.casefold() not in text.casefold():
        return phrases("rules_patient", case.language)["when"].format(told=text, when=entry.when)
    return text


def _said(entry: Entry, question: str, case: Case) -> str:
    """The speaker's own words; a yes or a no in front of them only where the entry settles the question."""
    opened, rest = answer_opening(entry.said, case.language)
    if opened not in ("yes", "no") or _settles(entry, question, case):
        return entry.said
    states = any(mention.what for mention in read(rest, case.language, case.speaker).mentions)
    return rest[:1].upper() + rest[1:] if states else entry.said


def _settles(entry: Entry, question: str, case: Case) -> bool:
    """Check whether the entry answers the question with a yes or a no.

    What is there answers only a question that asks for it by name: one for a time, an amount or a side asks for more. A
    denial answers every question that has a word of its name.
    """
    asked, language = read_questions(question, case.language, case.speaker), case.language
    if len(asked) != 1 or asked[0].asks is not AnswerWanted.YES_OR_NO or asked[0].is_negated:
        return False
    is_denied = entry.status in (Status.ABSENT, Status.NOT_DONE)
    if not is_denied and (asked[0].when or numbers(question) or finder("sides", language).search(question)):
        return False
    names = [(name, set(content(name, language))) for name in (entry.name, *entry.aliases)]
    things = meant(question, language).union(*(meant(topic, language) for topic in asked[0].topics))
    if any(meant(name, language) & things for name, _ in names):
        return True
    topics = [set(content(topic, language)) for topic in asked[0].topics]
    return any(topic & words if is_denied else topic <= words for topic in filter(None, topics) for _, words in names)


def _stated(entry: Entry, question: str, case: Case) -> str:
    """An entry in the words of its report, or of its name where it has none; its text may settle no question."""
    report = _first_person(entry.report, case)
    is_statement = plain(entry.name.rstrip("…")) in plain(entry.report)
    if report and not _BARE.fullmatch(entry.report) and (is_statement or entry.category not in RESULTS):
        return report
    say = phrases("rules_patient", case.language)
    if entry.status is Status.NORMAL or (entry.category in RESULTS and entry.status is not Status.NOT_DONE):
        known = report or (say["no_report"] if entry.status is Status.PRESENT else say[entry.status])
        return say["titled"].format(name=entry.name, told=known)
    if entry.status is not Status.PRESENT:
        return say[f"stated_{entry.status}"].format(name=_name(entry.name))
    if not report and _settles(entry, question, case):
        return say["yes"].format(name=_name(entry.name))
    return entry.name[:1].upper() + entry.name[1:]


def _name(name: str) -> str:
    """A name within a sentence."""
    return name if name.isupper() else name[:1].lower() + name[1:]


def _mine(verb: str) -> str:
    """A verb of the third person in the first: `has`, `denies`, `appears`; `was` stays."""
    irregular = {"has": "have", "is": "am", "was": "was", "does": "do", "goes": "go"}
    if verb in irregular:
        return irregular[verb]
    return f"{verb[:-3]}y" if verb.endswith("ies") else verb.removesuffix("s")


def _first_person(report: str, case: Case) -> str:
    """`The patient reports a cough. She notes …` as the speaker would say it."""
    he, his = {Sex.FEMALE: ("she", "her"), Sex.MALE: ("he", "his")}.get(case.sex, ("they", "their"))
    is_patient = case.speaker is Speaker.PATIENT
    if case.language is ZH:
        text = _THE_PATIENT.sub("我" if is_patient else "她" if case.sex is Sex.FEMALE else "他", report)
        return _DENIES.sub(r"\1没有", text)
    text = _REPORTED.sub("", report)
    if is_patient:
        text = re.sub(r"\b(?:(?:the )?patient['’]s|his|her)\b", "my", text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:the )?patient\b(?! portal)|\b(?:he|she)\b", "I", text, flags=re.IGNORECASE)
        text = _WITHOUT_SUBJECT.sub(lambda hit: f"I {hit[0].lower()}", text)
        text = re.sub(r"\bI( also| currently| often)? (\w+s)\b", lambda hit: f"I{hit[1] or ''} {_mine(hit[2])}", text)
        text = _AND_DOES.sub(lambda hit: f"{hit[1]} {_mine(hit[2])}", text)
        text = re.sub(r"\b(?:himself|herself)\b", "myself", text, flags=re.IGNORECASE)
        text = re.sub(r"\bhim\b", "me", text, flags=re.IGNORECASE)
    else:
        text = re.sub(r"\b(?:the )?patient['’]s\b", his, text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:the )?patient\b(?! portal)", he, text, flags=re.IGNORECASE)
    text = _SENTENCE.sub(lambda found: f"{found[1]}{found[2].capitalize()}", text)
    return text[:1].upper() + text[1:]
