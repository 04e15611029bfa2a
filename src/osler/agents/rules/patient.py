"""A patient without a model: it tells the selected entries, and nothing else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Case, Reply, Selection
from osler.agents.rules.stated import EarlierFact, check_statement
from osler.language import Language, Speaker
from osler.language.answers import answer_opening
from osler.language.cues import finder
from osler.language.lexicon.phrases import concepts_in
from osler.language.questions import AnswerWanted, ReadQuestion, read_questions
from osler.language.reader import read
from osler.language.words import content, join_sentences, numbers, plain
from osler.prompts import phrases
from osler.records.schema import RESULTS, Entry, Sex, Status
from osler.runs.events import Maker, Thing, Unrecorded

EN, ZH = Language.EN, Language.ZH
_CHOICES = 2
"""Ways in which each persona says that it does not know.

The question decides which, so that it is always the same.
"""
_STOPS = tuple(".!?…。！？")
_FELT = (
    "(?:activity|exercise|fitness|stress|pain|energy|fatigue|anxiety|comfort|discomfort|function)"
)
_FELT_LEVEL = re.compile(rf"\b{_FELT} levels?\b|\blevels? of (?:\w+ )?{_FELT}\b", re.IGNORECASE)
"""Levels that nobody measures: "level of physical activity"."""
_TESTISH = re.compile(
    r"\b(?:test|tests|scan|x-?ray|ultrasound|ct|mri|ecg|ekg|biopsy|blood work|lab|laborator\w+"
    r"|imaging|endoscop\w*|colonoscop\w*|culture|examin\w+|measured|checked|levels?|panel"
    r"|screen\w*|serolog\w*|antibod\w*)\b"
    r"|检查|化验|拍片|核磁|超声|B超|心电图|(?<!眼)镜(?!子)|培养|查过|测过|抗体|(?<![a-z])CT(?![a-z])",
    re.IGNORECASE,
)
"""Finds a question for something that would have to be measured or examined."""
_BARE = re.compile(
    r"(?:present|absent|none|no|nil|negative|denied|not done|normal"
    r"|有|无|没有|否认|正常|未做)[.。]?",
    re.IGNORECASE,
)
"""Reports that say nothing without the name of their entry."""
_REPORTED = re.compile(
    r"^(?:(?:the )?(?:patient|he|she|mother)\s+(?:also\s+)?)?"
    r"(?:reports?|states?|notes?|mentions?|complains? of|presents? with)\s+(?:that\s+)?",
    re.IGNORECASE,
)
"""Finds the opening of a report that repeats what the patient said."""
_DOES = r"(?:does|has|is|was|takes|uses|drinks|smokes|works|lives|denies)"
_WITHOUT_SUBJECT = re.compile(rf"^{_DOES}\b", re.IGNORECASE)
_AND_DOES = re.compile(rf"\b(and|but|or) ({_DOES}|\w+s(?= (?:a|an|the|no|that|\w+ing)))\b")
_SENTENCE = re.compile(r"([.!?]\s+)(my|his|her|their|he|she|they)\b")
_THE_PATIENT = re.compile("患者|病人|患儿")
_DENIES = re.compile("^(我|他|她|孩子)?(?:无|否认有?)")
_POSSESSIVE_TO_MY = re.compile(r"\b(?:(?:the )?patient['’]s|his|her)\b", re.IGNORECASE)
_SUBJECT_TO_I = re.compile(r"\b(?:the )?patient\b(?! portal)|\b(?:he|she)\b", re.IGNORECASE)
_I_DOES = re.compile(r"\bI( also| currently| often)? (\w+s)\b")
_REFLEXIVE_TO_MYSELF = re.compile(r"\b(?:himself|herself)\b", re.IGNORECASE)
_HIM_TO_ME = re.compile(r"\bhim\b", re.IGNORECASE)
_PATIENTS = re.compile(r"\b(?:the )?patient['’]s\b", re.IGNORECASE)
_PATIENT = re.compile(r"\b(?:the )?patient\b(?! portal)", re.IGNORECASE)
_IRREGULAR = {"has": "have", "is": "am", "was": "was", "does": "do", "goes": "go"}
_PRONOUNS = {Sex.FEMALE: ("she", "her"), Sex.MALE: ("he", "his")}


class RulesPatient(Participant):
    """Says the selected entries in the speaker's own words.

    The same selection always gives the same reply.
    """

    def __init__(self) -> None:
        """Keep nothing."""
        super().__init__(
            "patient", "Answers from the entries it was given, without a language model."
        )

    async def respond(self, content: Any) -> Reply:
        """Answer an augmented question."""
        return Reply(text=reply_by_rules(content), maker=Maker.RULES)


def reply_by_rules(selection: Selection) -> str:
    """Return a whole reply: what is known, what the doctor has on paper, what is not recorded."""
    case = selection.case
    say = phrases("rules_patient", case.language)
    parts: list[str] = []
    if selection.known:
        parts.append(voice(selection.known, selection.question, case))
    if selection.reported:
        parts.append(say["handed_over"])
    parts += [say[phrase] for phrase in _about_earlier(selection)]
    parts += [
        " ".join(filter(None, (exchange.reply, exchange.results)))
        for exchange in selection.past_again
    ]
    parts += _beside_entries(selection)
    missing = [thing for thing in selection.things if thing.unrecorded is not None]
    if not parts:
        return _reply_without_entries(missing, selection.question, case)
    for thing in missing:
        # What the patient cannot tell goes without saying, where there is something to tell.
        if thing.unrecorded in (Unrecorded.DENIED, Unrecorded.NOT_DONE):
            parts.append(
                say[f"unrecorded_{thing.unrecorded}"].format(name=_capitalized(thing.name))
            )
    return join_sentences(parts, case.language)


def _beside_entries(selection: Selection) -> list[str]:
    """Return what the person sheet tells of what was asked for, and what entries imply."""
    say = phrases("rules_patient", selection.case.language)
    sheet = selection.person.lines if selection.person else {}
    parts = []
    for thing in selection.things:
        parts += [sheet[field] for field in thing.person if field in sheet]
        if thing.implied:
            parts.append(say[f"implied_{thing.implied}"].format(name=_capitalized(thing.name)))
    return parts


def _reply_without_entries(missing: Sequence[Thing], question: str, case: Case) -> str:
    """Return the reply if the record says nothing of all that was asked for."""
    say = phrases("rules_patient", case.language)
    reasons = {thing.unrecorded for thing in missing}
    if reasons == {Unrecorded.DENIED}:
        return say["no"]
    if reasons == {Unrecorded.NOT_DONE}:
        return say["untested"]
    return _unknown(question, case)


def _about_earlier(selection: Selection) -> dict[str, None]:
    """Return the phrases for what was told at earlier visits.

    What the doctor states is confirmed or denied.
    """
    # Of equally close facts the first decides: what was said last must come first.
    past: tuple[EarlierFact, ...] = tuple(reversed(selection.past))
    groups = [(entry, *past) for entry in selection.entries if entry.name in selection.earlier]
    if not groups and past:
        groups = [past]
    phrase = {True: "confirmed", False: "not_so", None: "told_earlier"}
    named: dict[str, None] = {}
    for facts in groups:
        verdict = check_statement(selection.question, facts, selection.case.language)
        named[phrase[verdict]] = None
    return named


def voice(entries: tuple[Entry, ...], question: str, case: Case) -> str:
    """One to three sentences that tell what these entries say, and nothing else."""
    if not entries:
        return _unknown(question, case)
    texts = {entry: _text_of(entry, question, case) for entry in entries}
    if len(entries) > 1:
        texts = {entry: _titled(text, entry, case) for entry, text in texts.items()}
    # Two entries may have the same words: they are spoken once.
    return join_sentences(dict.fromkeys(texts.values()), case.language)


def _titled(text: str, entry: Entry, case: Case) -> str:
    """Name each of several results, and each value of a text.

    "586, high" does not say which it is.
    """
    language = case.language
    if entry.said and entry.category not in RESULTS:
        return text
    shares_words = set(content(entry.name, language)) & set(content(text, language))
    if shares_words or concepts_in(entry.name, language) & concepts_in(text, language):
        return text
    return phrases("rules_patient", language)["titled"].format(name=entry.name, told=text)


def _unknown(question: str, case: Case) -> str:
    """Return the reply if the record has nothing: not examined, or not known."""
    say = phrases("rules_patient", case.language)
    if _TESTISH.search(_FELT_LEVEL.sub("", question)):
        return say["untested"]
    choice = hashlib.sha256(plain(question).encode()).digest()[0] % _CHOICES
    return say[f"{case.persona}_{choice + 1}"]


def _text_of(entry: Entry, question: str, case: Case) -> str:
    """Return what the speaker says about an entry, with its closing mark and its time."""
    wording = _own_words if entry.said else _text_from_report
    text = wording(entry, question, case).strip()
    if text[-1:] not in _STOPS:
        text += "." if case.language is EN else "。"
    if not entry.when or entry.when.casefold() in text.casefold():
        return text
    return phrases("rules_patient", case.language)["when"].format(told=text, when=entry.when)


def _own_words(entry: Entry, question: str, case: Case) -> str:
    """The speaker's own words; a yes or a no opens them only where it settles the question."""
    opening, rest = answer_opening(entry.said, case.language)
    if opening not in ("yes", "no") or _settles(entry, question, case):
        return entry.said
    mentions = read(rest, case.language, case.speaker).mentions
    # Without the yes or no nothing may be left: then the words stay as they are.
    if not any(mention.what for mention in mentions):
        return entry.said
    return _capitalized(rest)


