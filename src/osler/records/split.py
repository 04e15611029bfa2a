"""Free text into single statements, so that a question finds the one it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from osler.language import Language
from osler.records.category_rules import kind_in_story
from osler.records.labels import EN, language_of
from osler.records.schema import Category, Status
from osler.records.status import status_of

_NAME_WORDS, _NAME_CHARS = 8, 16
_LONGEST_NAME = 120

# A full stop ends an English sentence unless it stands in a number or after an abbreviation.
_EN_SENTENCE = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bDr\.)(?<=[.;!?])\s+(?=[A-Z(\"'])|(?<!\s)\s*\n\s*|;\s+"
)
_EN_DENIAL = re.compile(
    r"^(?:(?:the |otherwise,? )?(?:patient|he|she|mother|parents?|father|family)\s+)?(?:also |otherwise |but )?"
    r"(?:denies|denied|reports no|has no|had no|negative for|without|no)\s+"
    r"(?:(?:other )?(?:history|symptoms?|signs?|evidence|complaints?|reports?) of\s+)?"
    r"(?:experiencing |having |noticing )?"
    r"(?:(?:any )?(?:(?:recent|known|other|significant|personal|prior|previous|past) )*"
    r"(?:history of |symptoms of |signs of |episodes of ))?"
    r"(?:any )?(.+)$",
    re.IGNORECASE,
)
# "Denies pain and does not present with any other complaints" denies pain and other complaints.
_EN_NEITHER = re.compile(
    r"^(?:does not|do not|did not|has not|have not)\s+"
    r"(?:present with|report|complain of|have|had|experienced?|noted?|noticed?|show)\s+(?:any\s+)?",
    re.IGNORECASE,
)
_EN_ITEM = re.compile(r",?\s+(?:and|or|nor)\s+|,\s*(?:and\s+|or\s+)?", re.IGNORECASE)
_ZH_SENTENCE = re.compile(r"[。；;\n]+")
_ZH_CLAUSE = re.compile(r"[，,](?![^（(]*[）)])")
_ZH_DENIAL = re.compile(
    r"^(?:患者|病人|平素|既往|近期|家族中?)?(?:否认有?|未见|没有|未出现|未诉|不伴|无(?!痛|创|菌|力|尿))(.+)$"
)
_ZH_TAIL = re.compile(r"(?:等.*|史|症状|嗜好)$")
# "drug or food allergies" denies two kinds of allergy, not drugs.
_EN_SHARED = re.compile(
    r"(^|, |\bor |\band )(?:(\w+) (or|and) (\w+) (allerg\w+|use|disease|problems)"
    r"|(abdominal|arm|back|bone|breast|calf|chest|ear|epigastric|eye|facial|flank|foot|hand|hip|jaw|joint|knee|leg|muscle"
    r"|neck|pelvic|shoulder|stomach|throat) (or|and) (\w+) (pain))\b",
    re.IGNORECASE,
)
# "past medical or surgical history" denies two histories.
_EN_HISTORY = re.compile(
    r"\b(medical|surgical|psychiatric|family|social|personal|obstetric)(?=(?:,| or| and| nor)\b[^.]*?\bhistory\b)",
    re.IGNORECASE,
)
# "changes in bowel or bladder function" denies two changes, not the bladder.
_EN_CHANGES = re.compile(r"\b(changes? in) (\w+(?: \w+)?) (or|and) (\w+(?: \w+)?)(?=$|,)", re.IGNORECASE)
_ZH_WITH = re.compile(r"^(?:并)?(?:伴有?|出现|且出现|有)(.+、.+)$")
_LABELLED = re.compile(r"^[-*•\s\d.)]*([^:：,，。]{2,60})[:：]\s*(.+)$")


class Statement(NamedTuple):
    """One thing a text says."""

    name: str
    report: str
    status: Status | None = None
    """None: to be read off the report."""


def statements(text: str, language: Language | None = None) -> Iterator[Statement]:
    """Split a paragraph into statements; a denial of five things becomes five of them."""
    language = language or language_of(text)
    split = _english if language is EN else _chinese
    for line in text.splitlines():
        yield from split(line.strip(" -*•\t"))


def _labelled(text: str, language: Language) -> Statement | None:
    """`Pulse: 85 bpm` names its own statement."""
    found = _LABELLED.match(text)
    if found is None or _is_sentence(found[1], language):
        return None
    return Statement(found[1].strip(), found[2].strip().rstrip("。."))


def _is_sentence(label: str, language: Language) -> bool:
    """A label is a few words; `He noticed this: …` is a sentence."""
    return len(label.split()) > 6 if language is EN else len(label) > 12


def _english(text: str) -> Iterator[Statement]:
    if (named := _labelled(text, Language.EN)) is not None:
        yield named
        return
    for sentence in filter(None, (part.strip(" .;") for part in _EN_SENTENCE.split(text))):
        denial = _EN_DENIAL.match(sentence)
        if denial and not re.search(r"\bbut\b|\bexcept\b|\balthough\b", sentence):
            denied = _EN_CHANGES.sub(r"\1 \2 \3 \1 \4", _EN_SHARED.sub(_each_by_itself, denial[1]))
            denied = _EN_HISTORY.sub(r"\1 history", denied)
            for item in filter(None, (_EN_NEITHER.sub("", item.strip(" .")) for item in _EN_ITEM.split(denied))):
                yield Statement(_capital(item), f"No {item}.", Status.ABSENT)
        else:
            words = sentence.split()
            name = " ".join(words[:_NAME_WORDS]) + ("…" if len(words) > _NAME_WORDS else "")
            yield Statement(name, f"{sentence}.")


def _each_by_itself(shared: re.Match[str]) -> str:
    """Two things that share a word, each with that word."""
    begins, one, joint, other, thing = (part for part in shared.groups() if part is not None)
    return f"{begins}{one} {thing} {joint} {other} {thing}"


def _chinese(text: str) -> Iterator[Statement]:
    for sentence in filter(None, (part.strip() for part in _ZH_SENTENCE.split(text))):
        named = _labelled(sentence, Language.ZH)
        if named and len(_clauses(named.report)) == 1 and "、" not in named.report:
            yield named
            continue
        # "消化系统：易饥、多食，无腹痛" lists several things under one heading.
        for clause in _clauses(named.report if named else sentence):
            if denial := _ZH_DENIAL.match(clause):
                for item in filter(None, (_ZH_TAIL.sub("", item) for item in re.split(r"[、及和或与]", denial[1]))):
                    yield Statement(item, f"无{item}。", Status.ABSENT)
            elif (items := _listed(clause)) is not None:
                yield from (Statement(item[:_NAME_CHARS], f"{item}。") for item in items)
            else:
                yield Statement(clause[:_NAME_CHARS] + ("…" if len(clause) > _NAME_CHARS else ""), f"{clause}。")


def _listed(clause: str) -> list[str] | None:
    """The items of a clause that only lists things: `伴怕热、多汗`, `怕热、多汗、体重下降`."""
    if clause.startswith(("无", "不", "未", "没", "否")):
        return None  # what is denied is all of them, and only the whole clause says so
    introduced = _ZH_WITH.match(clause)
    items = [item for item in (introduced[1] if introduced else clause).split("、") if item]
    return items if len(items) > 1 and (introduced or all(len(item) <= 6 for item in items)) else None


def _clauses(sentence: str) -> list[str]:
    """Clauses between commas; a fragment too short to stand alone stays with the one before it."""
    clauses: list[str] = []
    for piece in filter(None, (piece.strip() for piece in _ZH_CLAUSE.split(sentence))):
        if clauses and len(piece) < 5 and not _ZH_DENIAL.match(piece) and not _ZH_DENIAL.match(clauses[-1]):
            clauses[-1] += f"，{piece}"
        else:
            clauses.append(piece)
    return clauses


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# A field that was left open: neither a finding nor a denial.
_LEFT_OPEN = re.compile(
    r"(?:(?:data|information|details?|results?) (?:is |are )?)?"
    r"(?:not (?:provided|specified|applicable|mentioned|available|documented|given|recorded)|n/?a|unknown"
    r"|no (?:additional |further )?(?:information|data|details)(?: (?:provided|available|given))?)"
    r"(?: (?:for|in|due to|given)\b.*)?"
    r"|未(?:提供|提及|说明|记录|记载)|(?:暂?无|没有)(?:相关)?(?:信息|资料|记载|记录)|不详|不适用",
    re.IGNORECASE,
)


_STORIES = frozenset({Category.SYMPTOM, Category.MEDICAL_HISTORY})


def _whole(said: Statement) -> str:
    """A statement in one line; what has a name of its own is told after it."""
    return said.report if said.name.rstrip("…") in said.report else f"{said.name}: {said.report}"


class EntryList:
    """Gathers the entries of an imported record, each under a name of its own."""

    def __init__(self, language: Language) -> None:
        """Start empty."""
        self.language = language
        self.entries: list[dict[str, Any]] = []
        self._names: dict[str, int] = {}
        self._seen: set[tuple[str, str]] = set()

    def add(
        self,
        category: Category,
        name: str,
        report: str,
        *,
        status: Status | None = None,
        aliases: tuple[str, ...] = (),
        context: str = "",
    ) -> None:
        """Add one entry. The same thing said twice is kept once; a namesake is told apart by its context."""
        name, report = " ".join(name.split())[:_LONGEST_NAME].strip(), " ".join(report.split())[:4000]
        if not name or (name.casefold(), report.casefold()) in self._seen or _LEFT_OPEN.fullmatch(report.strip(" .。")):
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
                "status": status or status_of(report, category),
                "report": report,
            }
        )

    def add_text(self, category: Category, text: str, *, label: str = "") -> None:
        """Add every statement of a text; a bare `None` or `无` becomes one denied entry called `label`."""
        clean = text.strip().strip("。.").strip()
        if not clean:
            return
        if (
            label
            and status_of(clean, category) is Status.ABSENT
            and len(clean) <= (4 if self.language is not EN else 8)
        ):
            self.add(category, label, clean, status=Status.ABSENT)
            return
        for said in statements(text, self.language):
            # Who is asked for the tests, or for medicines, has to find those that a story tells of.
            kind = kind_in_story(_whole(said)) if category in _STORIES and said.status is None else None
            self.add(kind or category, said.name, said.report, status=said.status)
