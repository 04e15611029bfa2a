"""Several judges on one run: what they decide, how far they agree, and a person who decides what
they do not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import load_workbook

from osler.errors import UserError
from osler.eval import judge as judging
from osler.eval.judge import Kind, Opinion, verdict_on
from osler.eval.panel import Panel, agreement_line, decide
from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Concluded
from osler.runs.plan import Plan
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict
from osler.settings.run_settings import RunSettings
from tests.conftest import REPO, Run
from tests.eval.held_runs import held, score_rows
from tests.models.server import Step
from tests.simulator.model_server import model_server

POOL = RecordPool.open()
C, P, W, N, U = Verdict.CORRECT, Verdict.PARTIAL, Verdict.WRONG, Verdict.NONE, Verdict.UNDECIDED
BACKBONE = "Zebra-7B@http://127.0.0.1:9/v1"
HERE = "tests.eval.test_panel"
DIAGNOSES = {"none": "Zebra-7B says: crystals in the toe", "raw": "Arthritis", "tim": ""}
"""What doctors of each memory answer; the last one, which the exact stage is made to decide, with
the name in the record."""


class FixedJudge:
    """Says what a table has for words of the answer, and remembers what it was asked."""

    def __init__(self, name: str, table: dict[str, Verdict]) -> None:
        self.name, self.table = name, table
        self.calls: list[str] = []
        self.most: int | None = None
        """Calls after which it is gone."""

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Look it up."""
        if self.most is not None and len(self.calls) >= self.most:
            raise UserError("the judge is gone", "wake it up")
        self.calls.append(answer)
        found = next((verdict for word, verdict in self.table.items() if word in answer), N)
        return Opinion(found, f"{self.name} read the {kind}", 7, 0.5)


LENIENT = FixedJudge("lenient/1", {"crystals": C, "Arthritis": C})
STRICT = FixedJudge("strict/1", {"crystals": C, "Arthritis": W})
MIDDLE = FixedJudge("middle/1", {"crystals": P, "Arthritis": W})
HARSH = FixedJudge("harsh/1", {"": W})
"""Calls everything wrong."""


