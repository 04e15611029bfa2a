"""Random sound records, for what must hold of all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from osler.language import Language, Speaker
from osler.records.fields import Age, one_line
from osler.records.schema import (
    Category,
    Diagnosis,
    Entry,
    Named,
    Part,
    PatientRecord,
    Persona,
    Relevance,
    Sex,
    Status,
    Treatment,
    Unsafe,
)

_letters = st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"])
maybe_lines = st.text(_letters, max_size=40).map(one_line)
lines = maybe_lines.filter(bool)
slugs = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}", fullmatch=True)
aliases = st.lists(lines, max_size=3).map(tuple)
ages = st.builds(Age, st.integers(0, 120), st.just("years")) | st.builds(
    Age, st.integers(0, 36), st.just("months")
)


@st.composite
def records(draw: st.DrawFn) -> PatientRecord:
    names = draw(st.lists(lines, min_size=1, max_size=5, unique_by=str.casefold))
    entries = tuple(
        Entry(
            category=draw(st.sampled_from(Category)),
            name=name,
            aliases=draw(aliases),
            status=draw(st.sampled_from(Status)),
            report=draw(maybe_lines),
            said=draw(maybe_lines),
            when=draw(st.none() | lines),
            relevance=draw(st.sampled_from(Relevance)),
            part=draw(st.sampled_from(Part)),
        )
        for name in names
    )
    unsafe = [
        Unsafe(
            name=draw(lines),
            aliases=draw(aliases),
            because=draw(lines),
            entry=draw(st.none() | st.sampled_from(names)),
        )
    ]
    parts = draw(st.lists(st.builds(Named, name=lines, aliases=aliases), max_size=2))
    treatment = Treatment(
        name=draw(lines),
        aliases=draw(aliases),
        parts=tuple(parts),
        alternatives=draw(aliases),
        unsafe=tuple(unsafe[: draw(st.integers(0, 1))]),
    )
    plain = [name for name in names if not set(name) & set("><=;＞＝；") and name == name.strip()]
    order = " > ".join(plain) if plain and draw(st.sampled_from([True, False])) else None
    return PatientRecord.model_validate(
        {
            "id": draw(slugs),
            "patient": draw(slugs),
            "language": draw(st.sampled_from(Language)),
            "specialty": draw(st.none() | slugs),
            "source": draw(st.none() | lines),
            "speaker": draw(st.sampled_from(Speaker)),
            "persona": draw(st.sampled_from(Persona)),
            "age": draw(ages),
            "sex": draw(st.sampled_from(Sex)),
            "complaint": draw(lines),
            "intent": draw(st.none() | lines),
            "expected_rounds": draw(st.integers(1, 100)),
            "confused_with": draw(st.lists(slugs, max_size=2)),
            "diagnosis": Diagnosis(
                name=draw(lines),
                aliases=draw(aliases),
                icd10=draw(st.sampled_from([None, "C67.9", "I21"])),
            ),
            "treatment": draw(st.sampled_from([None, treatment])),
            "exam_order": order,
            "entries": entries,
        }
    )
