"""An entry in a lay person's words, without a model."""

from __future__ import annotations

import hashlib
import re

from osler.agents.messages import Case, Selection
from osler.language import Speaker
from osler.language.lexicon.spoken import meant
from osler.language.words import content, plain
from osler.records.labels import EN
from osler.records.schema import RESULTS, Category, Entry, Persona, Sex, Status
from osler.runs.events import Thing, Unrecorded

# What somebody says who does not know, by persona; the question decides which, so that it is always the same one.
_UNKNOWN_EN = {
    Persona.PLAIN: ("I don't know about that, I'm afraid.", "I can't tell you anything about that."),
    Persona.ANXIOUS: ("I don't know, should I be worried about that?", "I really don't know, is that important?"),
    Persona.TERSE: ("Don't know.", "No idea."),
    Persona.TALKATIVE: (
        "You know, I honestly couldn't tell you about that, nobody ever asked me.",
        "Well, I wish I knew, but I don't.",
    ),
    Persona.FORGETFUL: ("I can't remember anything about that.", "I don't recall, sorry."),
}
_UNKNOWN_ZH = {
    Persona.PLAIN: ("这个我不太清楚。", "这个我说不上来。"),
    Persona.ANXIOUS: ("这个我不知道，要紧吗？", "不清楚啊，是不是很重要？"),
    Persona.TERSE: ("不清楚。", "不知道。"),
    Persona.TALKATIVE: ("哎呀，这个我还真不清楚，从来没人问过我。", "这个嘛，我也想知道，可真说不上来。"),
    Persona.FORGETFUL: ("这个我记不得了。", "想不起来了，不好意思。"),
}
_STOPS = tuple(".!?…。！？")
_UNTESTED = {True: "That hasn't been done, as far as I know.", False: "这个没有查过。"}
_NO_REPORT = {True: "it was done, but I don't have the report.", False: "做过，报告不在我手上。"}
"""Where a report told nothing but the diagnosis, nothing of it is left."""
_ON_PAPER = {True: "You have the report there.", False: "报告您那儿有。"}
"""Where the doctor was handed the results itself."""
_NO = {True: "No, nothing like that.", False: "没有这种情况。"}
_NAMED_NO = {
    True: {Unrecorded.DENIED: "{name}: no.", Unrecorded.NOT_DONE: "{name}: that hasn't been done."},
    False: {Unrecorded.DENIED: "{name}，没有。", Unrecorded.NOT_DONE: "{name}，没有做过。"},
}
_POLAR = re.compile(
    r"^(?:and |so |but )*(?:do|does|did|is|are|was|were|am|have|has|had|can|could|any|ever)\b", re.IGNORECASE
)
"""Questions that one answers with yes or no."""
_FELT = "(?:activity|exercise|fitness|stress|pain|energy|fatigue|anxiety|comfort|discomfort|function)"
_FELT_LEVEL = re.compile(rf"\b{_FELT} levels?\b|\blevels? of (?:\w+ )?{_FELT}\b", re.IGNORECASE)
"""Of what nobody measures: "level of physical activity"."""
_TESTISH = re.compile(
    r"\b(?:test|tests|scan|x-?ray|ultrasound|ct|mri|ecg|ekg|biopsy|blood work|lab|laborator\w+|imaging|endoscop\w*"
    r"|colonoscop\w*|culture|examin\w+|measured|checked|levels?|panel|screen\w*|serolog\w*|antibod\w*)\b"
    r"|检查|化验|拍片|核磁|超声|B超|心电图|(?<!眼)镜(?!子)|培养|查过|测过|抗体|(?<![a-z])CT(?![a-z])",
    re.IGNORECASE,
)
_TOLD_THAT = re.compile(
    r"^(?:the )?(?:patient|he|she|mother)\s+(?:also\s+)?"
    r"(?:reports?|states?|describes?|notes?|mentions?|adds?)\s+that\s+",
    re.IGNORECASE,
)
_TOLD_OF = re.compile(
    r"^(?:the )?(?:patient|he|she|mother)\s+(?:also\s+)?"
    r"(?:reports?|states?|describes?(?! [^.]*\bas\b)|notes?|complains? of|mentions?|presents? with)\s+",
    re.IGNORECASE,
)
# "reports experiencing fatigue" tells of what goes on; "reports swelling" names a thing.
_ONGOING = re.compile(
    r"\b(I have|(?:he|she|they) has) ((?:experienc|feel|notic|hav|see|hear|los|gain|tak|be|wak|try|us)ing)\b"
)
# "reports exercising when it began": what one was doing, which a symptom is not.
_WAS_DOING = re.compile(
    r"\b(I have|(?:he|she|they) has) (\w+ing)\b(?= (?:in|at|on|the|a|to|with|outside)\b[^.]*\b(?:ago|when)\b)"
)
_GOES_ON = re.compile(r"\b(and|but|or) (reports|has|denies|notes|states|describes|takes|feels|complains|works|lives)\b")
_SENTENCE = re.compile(r"([.!?]\s+)(my|his|her|their|he|she|they)\b")
_A_NAME = 4
"""Words from which on a name is a sentence: "limping favouring the left leg" is not said after "yes"."""