def _settles(entry: Entry, question: str, case: Case) -> bool:
    """Check whether the entry answers the question with a yes or a no.

    What is there answers only a question that asks for it by name: one for a time, an amount or a
    side asks for more. A denial answers every question that has a word of its name.
    """
    language = case.language
    questions = read_questions(question, language, case.speaker)
    if len(questions) != 1:
        return False
    read_question = questions[0]
    if read_question.asks is not AnswerWanted.YES_OR_NO or read_question.is_negated:
        return False
    is_denied = entry.status in (Status.ABSENT, Status.NOT_DONE)
    if not is_denied and _asks_for_more(question, read_question, language):
        return False
    names = (entry.name, *entry.aliases)
    concepts = set(concepts_in(question, language))
    for topic in read_question.topics:
        concepts |= concepts_in(topic, language)
    if any(concepts_in(name, language) & concepts for name in names):
        return True
    for topic in read_question.topics:
        words = set(content(topic, language))
        if words and _is_named_by(words, names, language, in_part=is_denied):
            return True
    return False


def _asks_for_more(question: str, read_question: ReadQuestion, language: Language) -> bool:
    """Check whether a question asks for a time, an amount or a side."""
    if read_question.when or numbers(question):
        return True
    return finder("sides", language).search(question) is not None


