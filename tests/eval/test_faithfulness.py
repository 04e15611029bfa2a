"""What is exact in the patient's replies is counted in all of them, without a model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from osler.eval.compare import compare
from osler.eval.faithfulness import ReplyContext
from osler.eval.faithfulness.exact import exact_faults
from osler.eval.faithfulness.replies import SpokenExchange
from osler.eval.measures import all_measures
from osler.eval.report import write_report
from osler.eval.runs import load_run
from osler.records import Language
from osler.records.fields import Age
from osler.records.schema import Diagnosis, Entry
from osler.runs.store import RunFile
from osler.simulator.summary import summary
from tests.conftest import REPO, Run
from tests.eval.held_runs import score_rows
from tests.eval.replied import run_of
from tests.eval.test_denominators import forms, text_of

EN, ZH = Language.EN, Language.ZH
DIAGNOSIS = {
    EN: Diagnosis(name="Acute pancreatitis", aliases=("pancreatic inflammation", "AP")),
    ZH: Diagnosis(name="急性胰腺炎", aliases=("胰腺发炎", "AP")),
}
COUGH = Entry.model_validate(
    {
        "category": "symptom",
        "name": "Cough",
        "report": "Dry cough for 10 days; paracetamol 1,000 mg at 8:30, 38.5 °C.",
    }
)


def given(language: Language = EN, **fields: Any) -> ReplyContext:
    return ReplyContext(language=language, diagnosis=DIAGNOSIS[language], **fields)


@pytest.mark.parametrize(
    ("language", "reply", "names"),
    [
        (EN, "They said acute  PANCREATITIS.", ("Acute pancreatitis",)),
        (EN, "It's AP, isn't it?", ("AP",)),
        (EN, "It is not acute pancreatitis.", ("Acute pancreatitis",)),
        (ZH, "说是急性胰腺炎。", ("急性胰腺炎",)),
        (ZH, "说是ＡＰ。", ("AP",)),
        # Without the name as it is listed, only a model can tell.
        (EN, "It must be pancreatitis.", ()),
        (EN, "I use an app, and it perhaps maps the pain.", ()),
        (EN, "My pancreas is inflamed.", ()),
        (ZH, "估计是胰腺的炎症。", ()),
        (ZH, "用了APP。", ()),
    ],
)
def test_a_listed_name_of_the_diagnosis_counts_word_for_word(
    language: Language, reply: str, names: tuple[str, ...]
) -> None:
    assert exact_faults(reply, given(language)).names_diagnosis == names


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        (ZH, "平时活动多少，我说不好。"),
        (ZH, "我也不知道，反正就是难受，您多费心。"),
        (EN, "How much I usually move, I can't really say."),
        (EN, "I'm scared it's cancer. My brother takes warfarin."),
    ],
)
def test_nothing_is_counted_that_has_to_be_read(language: Language, reply: str) -> None:
    assert exact_faults(reply, given(language)).is_none


def test_what_the_question_named_may_be_said_in_the_reply_and_only_then() -> None:
    said = "No, nobody spoke of acute pancreatitis."
    assert exact_faults(said, given(question="Has anybody spoken of AP?")).is_none
    assert exact_faults(
        said, given(said=(SpokenExchange("Is it acute pancreatitis?", "No."),))
    ).names_diagnosis


@pytest.mark.parametrize(
    ("reply", "unknown"),
    [
        ("10 days, 1000 mg at 8:30, it was 38.5.", ()),
        ("１０ days, 1,000 mg.", ()),
        ("10 days, 500 mg.", ("500",)),
        ("38.7 for 10 days.", ("7",)),
        # Nothing is converted: the row says digits, not claims.
        ("1 g of it, at 20:30.", ("1", "20")),
        ("Ten days, forty times a night.", ()),
    ],
)
def test_digits_count_that_stand_in_nothing_the_patient_had(
    reply: str, unknown: tuple[str, ...]
) -> None:
    assert exact_faults(reply, given(entries=(COUGH,))).unknown_digits == unknown
    assert exact_faults(reply, given(earlier=(COUGH,))).unknown_digits == unknown


@pytest.mark.parametrize(
    "had",
    [
        {"question": "For 45 days?"},
        {"said": (SpokenExchange("For 45 days?", "?"),)},
        {"opening": "45 days of this."},
        {"told_earlier": ("45 days",)},
        {"age": Age.parse("45")},
    ],
)
def test_all_that_the_patient_had_is_looked_at_but_not_its_own_words(had: dict[str, Any]) -> None:
    assert exact_faults("45", given(**had)).is_none
    assert exact_faults("45", given(said=(SpokenExchange("?", "45"),))).unknown_digits == ("45",)


def test_without_a_model_only_what_is_exact_has_a_row(tmp_path: Path) -> None:
    path = run_of(tmp_path / "run.osler", "4711 and gout. 痛风。", "I'd say so.")
    run = load_run(path)
    rows = score_rows(run)
    assert [(row["names_diagnosis"], row["unknown_digits"]) for row in rows] == [(1, 1), (1, 1)]
    for name in (
        "leaks",
        "fabrications",
        "contradictions",
        "other_language",
        "replies_read",
        "patient_ruler",
    ):
        assert name not in rows[0] and name not in run.scores()
    assert {"names_diagnosis", "unknown_digits", "leaks"} <= {
        measure.name for measure in all_measures()
    }
    for text in forms(compare([run])):
        assert "replies naming the diagnosis (mean)" in " ".join(text.split())
        assert "leaks" not in text and "fabrications" not in text
    run.close()
    with RunFile.open(path) as opened:
        closing = " ".join(text_of(summary(opened, "rules")).split())
    assert (
        "replies naming the diagnosis (total) │ 2" in closing
        and "replies with unknown digits (total) │ 2" in closing
    )
    assert "leaks" not in closing and "nobody has read the patient's replies" in closing


@pytest.mark.parametrize(
    ("case", "named"), [("gout-en", "names the diagnosis"), ("gout-zh", "说出诊断名")]
)
def test_pages_show_the_replies_that_are_counted(
    osler: Run, tmp_path: Path, case: str, named: str
) -> None:
    run = run_of(tmp_path / "runs" / "run.osler", "It is gout. 这是痛风。", "4711", cases=(case,))
    shown = osler("show", "run", case).stdout
    assert "names the diagnosis" in shown and "digits that stand nowhere: 4711" in shown
    page = write_report(run, tmp_path / "report.html").page.read_text("utf-8")
    assert named in page and "4711" in page


def test_judges_and_measures_share_no_code_with_what_they_judge() -> None:
    folder = REPO / "src/osler/eval"
    taken = {
        (path.relative_to(folder).as_posix(), module)
        for path in folder.rglob("*.py")
        if "probes" not in path.parts
        for module in re.findall(
            r"from osler\.((?:agents|memory|simulator|language\.(?!words|numerals))[\w.]*)",
            path.read_text("utf-8"),
        )
    }
    # What a question asks for as a whole category, RAM and the measures have to read alike.
    # What the rules doctor's answers mean is its own knowledge: the codes of its illnesses.
    assert taken == {
        ("exact_diagnosis.py", "agents.rules.knowledge"),
        ("course.py", "language.lexicon.categories"),
    }