def spoken(selection: Selection) -> str:
    """A whole reply: what is known, what the doctor has on paper, and what the record says nothing about."""
    case, english = selection.case, selection.case.language is EN
    missing = [thing for thing in selection.things if thing.unrecorded is not None]
    said = [voice(selection.known, selection.question, case)] if selection.known else []
    said += [_ON_PAPER[english]] if selection.reported else []
    if not said:
        return _nothing(missing, selection.question, case)
    named = ((_NAMED_NO[english].get(thing.unrecorded or Unrecorded.UNKNOWN), thing.name) for thing in missing)
    said += [form.format(name=name[:1].upper() + name[1:]) for form, name in named if form]
    return (" " if english else "").join(said)


def _nothing(missing: list[Thing], question: str, case: Case) -> str:
    """What one says when the record holds nothing, by why it does where that is known."""
    english, why = case.language is EN, {thing.unrecorded for thing in missing}
    if why == {Unrecorded.DENIED}:
        return _NO[english]
    return _UNTESTED[english] if why == {Unrecorded.NOT_DONE} else unknown(question, case)


def voice(entries: tuple[Entry, ...], question: str, case: Case) -> str:
    """One to three sentences that tell what these entries say, and nothing else."""
    if not entries:
        return unknown(question, case)
    said = [
        _titled(_told(entry, question, case), entry, case) if entries[1:] else _told(entry, question, case)
        for entry in entries
    ]
    return (" " if case.language is EN else "").join(dict.fromkeys(said))


def _titled(text: str, entry: Entry, case: Case) -> str:
    """Of several results each is read out with its name: "586, high" says nothing of which."""
    language = case.language
    if entry.category not in RESULTS or set(content(entry.name, language)) & set(content(text, language)):
        return text
    if meant(entry.name, language) & meant(text, language):
        return text
    return f"{entry.name}: {text}" if language is EN else f"{entry.name}：{text}"


def unknown(question: str, case: Case) -> str:
    """What one says when the record holds nothing: not examined, or not known."""
    english = case.language is EN
    if _TESTISH.search(_FELT_LEVEL.sub("", question)):
        return _UNTESTED[english]
    choices = (_UNKNOWN_EN if english else _UNKNOWN_ZH)[case.persona]
    return choices[hashlib.sha256(plain(question).encode()).digest()[0] % len(choices)]


def _told(entry: Entry, question: str, case: Case) -> str:
    text = (entry.said or (_english(entry, question, case) if case.language is EN else _chinese(entry))).strip()
    if text[-1:] not in _STOPS:
        text += "." if case.language is EN else "。"
    if entry.when and entry.when.casefold() not in text.casefold():
        text += f" That was {entry.when}." if case.language is EN else f"是{entry.when}的事。"
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
                return f"{entry.name}: {report or _NO_REPORT[True]}"
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
                return f"{entry.name}，{entry.report or _NO_REPORT[False]}"
            return f"有，{entry.report}" if entry.report else f"有{entry.name}。"


def _mine(verb: str) -> str:
    """A verb of the third person in the first: `has`, `denies`, `appears`; `was` stays."""
    irregular = {"has": "have", "is": "am", "was": "was", "does": "do", "goes": "go"}
    if verb in irregular:
        return irregular[verb]
    return f"{verb[:-3]}y" if verb.endswith("ies") else verb.removesuffix("s")


def _first_person(report: str, case: Case) -> str:
    """`The patient reports a cough. She notes …` as the speaker would say it."""
    patient_speaks = case.speaker is Speaker.PATIENT
    he = {Sex.FEMALE: "she", Sex.MALE: "he"}.get(case.sex, "they")
    his = {Sex.FEMALE: "her", Sex.MALE: "his"}.get(case.sex, "their")
    i, my, me = ("I", "my", "me") if patient_speaks else (he, his, {"she": "her", "he": "him"}.get(he, "them"))
    text = _TOLD_THAT.sub("", report)
    text = _TOLD_OF.sub("I have " if patient_speaks else f"{he} has ", text)
    text = _ONGOING.sub(r"\1 been \2", text)
    text = _WAS_DOING.sub(lambda found: f"{found[1].split()[0]} was {found[2]}", text)
    text = re.sub(r"\b(?:the )?patient['’]s\b", my, text, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:the )?patient\b(?! portal)", i, text, flags=re.IGNORECASE)
    if patient_speaks:
        text = re.sub(r"\b(?:he|she)\b", "I", text, flags=re.IGNORECASE)
        text = re.sub(
            r"\bI( also| currently| often)? (\w+s)\b", lambda found: f"I{found[1] or ''} {_mine(found[2])}", text
        )
        text = _GOES_ON.sub(lambda found: f"{found[1]} {_mine(found[2])}", text)
        text = re.sub(r"\b(?:his|her)\b", my, text, flags=re.IGNORECASE)
        text = re.sub(r"\b(?:himself|herself)\b", "myself", text, flags=re.IGNORECASE)
        text = re.sub(r"\bhim\b", me, text, flags=re.IGNORECASE)
    text = _SENTENCE.sub(lambda found: f"{found[1]}{found[2].capitalize()}", text)
    return text[:1].upper() + text[1:]