@pytest.fixture(autouse=True)
def _fresh() -> None:
    for one in (LENIENT, STRICT, MIDDLE, HARSH):
        one.calls.clear()
        one.most = None


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A patient in two languages and three memories; the treatment is exactly the record's, as is
    one diagnosis."""
    records = {record.id: record for record in POOL.only(ids=["gout-en", "gout-zh"])}
    path = tmp_path / "mine.osler"
    with RunWriter.create_or_resume(path, {"settings": RunSettings().as_json()}) as store:
        for number in store.extend(
            Plan(tuple(records.values()), (BACKBONE,), tuple(DIAGNOSES))
        ).todo:
            cell = store.cell(number)
            memory = cell.column.memory
            transcript = held(cell, records[cell.case], "rules", (), failed=False)
            *events, last = transcript.events
            assert isinstance(last, Concluded)
            record = records[cell.case]
            assert record.treatment is not None
            said = {
                "diagnosis": DIAGNOSES[memory] or record.diagnosis.name,
                "treatment": record.treatment.name,
            }
            events.append(last.model_copy(update=said))
            sure = C.value if memory == "tim" else U.value
            verdicts = (
                StoredVerdict("diagnosis", sure, "exact", "by its name"),
                StoredVerdict("treatment", P.value, "exact", "by its name"),
            )
            ended = transcript.model_copy(update={"events": tuple(events)})
            store.finish(number, ended, StoredScore(EXACT, verdicts, "1", {}))
    return path


def judges(*names: str) -> list[str]:
    return [word for name in names for word in ("--judge", f"{HERE}:{name}")]


def diagnoses(path: Path, judge: str) -> dict[str, set[tuple[str, str]]]:
    """The verdicts on diagnoses that are stored under a name, with their rungs, by memory."""
    with load_run(path) as opened:
        found: dict[str, set[tuple[str, str]]] = {}
        for row in score_rows(opened, judge):
            found.setdefault(row["memory"], set()).add(
                (row["diagnosis_verdict"], row["diagnosis_rung"])
            )
            treatment = (row["treatment_verdict"], row["treatment_rung"])
            assert treatment in {("partial", "exact"), ("correct", "exact")}, (
                "what is exact, or that of a judge"
            )
        return found


# What is decided


@pytest.mark.parametrize(
    ("said", "verdict", "rung"),
    [
        ([C], C, "judge"),
        ([C, C], C, "judges agree"),
        ([C, W], U, "judges differ"),
        ([C, U], U, "judges differ"),
        ([C, W, W], W, "majority"),
        ([C, W, P], U, "judges differ"),
        ([C, C, U], C, "majority"),
        ([C, C, W, W], U, "judges differ"),
        ([U, U, U], U, "judges differ"),
    ],
)
def test_more_than_half_of_the_judges_decide(
    said: list[Verdict], verdict: Verdict, rung: str
) -> None:
    found = decide([Opinion(one, one.value, 3) for one in said])
    assert (found.verdict, found.rung, found.tokens) == (verdict, rung, 3 * len(said))


@pytest.mark.parametrize("language", Language)
async def test_one_answer_goes_to_the_judges_unless_it_is_exactly_a_name(
    language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = POOL.get(f"gout-{language.value}")
    panel = Panel([LENIENT, STRICT])
    sure = await verdict_on("diagnosis", record.diagnosis.name, record, panel)
    assert sure.verdict is C and not LENIENT.calls
    monkeypatch.setattr(
        judging, "judge_diagnosis", lambda *_: Opinion(U, rung="unsure", because="?")
    )
    assert (await verdict_on("diagnosis", "crystals", record)).verdict is U
    assert (await verdict_on("diagnosis", "crystals", record, panel)).rung == "judges agree"
    assert (await verdict_on("diagnosis", "Arthritis", record, panel)).rung == "judges differ"


def test_the_example_of_the_page_on_judging_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (REPO / "docs" / "judging.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "judging.md", "exec"), {})
    assert capsys.readouterr().out.startswith("correct")


def test_agreement_is_counted_without_what_a_judge_left_undecided() -> None:
    assert (
        agreement_line("x", [[C, C], [W, W], [C, W], [W, C], [C, U]])
        == "x: n 4, equal 50%, kappa 0.00"
    )
    assert agreement_line("x", [[C, C], [C, C]]) == "x: n 2, equal 100%, kappa – (one verdict only)"
    assert agreement_line("x", [[C, C, C], [W, W, W]]) == "x: n 2, equal 100%, alpha 1.00"
    assert agreement_line("x", [[U, C]]) == "x: n 0"


# A panel on a run


def test_every_judge_and_the_panel_have_their_verdicts(run: Path, osler: Run) -> None:
    done = osler("score", run, *judges("LENIENT", "STRICT"))
    assert done.returncode == 0, done.stderr
    assert diagnoses(run, "lenient/1") == {
        "none": {("correct", "judge")},
        "raw": {("correct", "judge")},
        "tim": {("correct", "exact")},
    }
    assert diagnoses(run, "strict/1")["raw"] == {("wrong", "judge")}
    panel = diagnoses(run, "lenient/1 & strict/1")
    assert panel["none"] == {("correct", "judges agree")} and panel["raw"] == {
        ("undecided", "judges differ")
    }
    assert panel["tim"] == {("correct", "exact")}
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "4 answers read by lenient/1 & strict/1, 4 exactly named; 56 tokens, 4.0000 USD",
        "diagnosis: 4 correct, 2 undecided",
        "treatment: 6 correct",
    ]
    assert lines[3] == "agreement of 2 judges, all: n 4, equal 50%, kappa 0.00"
    assert [line.split(":")[0] for line in lines[4:]] == [
        "agreement of 2 judges, diagnosis en",
        "agreement of 2 judges, diagnosis zh",
    ]


def test_a_third_judge_is_asked_alone_and_the_majority_decides(run: Path, osler: Run) -> None:
    osler("score", run, *judges("LENIENT", "STRICT"))
    asked = len(LENIENT.calls), len(STRICT.calls)
    done = osler("score", run, *judges("LENIENT", "STRICT", "MIDDLE"))
    assert (len(LENIENT.calls), len(STRICT.calls), len(MIDDLE.calls)) == (*asked, 4)
    assert (
        "read by lenient/1 & strict/1 & middle/1, 4 exactly named; 28 tokens" in done.stdout
        and "alpha" in done.stdout
    )
    assert diagnoses(run, "lenient/1 & strict/1 & middle/1") == {
        "none": {("correct", "majority")},
        "raw": {("wrong", "majority")},
        "tim": {("correct", "exact")},
    }
    assert (
        osler("score", run, *judges("LENIENT"), "--again").returncode == 0
        and len(LENIENT.calls) == 8
    )


def test_right_among_five_is_not_measured_where_nobody_read_a_differential(
    run: Path, osler: Run
) -> None:
    """A model's differential is read by nobody; what the rules doctor means is known."""
    osler("score", run, *judges("STRICT"))
    for judge in (EXACT, "strict/1"):
        columns = json.loads(osler("compare", run, "--judge", judge, "--format", "json").stdout)[
            "columns"
        ]
        assert [one["figures"]["diagnosis_top5"]["value"] for one in columns] == [None] * 3, judge
        assert "right among five is not measured" in " ".join(
            osler("compare", run, "--judge", judge).stdout.split()
        )
        scores = load_run(run).scores(judge)
        assert scores["diagnosis_rank"].isna().all() and not scores["differential_judged"].any()


