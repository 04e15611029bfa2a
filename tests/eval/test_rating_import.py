"""Ratings that come back: whose they are, how raters agree, and what is refused."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from osler.errors import UserError
from osler.eval.rating import Key, check_run, export_sheets, ratings_page, read_ratings
from osler.records.pages import printed
from osler.runs.plan import Column
from osler.runs.store import RunFile
from osler.settings.names import PLAIN
from tests.conftest import Run
from tests.eval.rated import BACKBONES, a_run, fill, items_of


@pytest.fixture
def run_file(tmp_path: Path) -> RunFile:
    return a_run(tmp_path / "savanna.osler")


def edit(path: Path, row: int, column: int, value: object) -> None:
    book = load_workbook(path)
    book.worksheets[1].cell(row, column).value = value  # type: ignore[assignment]
    book.save(path)


def table(shown: str) -> list[list[str]]:
    """The rows of the tables on a page."""
    return [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in shown.splitlines()
        if line.startswith("│")
    ]


# What comes back


def test_ratings_come_back_to_their_systems(osler: Run, tmp_path: Path) -> None:
    a_run(tmp_path / "run.osler").close()
    assert (
        osler("rate", "export", "run.osler", "-o", "sheet.xlsx", "--per-column", "8").returncode
        == 0
    )
    systems = {item.id: item for item in Key.open(tmp_path / "sheet.key.json").items}
    fill(
        tmp_path / "sheet.xlsx",
        lambda name: (int(systems[name].memory == "raw"), 0.5, 1),
        comment="=1+1",
    )
    done = osler(
        "rate",
        "import",
        "sheet.xlsx",
        "--key",
        "sheet.key.json",
        "--run",
        "run.osler",
        "-o",
        "ratings.csv",
    )
    assert done.returncode == 0, done.stderr
    means = {(line[2], line[3]): line[4:] for line in table(done.stdout) if line[0] == BACKBONES[0]}
    # Four patients, all alike: the interval of 0 or 4 out of 4, or of 2 where each got a half.
    assert means["quagga,k=3", "retrieval accuracy"] == ["0.000", "[0.000, 0.717]", "8"]
    assert means["raw", "retrieval accuracy"] == ["1.000", "[0.283, 1.000]", "8"]
    assert means["raw", "response correctness"] == ["0.500", "[0.077, 0.923]", "8"]
    assert means["quagga,k=3", "contextual coherence"] == ["1.000", "[0.283, 1.000]", "8"]
    assert done.stdout.count("– (one rater only)") == 3
    assert "sheet: 32 of 32 items rated" in done.stdout
    with (tmp_path / "ratings.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 32 and {row["comment"] for row in rows} == {"'=1+1"}
    for row in rows:
        item = systems[row["item"]]
        told = (row["case"], row["backbone"], row["strategy"], row["memory"], row["variants"])
        assert told == (item.case, item.backbone, "plain", item.memory, "{}")
        assert row["retrieval_accuracy"] == ("1" if item.memory == "raw" else "0")
    again = osler("rate", "import", "sheet.xlsx", "--key", "sheet.key.json", "-o", "ratings.csv")
    assert (
        again.returncode == 2
        and "ratings.csv is there already; choose another name, or add --force" in again.stderr
    )


def test_a_sheet_in_another_order_with_gaps_is_as_good(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=4, seed=0)
    head = [str(cell.value) for cell in items_of(done.sheets[0])[1]]
    items = [
        str(row[0])
        for row in items_of(done.sheets[0]).iter_rows(min_row=2, max_row=11, values_only=True)
    ]
    entered: list[list[str | float]] = [[item, "０", "0,5", 1.0, "嗯"] for item in reversed(items)]
    entered[0][1], entered[1][2:4], entered[2][1:] = 1, ["", ""], ["", "", "", ""]
    # The page of instructions and the texts left out, columns moved, an empty row at the end.
    order = (1, 0, 3, 2, 4)
    names: list[str | float] = [head[0], *head[5:]]
    book = Workbook()
    lines: list[list[str | float]] = [names, *entered, [""] * 5]
    for line in lines:
        book.worksheets[0].append([line[place] for place in order])
    book.save(tmp_path / "anna.xlsx")
    ratings = read_ratings([tmp_path / "anna.xlsx"], Key.open(done.key))
    assert [rating.item.id for rating in ratings] == [
        item for item in reversed(items) if item != items[7]
    ]
    assert ratings[0].values == (1, 0.5, 1) and ratings[1].values == (0, None, None)
    assert all(rating.values == (0, 0.5, 1) and rating.comment == "嗯" for rating in ratings[2:])
    assert {rating.rater for rating in ratings} == {"anna"}


def test_two_raters_agree_as_krippendorff_counts(
    run_file: RunFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=4, seed=0, raters=2)
    key = Key.open(done.key)
    place = {item.id: number for number, item in enumerate(key.items)}
    # Retrieval: 16 items of which the raters differ in 4. Correctness: in one, from one end of the
    # scale to the other.
    fill(done.sheets[0], lambda item: (place[item] % 2, 0.5 * (place[item] % 3), 1))
    fill(
        done.sheets[1],
        lambda item: (
            (place[item] + (place[item] < 4)) % 2,
            0.5 * (place[item] % 3) if place[item] else 1,
            1,
        ),
    )
    printed(ratings_page(read_ratings(done.sheets, key), key))
    shown = capsys.readouterr().out
    # Binary, both raters half and half: observed 4/16, expected 2·16·16/(32·31), so alpha = 1 -
    # (4/16)·31/16.
    assert re.search(rf"retrieval accuracy +│ +{1 - 4 / 16 * 31 / 16:.3f} +│ +16", shown)
    # 11, 10 and 11 ratings of 0, 0.5 and 1: neighbours are (21/2)² apart, the ends 21²; of these
    # one pair is observed.
    expected = (2 * 2 * 11 * 10 * (21 / 2) ** 2 + 2 * 11 * 11 * 21**2) / 31
    assert re.search(rf"response correctness +│ +{1 - 2 * 21**2 / expected:.3f} +│ +16", shown)
    assert re.search(r"contextual coherence +│ +– \(all ratings are equal\)", shown)
    for name in ("sheet-1", "sheet-2"):
        assert f"{name}: 16 of 16 items" in shown


def test_the_mean_counts_an_item_once_whoever_rated_it(
    run_file: RunFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=4, seed=0, raters=2)
    key = Key.open(done.key)
    mine = [item.id for item in key.items if item.column == Column("openai:okapi-4o", PLAIN, "raw")]
    fill(
        done.sheets[0],
        lambda item: (
            (1 if item == mine[0] else 0, None, None) if item in mine else (None, None, None)
        ),
    )
    fill(done.sheets[1], lambda item: (1 if item == mine[0] else None, None, None))
    printed(ratings_page(read_ratings(done.sheets, key), key))
    lines = [
        line[3:]
        for line in table(capsys.readouterr().out)
        if line[:3] == ["openai:okapi-4o", "plain", "raw"]
    ]
    # Four patients with one item each, of which one is rated 1, by two raters: one in four.
    assert lines[0] == ["retrieval accuracy", "0.250", "[0.016, 0.869]", "4"]
    assert lines[1] == ["response correctness", "–", "–", "0"]


# What is refused


@pytest.mark.parametrize(
    ("column", "value", "line"),
    [
        (6, 0.5, "row 3: '0.5' is no value of retrieval accuracy; use 0 or 1, or leave it empty"),
        (
            7,
            0.7,
            "row 3: '0.7' is no value of response correctness; use 0, 0.5 or 1, or leave it empty",
        ),
        (8, "good", "row 3: 'good' is no value of contextual coherence; use 0, 0.5 or 1"),
        (8, True, "row 3: 'True' is no value of contextual coherence"),
        (8, "nan", "row 3: 'nan' is no value"),
        (1, "WRONG", "row 3: the key knows no item 'WRONG'; restore its id, or remove the row"),
        (5, "Something else?", "row 3: the texts are not those of item"),
    ],
)
def test_a_bad_cell_is_named_with_its_row(
    run_file: RunFile, tmp_path: Path, column: int, value: object, line: str
) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=2, seed=0)
    fill(done.sheets[0], lambda item: (1, 1, 1))
    edit(done.sheets[0], 3, column, value)
    with pytest.raises(UserError) as caught:
        read_ratings(done.sheets, Key.open(done.key))
    assert str(caught.value).startswith(f"{done.sheets[0]}, ") and line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_item_that_is_rated_twice_is_refused(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=2, seed=0)
    fill(done.sheets[0], lambda item: (1, 1, 1))
    page = items_of(done.sheets[0])
    for column in range(1, 6):
        edit(done.sheets[0], 5, column, page.cell(2, column).value)
    with pytest.raises(UserError, match=r"rows 2 and 5 both rate .*; remove one"):
        read_ratings(done.sheets, Key.open(done.key))
    with pytest.raises(UserError, match="two sheets of the rater 'sheet'"):
        read_ratings([done.sheets[0], done.sheets[0]], Key.open(done.key))


def test_the_wrong_key_is_noticed(run_file: RunFile, tmp_path: Path) -> None:
    mine = export_sheets(run_file, tmp_path / "mine.xlsx", per_column=2, seed=0)
    other = export_sheets(run_file, tmp_path / "other.xlsx", per_column=2, seed=1)
    fill(mine.sheets[0], lambda item: (1, 1, 1))
    with pytest.raises(
        UserError,
        match=r"belongs to another key .*; give the key that was exported with this sheet",
    ):
        read_ratings(mine.sheets, Key.open(other.key))
    # Without the page of instructions, and so without the code, the items tell.
    book = load_workbook(mine.sheets[0])
    book.remove(book.worksheets[0])
    book.save(tmp_path / "bare.xlsx")
    assert len(read_ratings([tmp_path / "bare.xlsx"], Key.open(mine.key))) == 8
    with pytest.raises(UserError, match=r"bare.xlsx holds no item of the key"):
        read_ratings([tmp_path / "bare.xlsx"], Key.open(other.key))
    changed = json.loads(mine.key.read_text())
    changed["items"].pop()
    mine.key.write_text(json.dumps(changed))
    with pytest.raises(UserError, match="was changed after it was written"):
        Key.open(mine.key)


def test_another_run_is_noticed(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=4, seed=0)
    key = Key.open(done.key)
    check_run(key, run_file)
    said_otherwise = a_run(tmp_path / "else.osler", lambda what, turn: f"{what} {turn}, otherwise")
    shorter = a_run(tmp_path / "shorter.osler", patients=1, questions=lambda number: 2)
    for other in (said_otherwise, shorter):
        with other, pytest.raises(UserError, match=r"of the run savanna\.osler, not of"):
            check_run(key, other)


def test_unreadable_files_are_one_line(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=2, seed=0)
    key = Key.open(done.key)
    (tmp_path / "text.xlsx").write_text("not a workbook")
    (tmp_path / "saved.csv").write_text("item,comment\nABCDE,x\n")
    book = Workbook()
    book.worksheets[0].append(["item", "comment"])
    book.save(tmp_path / "head.xlsx")
    (tmp_path / "no.key.json").write_text('{"items": []}')
    for name, line in (
        ("text.xlsx", "is not a readable workbook .*; save it as .xlsx"),
        ("saved.csv", "is not a readable workbook .*; save it as .xlsx"),
        (
            "head.xlsx",
            "has no row with the headings item, retrieval accuracy, .*; restore the header",
        ),
        ("nowhere.xlsx", "cannot be read .*; check its name"),
    ):
        with pytest.raises(UserError, match=line):
            read_ratings([tmp_path / name], key)
    for name in ("no.key.json", "nowhere.key.json", "sheet.xlsx"):
        with pytest.raises(
            UserError, match=r"key.*; give the .key.json file that `osler rate export` wrote"
        ):
            Key.open(tmp_path / name)
    with pytest.raises(UserError, match="hold no rating yet"):
        read_ratings(done.sheets, key)