def _is_named_by(
    words: set[str], names: Sequence[str], language: Language, *, in_part: bool
) -> bool:
    """Check whether one of the names has all these words, or `in_part` any of them."""
    for name in names:
        name_words = set(content(name, language))
        if words <= name_words or (in_part and words & name_words):
            return True
    return False


def _text_from_report(entry: Entry, question: str, case: Case) -> str:
    """An entry in the words of its report, or of its name where it has none.

    Its text may settle no question.
    """
    report = _first_person(entry.report, case)
    is_result = entry.category in RESULTS
    names_itself = plain(entry.name.rstrip("…")) in plain(entry.report)
    if report and not _BARE.fullmatch(entry.report) and (names_itself or not is_result):
        return report
    say = phrases("rules_patient", case.language)
    if entry.status is Status.NORMAL or (is_result and entry.status is not Status.NOT_DONE):
        without_report = "no_report" if entry.status is Status.PRESENT else entry.status
        return say["titled"].format(name=entry.name, told=report or say[without_report])
    if entry.status is not Status.PRESENT:
        return say[f"stated_{entry.status}"].format(name=_name(entry.name))
    if not report and _settles(entry, question, case):
        return say["yes"].format(name=_name(entry.name))
    return _capitalized(entry.name)


def _capitalized(text: str) -> str:
    """A text that opens a sentence; `str.capitalize` would lower the rest."""
    return text[:1].upper() + text[1:]


def _name(name: str) -> str:
    """A name within a sentence."""
    return name if name.isupper() else name[:1].lower() + name[1:]


def _first_person_verb(verb: str) -> str:
    """A verb of the third person in the first: `has`, `denies`, `appears`; `was` stays."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb.removesuffix("s")


def _first_person(report: str, case: Case) -> str:
    """`The patient reports a cough. She notes …` as the speaker would say it."""
    is_patient = case.speaker is Speaker.PATIENT
    if case.language is ZH:
        return _chinese_speaker(report, case.sex, is_patient=is_patient)
    text = _REPORTED.sub("", report)
    text = _english_patient(text) if is_patient else _english_relative(text, case.sex)
    text = _SENTENCE.sub(lambda match: f"{match[1]}{match[2].capitalize()}", text)
    return _capitalized(text)


def _chinese_speaker(report: str, sex: Sex, *, is_patient: bool) -> str:
    relative_pronoun = "她" if sex is Sex.FEMALE else "他"
    pronoun = "我" if is_patient else relative_pronoun
    return _DENIES.sub(r"\1没有", _THE_PATIENT.sub(pronoun, report))


def _english_patient(text: str) -> str:
    """Put a report into the patient's mouth: "his cough" is "my cough"."""
    # The order matters: verbs are put into the first person after their subject has become "I".
    text = _POSSESSIVE_TO_MY.sub("my", text)
    text = _SUBJECT_TO_I.sub("I", text)
    text = _WITHOUT_SUBJECT.sub(lambda match: f"I {match[0].lower()}", text)
    text = _I_DOES.sub(lambda match: f"I{match[1] or ''} {_first_person_verb(match[2])}", text)
    text = _AND_DOES.sub(lambda match: f"{match[1]} {_first_person_verb(match[2])}", text)
    text = _REFLEXIVE_TO_MYSELF.sub("myself", text)
    return _HIM_TO_ME.sub("me", text)


def _english_relative(text: str, sex: Sex) -> str:
    """Put a report into a relative's mouth: "the patient's cough" is "her cough"."""
    subject, possessive = _PRONOUNS.get(sex, ("they", "their"))
    text = _PATIENTS.sub(possessive, text)
    return _PATIENT.sub(subject, text)