def test_right_among_five_is_measured_for_the_rules_doctor(tmp_path: Path, osler: Run) -> None:
    done = osler(
        "simulate",
        "--sample",
        "6",
        "--memory",
        "none",
        "--memory",
        "raw",
        "--out",
        "rules",
        "--quiet",
    )
    assert done.returncode == 0, done.stderr
    scores = load_run(tmp_path / "runs" / "rules.osler").scores()
    assert scores["differential_judged"].all() and scores["diagnosis_rank"].between(0, 6).all()
    assert ((scores["diagnosis_rank"] == 1) == (scores["diagnosis_verdict"] == "correct")).all()
    assert "not measured" not in osler("compare", "rules").stdout


def test_a_judge_that_dies_keeps_what_it_said(run: Path, osler: Run) -> None:
    STRICT.most = 1
    done = osler("score", run, *judges("STRICT"), "--concurrency", "1")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    STRICT.most = None
    assert osler("score", run, *judges("STRICT")).returncode == 0
    assert len(STRICT.calls) == 4, "nothing is asked twice"


def test_tokens_are_stored_once_for_each_call(run: Path, osler: Run) -> None:
    osler("score", run, *judges("LENIENT", "STRICT"))
    with RunFile.open(run) as opened:
        paid = opened.ask("SELECT judge, sum(tokens) FROM verdicts WHERE tokens > 0 GROUP BY judge")
    assert {judge: tokens for judge, tokens in paid} == {"lenient/1": 28, "strict/1": 28}


def test_the_same_judge_twice_is_no_panel(run: Path, osler: Run) -> None:
    done = osler("score", run, *judges("LENIENT", "LENIENT"))
    assert done.returncode == 2 and "not different" in done.stderr


def test_a_model_that_talks_nonsense_decides_nothing(run: Path, osler: Run) -> None:
    with model_server(lambda _: Step(text='{"verdict": "unsafe"} I am sure')) as server:
        done = osler("score", run, "--judge", server.spec, "--any-judge")
        assert done.returncode == 0 and server.requests == 8, "each answer is asked about once more"
    (name,) = (one for one in load_run(run).file.judges() if one != EXACT)
    assert diagnoses(run, name)["raw"] == {("undecided", "reader")}


# A person


def fill(path: Path, verdict: Callable[[str], str], because: str = "") -> None:
    """Judge every row as a person would: open, enter, save."""
    book = load_workbook(path)
    page = book.worksheets[1]
    for row in range(2, page.max_row + 1):
        page.cell(row, 6).value = verdict(str(page.cell(row, 5).value)) or None
        page.cell(row, 7).value = because or None
    book.save(path)


def rows_of(path: Path) -> list[tuple[str, ...]]:
    page = load_workbook(path).worksheets[1]
    return [tuple(map(str, row)) for row in page.iter_rows(min_row=2, values_only=True)]


def test_a_person_decides_what_the_panel_did_not(run: Path, tmp_path: Path, osler: Run) -> None:
    done = osler("score", run, *judges("LENIENT", "STRICT"), "--sheet", "disputed.xlsx")
    assert "2 undecided answer(s) on disputed.xlsx" in done.stdout
    sheet = tmp_path / "disputed.xlsx"
    assert {row[4] for row in rows_of(sheet)} == {"Arthritis"} and {
        row[2] for row in rows_of(sheet)
    } == {"diagnosis"}
    fill(sheet, lambda _: "Partial ", "too wide")
    told = osler("score", run, "--verdicts", sheet, "--person", "li")
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("2 verdict(s) imported as person:li\n")
    assert "agreement with strict/1: n 2, equal 0%" in told.stdout
    assert diagnoses(run, "person:li") == {
        "none": {("correct", "judges agree")},
        "raw": {("partial", "person")},
        "tim": {("correct", "exact")},
    }
    compared = osler("compare", run, "--judge", "person:li")
    assert compared.returncode == 0 and "person:li" in compared.stdout


