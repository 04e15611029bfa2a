from __future__ import annotations

import pytest

from osler.agents.guards import check_reply
from osler.agents.guards.overall import normal_overall
from osler.agents.participant import Selection
from osler.records import RecordPool
from osler.records.language import Language
from osler.records.schema import Category, Entry, Part
from osler.simulator.build import case_of


@pytest.mark.parametrize(
    ("record_id", "reply", "names", "wrong"),
    [
        ("stemi-zh", "抽血化验结果正常，D-二聚体是0.31。", ("D-二聚体", "高敏肌钙蛋白I"), True),
        ("stemi-zh", "抽血化验结果不正常。", ("D-二聚体", "高敏肌钙蛋白I"), False),
        ("stemi-zh", "D-二聚体化验结果正常。", ("D-二聚体", "高敏肌钙蛋白I"), False),
        ("stemi-en", "I had blood tests and they were normal.", ("D-dimer", "High-sensitivity troponin I"), True),
        ("stemi-en", "The blood tests were not normal.", ("D-dimer", "High-sensitivity troponin I"), False),
        ("stemi-en", "The blood tests were normal.", ("D-dimer",), False),
        ("stemi-en", "The D-dimer blood test was normal.", ("D-dimer", "High-sensitivity troponin I"), False),
    ],
)
def test_a_verdict_on_all_results_holds_for_each(
    record_id: str, reply: str, names: tuple[str, ...], wrong: bool
) -> None:
    record = RecordPool.open().get(record_id)
    entries = [record.entry(name) for name in names]
    assert bool(normal_overall(reply, entries, record.language)) is wrong


def test_a_bare_number_is_not_yet_normal() -> None:
    count = Entry(
        part=Part.DIAGNOSIS,
        category=Category.TEST,
        name="Blood count",
        report="Haemoglobin 132 g/L, platelets 212 × 10⁹/L.",
    )
    assert normal_overall("The blood tests were normal, haemoglobin 132.", [count], Language.EN)


def test_what_is_no_result_has_no_part_in_the_verdict() -> None:
    record = RecordPool.open().get("stemi-en")
    others = [entry for entry in record.entries if entry.category is Category.MEDICATION_HISTORY]
    assert others
    assert not normal_overall("The blood tests were normal.", [record.entry("D-dimer"), *others], Language.EN)


def test_the_records_own_words_give_no_false_verdict() -> None:
    for record in RecordPool.open():
        for entry in record.entries:
            assert not normal_overall(entry.said, [entry], record.language), (record.id, entry.name)


def test_a_reply_with_a_false_verdict_is_refused() -> None:
    record = RecordPool.open().get("stemi-zh")
    entries = (record.entry("D-二聚体"), record.entry("高敏肌钙蛋白I"))
    chosen = Selection(case=case_of(record), question="抽血化验结果怎么样？", entries=entries)
    told = "D-二聚体是0.31 mg/L FEU。高敏肌钙蛋白I是312 ng/L。"

    def reasons(reply: str) -> str:
        return "；".join(check_reply(reply, chosen, record.diagnosis))

    assert "相反" in reasons(f"抽血化验结果正常，{told}") and "相反" not in reasons(told)
