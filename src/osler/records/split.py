"""Split free text into single statements, so that a question finds the one it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from osler.language import Language, Speaker
from osler.language.cues import cues, finder, pattern
from osler.language.lexicon import concepts
from osler.language.lexicon.phrases import meant
from osler.language.reader import Clause, denies_a_list, read
from osler.language.times_and_values import time_finder
from osler.language.words import content, plain, sentences
from osler.locale import label as label_of
from osler.ranking import reaches
from osler.records.classify import DENIED, kind_in_story, language_of, status_of
from osler.records.schema import RESULTS, Category, Status

EN = Language.EN
_NAME_WORDS, _NAME_CHARS = 8, 16
_WHOLE = 0.95
"""Score from which a phrase is the name of one thing."""
_QUALIFIED = re.compile(r"^(?:any |recent |significant |prior |previous |known )+", re.IGNORECASE)
_LONGEST_NAME, _LONGEST_REPORT = 120, 4000

_SHORT_CLAUSE, _SHORT_ITEM = 5, 6
"""Characters below which a Chinese clause cannot stand alone, and up to which a thing is one of a list."""
_WRITTEN_OF = Speaker.MOTHER
"""A record that names a baby or a child means its patient, as a mother does."""
_JOINT = re.compile(r"^\W*(?:(?:and|but|or|with)\b\s*)?|\W*\b(?:and|but|or)\W*$", re.IGNORECASE)
_TAIL = re.compile(r"(?:等.*|(?<=病)病史|(?<!家族)史|嗜好)$")
_OTHERS = re.compile(r"等[^，,。；;]*|病?史(?=[，,。；;]|$)")
"""How a list ends that is denied one by one."""
_LABELLED = re.compile(r"^[-*•\s\d.)]*([^:：,，。]{2,60})[:：]\s*(.+)$")
_DENIED_ON = re.compile(r"(否认[^。；;有患]*)[，,](?=[^，,。；;有患曾认无\d]{2,}史(?:[，,。；;]|$))")
"""A denial that goes on behind a comma: "否认高血压、糖尿病，冠心病等慢性病史"."""
_DENIES = re.compile("否认有?|无")
_QUOTED_LIST = re.compile(r"(否认|无|患有?)[“\"]([^”\"]*)[”\"]")
_OPEN_END = re.compile(r"[“\"（(][^”\"）)]*$")


class TextStatement(NamedTuple):
    """One thing a text says."""

    name: str
    report: str
    status: Status | None = None
    """None: to be taken from the report."""
    when: str = ""
    """The time that its sentence gives before it denies."""


def statements(text: str, language: Language | None = None) -> Iterator[TextStatement]:
    """Split a paragraph into statements; a denial of five things becomes five of them."""
    language = language or language_of(text)
    split = _english if language is EN else _chinese
    for line in text.splitlines():
        yield from split(line.strip(" -*•\t"))


def _labelled(text: str, language: Language) -> TextStatement | None:
    """`Pulse: 85 bpm` names its own statement."""
    found = _LABELLED.match(text)
    # A label is a few words; `He noticed this: …` is a sentence.
    if found is None or (len(found[1].split()) > 6 if language is EN else len(found[1]) > 12):
        return None
    return TextStatement(found[1].strip(), found[2].strip().rstrip("。."))


def _english(text: str) -> Iterator[TextStatement]:
    if (named := _labelled(text, Language.EN)) is not None:
        yield named
        return
    for sentence in read(text, Language.EN, _WRITTEN_OF).sentences:
        whole = sentence.text.strip(" .;")
        lists = [clause for clause in sentence.clauses if _is_list_of_denials(clause, Language.EN)]
        if finder("exception", Language.EN).search(whole):
            lists = []  # what is left out of a denial belongs to it
        done = 0
        for clause in lists:
            place = max(whole.find(clause.text, done), done)
            yield from _own_words(whole[done:place])
            yield from _denied(clause, Language.EN, whole[:place])
            done = place + len(clause.text)
        yield from _own_words(whole[done:])


def _own_words(part: str) -> Iterator[TextStatement]:
    """Return what is written beside denials, unchanged."""
    part = _JOINT.sub("", part).strip(" ,.;")
    if part:
        yield TextStatement(_shortened(part, EN), f"{part}.")


def _is_list_of_denials(clause: Clause, language: Language) -> bool:
    """Check whether each thing of a clause can be denied by itself."""
    strangers = any(mention.whose and mention.whose not in cues("family", language) for mention in clause.mentions)
    if language is EN and any(mention.value or not clause.text.endswith(mention.when) for mention in clause.mentions):
        return False  # a time or a value within it keeps its place
    return denies_a_list(clause.text, language) and not strangers and all(mention.denied for mention in clause.mentions)


def _denied(clause: Clause, language: Language, before: str) -> Iterator[TextStatement]:
    """Return each thing that a clause denies and that is known by itself; of others, the clause's own words.

    "Denies stress at work or takes pills regularly" would be false if it were told of each part.
    """
    alone, is_left = len(clause.mentions) == 1, False
    times = (found[0].strip().removesuffix("开始") for found in time_finder(language).finditer(before))
    when = next(filter(None, times), "")
    words = clause.text[:1].upper() + clause.text[1:]
    whole = f"{words}." if language is EN else f"{words}。"
    for mention in clause.mentions:
        thing = f"{mention.whose}{' history of ' if mention.whose else ''}{mention.what} {mention.when}".strip()
        if language is not EN:
            thing = _TAIL.sub("", f"{mention.whose}{mention.what}")
        is_known = _is_known(thing, language)
        is_left = is_left or not (is_known or alone)
        if thing and (is_known or alone):
            single = f"No {thing}." if language is EN else f"无{thing}。"
            in_own_words = not is_known or (alone and language is not EN)
            yield TextStatement(thing[:1].upper() + thing[1:], whole if in_own_words else single, Status.ABSENT, when)
    if is_left:
        yield TextStatement(_shortened(words, language), whole, None, when)


def _is_known(thing: str, language: Language) -> bool:
    """Check whether a phrase is the name of something that a patient can be asked about, and nothing more."""
    bare = _QUALIFIED.sub("", thing)
    return any(reaches(score, _WHOLE) for score in concepts(language).best(bare).values())


def _chinese(text: str) -> Iterator[TextStatement]:
    text = _QUOTED_LIST.sub(r"\1\2", text)
    while (joined := _DENIED_ON.sub(r"\1、", text)) != text:
        text = joined
    for sentence in sentences(text, Language.ZH):
        named = _labelled(sentence.strip("；;。"), Language.ZH)
        clauses = read(named.report if named else sentence, Language.ZH, _WRITTEN_OF).clauses
        denials = [clause for clause in clauses if _is_list_of_denials(clause, Language.ZH)]
        is_result = named is not None and kind_in_story(f"{named.name}：{named.report}") in RESULTS
        if named and (is_result or (not denials and "、" not in named.report)):
            yield named
            continue
        # "消化系统：易饥、多食，无腹痛" lists several things under one heading.
        told, done = "", 0
        for clause in clauses:
            place = sentence.find(clause.text, done)
            is_glued, done = 0 < place == done, max(place, done) + len(clause.text)
            if told and is_glued:  # "改变体位无缓解" denies nothing by itself
                told += clause.text
            elif told.endswith("示"):  # "胸部CT示" goes on
                told = f"{told}：{clause.text}"
            elif clause in denials:
                yield from _told(told)
                yield from _denied(clause, Language.ZH, sentence[: max(place, 0)])
                told = ""
            elif told and len(clause.text) < _SHORT_CLAUSE:
                told = f"{told}，{clause.text}"
            elif (items := _listed(clause)) is not None:
                yield from _told(told)
                yield from (TextStatement(item[:_NAME_CHARS], f"{item}。") for item in items)
                told = ""
            else:
                yield from _told(told)
                told = clause.text
        yield from _told(told)


def _told(text: str) -> Iterator[TextStatement]:
    if text and not text.endswith("以来"):  # a time that what follows has lost
        yield TextStatement(_shortened(text, Language.ZH), f"{text}。")


def _shortened(text: str, language: Language) -> str:
    """The beginning of a text as its name; a quotation that it would cut is left out."""
    if language is EN:
        words = text.split()
        return " ".join(words[:_NAME_WORDS]) + ("…" if len(words) > _NAME_WORDS else "")
    if len(text) <= _NAME_CHARS:
        return text
    start = text[:_NAME_CHARS]
    whole = _OPEN_END.sub("", start)
    return f"{whole if len(whole) >= _SHORT_CLAUSE else start}…"


def _listed(clause: Clause) -> list[str] | None:
    """The items of a clause that only lists things: `伴怕热、多汗`, `怕热、多汗、体重下降`."""
    if any(mention.whose for mention in clause.mentions):
        return None
    items = [f"{mention.what}{mention.value}" for mention in clause.mentions]
    parts = clause.text.split("、")
    is_list = len(items) > 1 and len(parts) == len(items)
    return items if is_list and all(len(part) <= _SHORT_ITEM for part in parts) else None


_STORIES = frozenset({Category.SYMPTOM, Category.MEDICAL_HISTORY})
# A field that was left open: neither a finding nor a denial.
_LEFT_OPEN = re.compile(
    r"(?:(?:data|information|details?|results?) (?:is |are )?)?"
    r"(?:not (?:provided|specified|applicable|mentioned|available|documented|given|recorded)|n/?a|unknown"
    r"|no (?:additional |further )?(?:information|data|details)(?: (?:provided|available|given))?)"
    r"(?: (?:for|in|due to|given)\b.*)?"
    r"|未(?:提供|提及|说明|记录|记载)|(?:暂?无|没有)(?:相关)?(?:信息|资料|记载|记录)|不详|不适用",
    re.IGNORECASE,
)


class EntryList:
    """Gathers the entries of an imported record, each under a name of its own."""

    def __init__(self, language: Language) -> None:
        """Start empty, for texts in this language."""
        self.language = language
        self.entries: list[dict[str, Any]] = []
        self.unread: list[str] = []
        """Texts that no entry has."""
        self._names: dict[str, int] = {}
        self._seen: set[tuple[str, str]] = set()

    def add(
        self,
        category: Category,
        name: str,
        report: str,
        *,
        status: Status | None = None,
        when: str = "",
        aliases: tuple[str, ...] = (),
        context: str = "",
    ) -> None:
        """Add one entry. The same thing said twice is kept once; a namesake is told apart by its context."""
        name, report = " ".join(name.split())[:_LONGEST_NAME].strip(), " ".join(report.split())
        if len(report) > _LONGEST_REPORT:
            self.unread.append(report[_LONGEST_REPORT:])
        report = report[:_LONGEST_REPORT]
        if name.strip(" .。").casefold() in DENIED or _LEFT_OPEN.fullmatch(report.strip(" .。")):
            return
        status = status or status_of(report, category)
        name = self._affirmed(name, status)
        if status is Status.ABSENT and name == label_of(Category.SYMPTOM, self.language):
            return  # "症状：无" of somebody who has symptoms
        if not name or (name.casefold(), report.casefold()) in self._seen:
            return
        self._seen.add((name.casefold(), report.casefold()))
        if context and name.casefold() in self._names:
            name = f"{context}: {name}"
        count = self._names[name.casefold()] = self._names.get(name.casefold(), 0) + 1
        self.entries.append(
            {
                "category": category,
                "name": name if count == 1 else f"{name} ({count})",
                "aliases": list(aliases),
                "status": status,
                "report": report,
                "when": when or None,
            }
        )

    def _affirmed(self, name: str, status: Status) -> str:
        """A name without the denial that the status has: "No night sweats" is the absence of night sweats."""
        if status is Status.NOT_DONE:
            cue = pattern("not_done", self.language)
            return re.sub(rf"^{cue}|{cue}$", "", name, flags=re.IGNORECASE).strip() or name
        opening = finder("record_negation", EN) if self.language is EN else _DENIES
        denial = opening.match(name) if status is Status.ABSENT else None
        rest = name[denial.end() :].strip() if denial else ""
        return rest[:1].upper() + rest[1:] or name

    def add_text(self, category: Category, text: str, *, label: str = "") -> None:
        """Add every statement of a text; a bare `None` or `无` becomes one denied entry called `label`."""
        clean = text.strip().strip("。.").strip()
        if not clean or _LEFT_OPEN.fullmatch(clean):
            return
        is_word = len(clean) <= (8 if self.language is EN else 4)
        if label and is_word and status_of(clean, category) is Status.ABSENT:
            self.add(category, label, clean, status=Status.ABSENT)
            return
        for said in statements(text, self.language):
            kind = None
            if category in _STORIES and said.status is None:  # a story mentions tests and medicines, too
                is_in_report = said.name.rstrip("…") in said.report
                kind = kind_in_story(said.report if is_in_report else f"{said.name}: {said.report}")
            self.add(kind or category, said.name, said.report, status=said.status, when=said.when)
        self.unread += self._lost(text)

    def settled(self, complaint: str) -> list[dict[str, Any]]:
        """Return the entries; only a denial of what the patient has at another time keeps its own time."""
        there = [complaint, *(entry["report"] for entry in self.entries if entry["status"] is Status.PRESENT)]
        meanings = frozenset[str]().union(*(meant(text, self.language) for text in there))
        for entry in self.entries:
            name = entry["name"]
            if not (meant(name, self.language) & meanings or any(plain(name) in plain(text) for text in there)):
                entry["when"] = None
        return self.entries

    def _lost(self, text: str) -> list[str]:
        """The sentences of which half of the words are in no entry."""
        entries = " ".join(f"{entry['name']}。{entry['report']}。" for entry in self.entries)
        told = self._things(entries)
        each = [(sentence, self._things(sentence)) for sentence in sentences(text, self.language)]
        return [one for one, words in each if 2 * len(words - told) > len(words) and not _LEFT_OPEN.search(one)]

    def _things(self, text: str) -> set[str]:
        """The words of a text without those that deny, and without the end of a list that is denied one by one."""
        text = finder("record_negation", self.language).sub(" ", text)
        return set(content(_OTHERS.sub("", text), self.language))