def test_without_judges_the_sheet_holds_what_the_rules_leave_and_names_no_system(
    run: Path, tmp_path: Path, osler: Run
) -> None:
    assert "4 undecided" in osler("score", run, "--sheet", "all.xlsx").stdout
    sheet = tmp_path / "all.xlsx"
    texts = " ".join(" ".join(row) for row in rows_of(sheet))
    assert (
        "Acute gouty arthritis" in texts
        and "急性痛风性关节炎" in texts
        and "Also called" in texts
        and "又称" in texts
    )
    assert "Zebra" not in texts and "raw" not in texts and "gout-en" not in texts
    fill(sheet, lambda answer: "undecided" if "crystals" in answer else "wrong")
    assert osler("score", run, "--verdicts", sheet, "--person", "li").returncode == 0
    assert diagnoses(run, "person:li")["none"] == {("undecided", "exact")}
    # A second sheet of the same person adds to the first.
    assert osler("score", run, *judges("LENIENT", "STRICT", "MIDDLE")).returncode == 0
    assert (
        "no answer is undecided"
        in osler("score", run, *judges("LENIENT"), "--sheet", "none.xlsx").stdout
    )
    fill(sheet, lambda answer: "correct" if "crystals" in answer else "undecided")
    assert osler("score", run, "--verdicts", sheet, "--person", "li").returncode == 0
    assert diagnoses(run, "person:li")["none"] == {("correct", "person")}


def _drop_a_row(path: Path) -> None:
    book = load_workbook(path)
    book.worksheets[1].delete_rows(3)
    book.save(path)


def _edit(column: int, value: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        book = load_workbook(path)
        book.worksheets[1].cell(3, column).value = value
        book.save(path)

    return edit


def _twice(path: Path) -> None:
    book = load_workbook(path)
    page = book.worksheets[1]
    for column in range(1, 8):
        page.cell(3, column).value = page.cell(2, column).value
    book.save(path)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_drop_a_row, "has 3 of its 4 rows"),
        (_edit(6, "right"), "row 3: 'right' is no verdict on a diagnosis"),
        (_edit(6, "unsafe"), "row 3: 'unsafe' is no verdict on a diagnosis"),
        (_edit(6, ""), "no verdict in row 3"),
        (_edit(1, "BBBBBBBB"), "has no answer 'BBBBBBBB'"),
        (_edit(2, "BBBBBB-4"), "has rows of 2 sheets"),
        (_edit(5, "Gout"), "the texts are not those of"),
        (_twice, "is there twice"),
    ],
)
def test_a_spoilt_sheet_is_refused_as_a_whole(
    run: Path, tmp_path: Path, osler: Run, spoil: Callable[[Path], None], told: str
) -> None:
    osler("score", run, "--sheet", "all.xlsx")
    sheet = tmp_path / "all.xlsx"
    fill(sheet, lambda _: "wrong")
    spoil(sheet)
    done = osler("score", run, "--verdicts", sheet, "--person", "li")
    assert done.returncode == 2 and told in done.stderr and done.stderr.count("\n") == 1, (
        done.stderr
    )
    assert list(load_run(run).file.judges()) == [EXACT]


def test_a_sheet_of_another_run_is_refused(run: Path, tmp_path: Path, osler: Run) -> None:
    osler("score", run, *judges("LENIENT", "STRICT"), "--sheet", "all.xlsx")
    sheet = tmp_path / "all.xlsx"
    fill(sheet, lambda _: "wrong")
    with RunFile.open(run) as known:
        about = known.about()
    with RunWriter.create_or_resume(tmp_path / "other.osler", about):
        pass
    done = osler("score", tmp_path / "other.osler", "--verdicts", sheet, "--person", "li")
    assert done.returncode == 2 and "is a sheet of another run" in done.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("--person", "li"),
        ("--verdicts", "all.xlsx"),
        ("--verdicts", "nowhere.xlsx", "--person", "li"),
        ("--verdicts", "all.xlsx", "--person", "li", "--sheet", "new.xlsx"),
        ("--judge", "person:li"),
        ("--sheet", "all.csv"),
        ("--sheet", "nowhere/all.xlsx"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(
    run: Path, osler: Run, args: tuple[str, ...]
) -> None:
    done = osler("score", run, *args)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
