from __future__ import annotations

import pytest

from osler.agents.guards.measured import miscompared
from osler.records import RecordPool
from osler.records.language import Language
from osler.records.schema import Category, Entry, Part, Status

DISSECTION = {language: RecordPool.open().get(f"aortic-dissection-{language}") for language in Language}


@pytest.mark.parametrize(
    ("language", "reply", "wrong"),
    [
        (Language.EN, "The troponin was normal, and the D-dimer was below the reference level.", True),
        (Language.EN, "The D-dimer is 12.6, which is below 0.50.", True),
        (Language.EN, "My high-sensitivity troponin I is 11, above the limit of 26.", True),
        (Language.EN, "The D-dimer was normal.", True),
        (Language.EN, "The high-sensitivity troponin I was normal, but the D-dimer was above the normal range.", False),
        (Language.EN, "The D-dimer is 12.6, and it should be below 0.50.", False),
        (Language.EN, "The D-dimer was not normal.", False),
        (Language.EN, "It started 2 hours ago and built up over about 10 minutes.", False),
        (Language.ZH, "D-二聚体是12.6 mg/L FEU，低于0.50 mg/L FEU。", True),
        (Language.ZH, "高敏肌钙蛋白I是11，高于参考值26。", True),
        (Language.ZH, "D-二聚体正常。", True),
        (Language.ZH, "D-二聚体是12.6，正常要低于0.50。", False),
        (Language.ZH, "D-二聚体是12.6，高于参考值0.50；高敏肌钙蛋白I正常。", False),
        (Language.ZH, "D-二聚体不正常。", False),
    ],
)
def test_a_reply_is_held_to_how_its_numbers_compare(language: Language, reply: str, wrong: bool) -> None:
    results = [entry for entry in DISSECTION[language].entries if "reference" in entry.report or "参考" in entry.report]
    assert len(results) == 2
    assert bool(miscompared(reply, results, language)) is wrong


def test_a_range_has_two_ends() -> None:
    count = Entry(
        category=Category.TEST,
        name="Reticulocyte count",
        status=Status.PRESENT,
        report="0.8% (normal range: 2-6%)",
        part=Part.DIAGNOSIS,
    )
    assert miscompared("The reticulocyte count was above the normal range.", [count], Language.EN)
    assert miscompared("The reticulocyte count was normal.", [count], Language.EN)
    assert not miscompared("The reticulocyte count was below the normal range.", [count], Language.EN)


def test_what_the_records_let_patients_say_compares_rightly() -> None:
    for record in RecordPool.open():
        for entry in record.entries:
            for text in (entry.report, entry.said):
                assert not miscompared(text, [entry], record.language), (record.id, entry.name)
