"""Counterfactual twins: the same patient with one deciding fact changed, told as a patch.

A twin names the record that it is the twin of (`twin_of`) and says only what differs. What becomes
of it is a whole record, which is checked like any other, and against the one it is the twin of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from osler.records.fields import ExamOrderField, Frozen, Line, MaybeLine, same
from osler.records.schema import Diagnosis, Entry, PatientRecord, Slug, Treatment
from osler.records.validation import (
    Loc,
    Problem,
    ReadResult,
    RecordDraft,
    check,
    problem_at,
    problems_of,
)
from osler.records.visits import KeyFact, Lines

DIAGNOSIS, TREATMENT = "diagnosis", "treatment"
"""What a twin may differ in."""
_IN_EXCHANGE = ("question", "reply", "results")
_OF_VISIT = ("treatment", "outcome", "changed")


class TwinEntry(Entry):
    """An entry in place of the one of the same name, or of the one that it replaces."""

    replaces: Line | None = None
    """The name of the entry whose place it takes, if that has another name."""

    @property
    def place(self) -> str:
        """The name of the entry whose place it takes."""
        return self.replaces or self.name


class ChangedVisit(Frozen):
    """What differs in one exchange of an earlier visit, or, without `exchange`, in how it ended."""

    visit: Annotated[int, Field(ge=1)]
    exchange: Annotated[int, Field(ge=1)] | None = None
    question: Line | None = None
    reply: Line | None = None
    results: Lines | None = None
    treatment: MaybeLine | None = None
    outcome: MaybeLine | None = None
    changed: tuple[Line, ...] | None = None

    @model_validator(mode="after")
    def _fields_fit(self) -> Self:
        """Refuse fields that the exchange, or the visit, does not have."""
        wrong = _OF_VISIT if self.exchange is not None else _IN_EXCHANGE
        for name in wrong:
            if getattr(self, name) is not None:
                what = "an exchange" if self.exchange is not None else "a visit without `exchange`"
                raise ValueError(f"{name!r} is no field of {what}; put it into one of its own")
        return self

    def differing(self) -> dict[str, Any]:
        """The fields that differ, by their names."""
        names = _OF_VISIT if self.exchange is None else _IN_EXCHANGE
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}


class TwinPatch(Frozen):
    """A twin as its file tells it: what it is the twin of, and what differs."""

    twin_of: Slug
    id: Slug
    difference: Line
    confused_with: tuple[Slug, ...] | None = None
    diagnosis: Diagnosis | None = None
    treatment: Treatment | None = None
    exam_order: ExamOrderField | None = None
    entries: tuple[TwinEntry, ...] = ()
    visits: tuple[ChangedVisit, ...] = ()
    key_facts: tuple[KeyFact, ...] = ()


class _Mismatch(ValueError):
    """A patch names something that its record does not have."""

    def __init__(self, loc: Loc, reason: str) -> None:
        super().__init__(reason)
        self.loc = loc


class Places(NamedTuple):
    """Where the parts of a patch are in the whole record, by their places in the patch."""

    entries: Sequence[int]
    key_facts: Sequence[int]


def base_of(draft: RecordDraft | Problem) -> str | None:
    """The id of the record that a draft is the twin of; None for any other draft."""
    data = draft.data if isinstance(draft, RecordDraft) else None
    name = data.get("twin_of") if isinstance(data, Mapping) else None
    return name if isinstance(name, str) else None


def check_twin(draft: RecordDraft, file: str, base: PatientRecord | None) -> ReadResult:
    """Validate a twin: by itself, as the whole record that it stands for, and beside its base."""
    if base is None:
        reason = f"no sound record of this pool is called {base_of(draft)!r}"
        return _failed(draft, file, reason, ("twin_of",))
    if "language" in draft.data:  # only a whole record has one
        whole = draft
    else:
        try:
            patch = TwinPatch.model_validate(draft.data)
            whole = _patched(base, patch, draft)
        except ValidationError as error:
            return ReadResult(file, draft.place, problems=problems_of(error, draft, file))
        except _Mismatch as error:
            return _failed(draft, file, str(error), error.loc)
    reading = check(whole, file)
    if reading.record is None:
        return reading
    reason = _fault(base, reading.record)
    return _failed(draft, file, reason, ("twin_of",)) if reason else reading


def differing_parts(base: PatientRecord, twin: PatientRecord) -> frozenset[str]:
    """Return whether the right diagnosis differs, the right treatment, or both.

    A part differs if no answer that one of the records lists as right is right for the other, so
    that no constant answer has both. Two diagnoses with one ICD-10 category are one illness, which
    a doctor may call by its name alone.
    """
    parts = set()
    if _none_shared(base.diagnosis.names, twin.diagnosis.names) and not _same_category(base, twin):
        parts.add(DIAGNOSIS)
    if base.treatment is not None and twin.treatment is not None:
        right = [(*one.names, *one.alternatives) for one in (base.treatment, twin.treatment)]
        if _none_shared(*right) and not _has_all_parts(base.treatment, twin.treatment):
            parts.add(TREATMENT)
    return frozenset(parts)


def _same_category(base: PatientRecord, twin: PatientRecord) -> bool:
    code, other = base.diagnosis.icd10, twin.diagnosis.icd10
    return code is not None and other is not None and code[:3] == other[:3]


def _none_shared(names: Sequence[str], others: Sequence[str]) -> bool:
    return not any(same(name, other) for name in names for other in others)


def _has_all_parts(first: Treatment, second: Treatment) -> bool:
    """Check whether a plan with all parts of either treatment is right for the other as well."""
    return _covers(first, second) or _covers(second, first)


def _covers(plan: Treatment, rubric: Treatment) -> bool:
    if not rubric.parts:
        return False
    names = [name for part in (plan, *plan.parts) for name in part.names]
    return not any(_none_shared(part.names, names) for part in rubric.parts)


def _fault(base: PatientRecord, twin: PatientRecord) -> str:
    """Why a sound record is no twin of another; empty if it is one."""
    if base.twin_of is not None:
        return f"{base.id!r} is a twin itself; name the record that it is the twin of"
    for name in ("language", "patient", "age", "sex", "complaint"):
        if getattr(base, name) != getattr(twin, name):
            return f"the {name} differs from that of {base.id!r}; a twin has the same"
    if not differing_parts(base, twin):
        return (
            f"no diagnosis and no treatment of {base.id!r} is wrong here; give the twin a diagnosis"
            " or a treatment of its own"
        )
    if base.entries == twin.entries and base.visits == twin.visits:
        return f"nothing that can be asked or was told differs from {base.id!r}; add the entry"
    return ""


def _failed(draft: RecordDraft, file: str, reason: str, loc: Loc) -> ReadResult:
    return ReadResult(file, draft.place, problems=(problem_at(loc, reason, draft, file),))


def _patched(base: PatientRecord, patch: TwinPatch, draft: RecordDraft) -> RecordDraft:
    """The whole record of a twin, with the lines of what its file tells."""
    data = base.model_dump(mode="json")
    told = patch.model_dump(mode="json", exclude_none=True, exclude={"entries", "visits"})
    told.pop("key_facts", None)
    places = Places(
        entries=[_place_of_entry(base, place, entry) for place, entry in enumerate(patch.entries)],
        key_facts=[_place_of_fact(base, place, fact) for place, fact in enumerate(patch.key_facts)],
    )
    for place, entry in zip(places.entries, patch.entries, strict=True):
        data["entries"][place] = entry.model_dump(mode="json", exclude={"replaces"})
    for place, fact in zip(places.key_facts, patch.key_facts, strict=True):
        data["key_facts"][place] = fact.model_dump(mode="json")
    for place, change in enumerate(patch.visits):
        _exchange(data, place, change).update(change.differing())
    _rename(data, base, {base.entry(entry.place).name: entry.name for entry in patch.entries})
    return RecordDraft({**data, **told}, draft.place, _lines(draft.lines, places))


def _rename(data: dict[str, Any], base: PatientRecord, renamed: Mapping[str, str]) -> None:
    """Let what names an entry of the record name the one that took its place."""
    if "earlier" in data:
        data["earlier"] = [renamed.get(base.entry(name).name, name) for name in data["earlier"]]
    for unsafe in (data["treatment"] or {}).get("unsafe", ()):
        if unsafe["entry"] is not None:
            unsafe["entry"] = renamed.get(base.entry(unsafe["entry"]).name, unsafe["entry"])


def _place_of_entry(base: PatientRecord, place: int, entry: TwinEntry) -> int:
    names = [other.name.casefold() for other in base.entries]
    if entry.place.casefold() not in names:
        raise _Mismatch(
            ("entries", place),
            f"no entry of {base.id!r} is called {entry.place!r}; use its name, or say with"
            " `replaces` whose place it takes",
        )
    return names.index(entry.place.casefold())


def _place_of_fact(base: PatientRecord, place: int, fact: KeyFact) -> int:
    questions = [other.question for other in base.key_facts]
    if fact.question not in questions:
        raise _Mismatch(
            ("key_facts", place),
            f"no key fact of {base.id!r} has this question; repeat the question word for word",
        )
    return questions.index(fact.question)


def _exchange(data: dict[str, Any], place: int, change: ChangedVisit) -> dict[str, Any]:
    """The exchange that differs, or the visit."""
    visits = data.get("visits", [])
    if change.visit > len(visits):
        reason = f"is about visit {change.visit}, and there are {len(visits)}"
        raise _Mismatch(("visits", place), reason)
    visit: dict[str, Any] = visits[change.visit - 1]
    if change.exchange is None:
        return visit
    if change.exchange > len(visit["exchanges"]):
        reason = (
            f"is about exchange {change.exchange} of visit {change.visit}, which has"
            f" {len(visit['exchanges'])}"
        )
        raise _Mismatch(("visits", place), reason)
    exchange: dict[str, Any] = visit["exchanges"][change.exchange - 1]
    return exchange


def _lines(lines: Mapping[Loc, int], places: Places) -> dict[Loc, int]:
    """Lines of the twin's file by where the fields are in the whole record."""
    moved: dict[Loc, int] = {}
    for loc, line in lines.items():
        if loc[:1] == ("visits",):
            moved.setdefault(("visits",), line)
        elif len(loc) > 1 and loc[0] in places._fields:
            place = getattr(places, str(loc[0]))[loc[1]]
            moved[(loc[0], place, *loc[2:])] = line
        else:
            moved[loc] = line
    return moved
