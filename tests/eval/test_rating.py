"""Blind rating: what a rater can see, what comes back, and what is refused."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from osler.errors import UserError
from osler.eval.rating import Key, check_run, export_sheets, ratings_page, read_ratings, write_table
from osler.events import Answered, Asked, Concluded, Ending, Event, Recalled, Role, Voice
from osler.memory.base import Recall
from osler.records.pages import printed
from osler.records.schema import PatientRecord
from osler.simulator.plan import Plan, Settings
from osler.simulator.store import RunFile, RunWriter
from osler.simulator.transcript import Header, Transcript
from tests.conftest import Run, small_record

BACKBONES = ("Zebra-7B@http://127.0.0.1:9/v1", "openai:okapi-4o")
MEMORIES = ("quagga,k=3", "raw")
SCALES = (6, 7, 8)
"""The columns of the three scales."""
TRUTH = "Ankle sprain"

Say = Callable[[str, int], str]


def plain(what: str, turn: int) -> str:
    return f"{what} of turn {turn}"


def consultation(header: Header, say: Say, questions: int, ending: Ending = Ending.CONCLUDED) -> Transcript:
    """A consultation in which everybody says what the test wants; it goes on for some questions."""
    events: list[Event] = []
    heard = "I twisted my ankle."
    for turn in range(1, questions + 1):
        recall = Recall(text=say("recall", turn)) if turn > 2 else Recall()
        question, reply = say("question", turn), say("reply", turn)
        events.append(Recalled(turn=turn, role=Role.MEMORY, query=heard, recall=recall))
        events.append(Asked(turn=turn, role=Role.DOCTOR, question=question))
        events.append(Answered(turn=turn, role=Role.PATIENT, reply=reply, voice=Voice.RULES))
        heard = reply
    last = questions + 1
    events.append(Recalled(turn=last, role=Role.MEMORY, query=heard, recall=Recall(text=say("recall", last))))
    if ending.is_answer:
        events.append(
            Concluded(turn=last, role=Role.DOCTOR, diagnosis=say("diagnosis", last), treatment=say("treatment", last))
        )
    return Transcript(header=header, ending=ending, events=tuple(events))


def a_run(
    path: Path,
    say: Say = plain,
    patients: int = 4,
    questions: Callable[[int], int] = lambda number: 5,
    ending: Callable[[int], Ending] = lambda number: Ending.CONCLUDED,
) -> RunFile:
    """A run of two backbones and two memories; `questions` and `ending` are told the number of the consultation."""
    records = [
        PatientRecord.model_validate(small_record(id=f"gnu-{number}-en", patient=f"gnu-{number}"))
        for number in range(patients)
    ]
    by_id = {record.id: record for record in records}
    with RunWriter.create(path, {"settings": Settings().as_json()}) as run:
        for number in run.extend(Plan(records, BACKBONES, MEMORIES)).todo:
            cell = run.cell(number)
            header = Header(
                case=cell.case,
                patient=by_id[cell.case].patient,
                language=by_id[cell.case].language,
                backbone=cell.backbone,
                patient_backbone="rules",
                memory=cell.memory,
                seed=1,
                turn_limit=9,
                version="0",
                prompts="0",
            )
            run.finish(number, consultation(header, say, questions(number), ending(number)))
    return RunFile.open(path)


@pytest.fixture
def run_file(tmp_path: Path) -> RunFile:
    return a_run(tmp_path / "savanna.osler")


def items_of(path: Path) -> Worksheet:
    page = load_workbook(path).worksheets[1]
    assert isinstance(page, Worksheet)
    return page


def cells_of(path: Path) -> dict[str, tuple[str, ...]]:
    """The texts of each item."""
    return {str(row[0]): tuple(map(str, row[1:5])) for row in items_of(path).iter_rows(min_row=2, values_only=True)}


def fill(path: Path, values: Callable[[str], tuple[object, object, object]], comment: str = "") -> None:
    """Rate every item as a person would: open, enter, save."""
    book = load_workbook(path)
    page = book.worksheets[1]
    for row in range(2, page.max_row + 1):
        for column, value in zip(SCALES, values(str(page.cell(row, 1).value)), strict=True):
            page.cell(row, column).value = value  # type: ignore[assignment]
        page.cell(row, 9).value = comment or None
        page.cell(row, 9).data_type = "s"
    book.save(path)


def edit(path: Path, row: int, column: int, value: object) -> None:
    book = load_workbook(path)
    book.worksheets[1].cell(row, column).value = value  # type: ignore[assignment]
    book.save(path)


def table(shown: str) -> list[list[str]]:
    """The rows of the tables on a page."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines() if line.startswith("│")]


# What the rater sees


def test_nothing_in_the_file_tells_the_system_the_case_or_the_truth(tmp_path: Path) -> None:
    def boasts(what: str, turn: int) -> str:
        return f"{what} {turn}: as zebra 7B, Zebra-7B-Instruct, GPT by OpenAI or Okapi I file gnu-1-en under quagga,k=3"

    with a_run(tmp_path / "savanna.osler", boasts) as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_system=9, seed=41)
    with zipfile.ZipFile(done.sheets[0]) as archive:
        parts = {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}
    assert "docProps/core.xml" in parts and "question 4" in parts["xl/worksheets/sheet2.xml"]
    for name, text in parts.items():
        for told in ("zebra", "okapi", "openai", "quagga", "savanna", "127.0.0.1", TRUTH.lower(), "s93.4"):
            assert told not in text.lower(), (name, told)
    # The names of other cases are no secret of a moment; that of its own is.
    own = {item.id: item.case for item in Key.open(done.key).items}
    assert len(own) == 36
    for item, texts in cells_of(done.sheets[0]).items():
        assert not any(own[item] in text for text in texts)
        assert any("[…]" in text for text in texts)


def test_a_word_that_only_looks_like_a_name_stays(tmp_path: Path) -> None:
    with a_run(tmp_path / "run.osler", lambda what, turn: f"{what} {turn}: raw skin, none of my rules, zebras") as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_system=2, seed=0)
    assert all("raw skin, none of my rules, zebras" in texts[3] for texts in cells_of(done.sheets[0]).values())


def test_an_item_is_one_moment_and_shows_nothing_of_what_came_after(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=50, seed=0)
    texts = cells_of(done.sheets[0])
    turns: Counter[int] = Counter()
    for item in Key.open(done.key).items:
        before, last, recalled, step = texts[item.id]
        turns[item.turn] += 1
        assert before.startswith("Patient: I twisted my ankle.\nDoctor: question of turn 1\nPatient: reply of turn 1")
        assert last == f"Doctor: question of turn {item.turn - 1}\nPatient: reply of turn {item.turn - 1}"
        assert recalled == f"• recall of turn {item.turn}"
        assert ("diagnosis" in step) is item.concludes is (item.turn == 6)
        assert f"turn {item.turn}" in step and f"turn {item.turn - 1}" not in before
        assert not re.search(rf"turn {item.turn + 1}", " ".join(texts[item.id]))
    # Before the third turn no memory has anything to recall.
    assert turns == {3: 16, 4: 16, 5: 16, 6: 16}


def test_memories_look_alike_in_both_languages(osler: Run, tmp_path: Path) -> None:
    """A real run: no memory is known by how it numbers its lines, and Chinese talks are labelled in Chinese."""
    cases = ["--case", "croup-en", "--case", "croup-zh"]
    memories = ["--memory", "none", "--memory", "raw", "--memory", "tim", "--memory", "tim,k=2"]
    made = osler("simulate", *cases, *memories, "--quiet", "--out", "run")
    assert made.returncode == 0, made.stderr
    done = osler("rate", "export", "run", "-o", "sheet.xlsx", "--per-cell", "12")
    assert done.returncode == 0, done.stderr
    assert "rules × tim,k=2: 12 items" in done.stdout and "not for raters: sheet.key.json" in done.stdout
    texts = cells_of(tmp_path / "sheet.xlsx")
    key = Key.open(tmp_path / "sheet.key.json")
    recalled: dict[str, list[str]] = defaultdict(list)
    for item in key.items:
        before, last, memory, _ = texts[item.id]
        chinese = item.case.endswith("zh")
        assert before.startswith("患者：" if chinese else "Patient: ") and last.startswith(
            "医生：" if chinese else "Doctor: "
        )
        recalled[item.memory].append(memory)
    assert set(recalled["none"]) == {"(nothing)", "（无）"}
    for memory in ("raw", "tim", "tim,k=2"):
        assert sum(line.startswith("• ") for text in recalled[memory] for line in text.splitlines()) >= 12
    everything = "\n".join(text for some in recalled.values() for text in some)
    assert not re.search(r"#\d|Fact|事实|\(turn \d|第\d+轮|^• Turn \d", everything, re.MULTILINE)
    instructions = "\n".join(str(row[0]) for row in load_workbook(tmp_path / "sheet.xlsx").worksheets[0].values)
    for heard in ("Retrieval accuracy: 1", "检索准确性", "Contextual coherence", "语境连贯性", key.code):
        assert heard in instructions


def test_untrusted_texts_stay_texts(tmp_path: Path) -> None:
    attacks = ["=1+1", "+1", "-2+3", "@SUM(A1)", '=HYPERLINK("http://x","y")']

    def attack(what: str, turn: int) -> str:
        return f"{attacks[turn % len(attacks)]}\x00\x1b[31m\u202e\r\n\ufffe" + ("𝔸" * 40_000 if what == "reply" else "")

    with a_run(tmp_path / "run.osler", attack, patients=2, questions=lambda number: 7) as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_system=12, seed=0)
    page = items_of(done.sheets[0])
    steps = set()
    for row in page.iter_rows(min_row=2, max_col=5):
        for cell in row:
            assert cell.data_type == "s" and isinstance(cell.value, str)
            assert len(cell.value.encode("utf-16-le")) <= 2 * 32_767
            assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\ud800-\udfff\ufffe]", cell.value)
        steps.add(row[4].value)
        assert str(row[2].value).endswith("𝔸…")
    assert {f"{attack}[31m" for attack in attacks} <= steps
    with zipfile.ZipFile(done.sheets[0]) as archive:
        assert not any(b"<f>" in archive.read(name) for name in archive.namelist() if name.startswith("xl/worksheets"))
    # What was cut and cleaned is still known when it comes back.
    fill(done.sheets[0], lambda item: (1, 1, 1))
    assert len(read_ratings(done.sheets, Key.open(done.key))) == page.max_row - 1


def test_the_sheet_is_made_for_rating(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=3, seed=0)
    page = items_of(done.sheets[0])
    assert page.freeze_panes == "B2" and page.max_row == 13
    rules = {str(rule.sqref): rule.formula1 for rule in page.data_validations.dataValidation}
    assert rules == {"F2:F13": '"0,1"', "G2:G13": '"0,0.5,1"', "H2:H13": '"0,0.5,1"'}
    assert all(cell.alignment.wrap_text and cell.alignment.vertical == "top" for cell in page[2])
    assert all(page.column_dimensions[letter].width >= 9 for letter in "ABCDEFGHI")
    assert (page.row_dimensions[2].height or 0) >= 4 * 14
    assert [str(cell.value).splitlines()[0] for cell in page[1]][5:] == [
        "retrieval accuracy",
        "response correctness",
        "contextual coherence",
        "comment",
    ]


# Which moments, and in which order


def test_moments_are_even_over_systems_paired_and_spread_over_patients(tmp_path: Path) -> None:
    """Consultations are of different lengths; what all systems have comes first."""
    with a_run(tmp_path / "run.osler", patients=6, questions=lambda number: 4 + number % 3) as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_system=12, seed=5)
    assert set(done.items.values()) == {12} and len(done.items) == 4
    places: dict[tuple[str, int, object], set[object]] = defaultdict(set)
    patients: Counter[str] = Counter()
    for item in Key.open(done.key).items:
        places[item.case, item.trial, "end" if item.concludes else item.turn].add(item.system)
        patients[item.patient] += 1
    assert len(places) == 12 and all(len(systems) == 4 for systems in places.values())
    assert set(patients.values()) == {8}


def test_what_failed_is_not_rated_and_what_is_missing_is_told(osler: Run, tmp_path: Path) -> None:
    # Every second consultation, those of the memory `raw`, failed for good.
    run = a_run(
        tmp_path / "run.osler", ending=lambda number: Ending.CONCLUDED if number % 2 else Ending.BACKBONE_FAILURE
    )
    run.close()
    done = osler("rate", "export", "run.osler", "-o", "sheet.xlsx", "--per-cell", "17")
    assert done.returncode == 0, done.stderr
    assert {item.memory for item in Key.open(tmp_path / "sheet.key.json").items} == {"quagga,k=3"}
    assert "Zebra-7B@http://127.0.0.1:9/v1 × quagga,k=3: 16 items, fewer than 17" in done.stdout
    all_short = a_run(tmp_path / "short.osler", questions=lambda number: 1)
    with all_short, pytest.raises(UserError, match="no moment to rate"):
        export_sheets(all_short, tmp_path / "other.xlsx", per_system=1, seed=0)


def test_the_seed_decides_everything(run_file: RunFile, tmp_path: Path) -> None:
    made = {}
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        (tmp_path / name).mkdir()
        done = export_sheets(run_file, tmp_path / name / "sheet.xlsx", per_system=5, seed=seed, raters=2)
        made[name] = [path.read_bytes() for path in (*done.sheets, done.key)]
    assert made["a"] == made["b"]
    one, two, other = (cells_of(tmp_path / name) for name in ("a/sheet-1.xlsx", "a/sheet-2.xlsx", "c/sheet-1.xlsx"))
    assert one == two and list(one) != list(two)
    assert not set(one) & set(other)
    # The order tells nothing: both memories are found in either half.
    systems = {item.id: item.memory for item in Key.open(tmp_path / "a" / "sheet.key.json").items}
    halves = [Counter(systems[item] for item in half) for half in (list(one)[:10], list(one)[10:])]
    assert all(len(half) == 2 for half in halves)


# What comes back


def test_ratings_come_back_to_their_systems(osler: Run, tmp_path: Path) -> None:
    a_run(tmp_path / "run.osler").close()
    assert osler("rate", "export", "run.osler", "-o", "sheet.xlsx", "--per-cell", "8").returncode == 0
    systems = {item.id: item for item in Key.open(tmp_path / "sheet.key.json").items}
    fill(tmp_path / "sheet.xlsx", lambda name: (int(systems[name].memory == "raw"), 0.5, 1), comment="=1+1")
    done = osler("rate", "import", "sheet.xlsx", "--key", "sheet.key.json", "--run", "run.osler", "-o", "ratings.csv")
    assert done.returncode == 0, done.stderr
    means = {(line[1], line[2]): line[3:] for line in table(done.stdout) if line[0] == BACKBONES[0]}
    # Four patients, all alike: Wilson's interval of 0 or 4 out of 4. Halves have no interval but themselves.
    assert means["quagga,k=3", "retrieval accuracy"] == ["0.000", "[0.000, 0.490]", "8"]
    assert means["raw", "retrieval accuracy"] == ["1.000", "[0.510, 1.000]", "8"]
    assert means["raw", "response correctness"] == ["0.500", "[0.500, 0.500]", "8"]
    assert means["quagga,k=3", "contextual coherence"] == ["1.000", "[0.510, 1.000]", "8"]
    assert done.stdout.count("– (one rater only)") == 3
    assert "sheet: 32 of 32 items rated" in done.stdout
    with (tmp_path / "ratings.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 32 and {row["comment"] for row in rows} == {"'=1+1"}
    for row in rows:
        item = systems[row["item"]]
        assert (row["case"], row["backbone"], row["memory"]) == (item.case, item.backbone, item.memory)
        assert row["retrieval_accuracy"] == ("1" if item.memory == "raw" else "0")
    again = osler("rate", "import", "sheet.xlsx", "--key", "sheet.key.json", "-o", "ratings.csv")
    assert again.returncode == 2 and "ratings.csv is there already; choose another name, or add --force" in again.stderr


def test_csv_in_another_order_with_gaps_is_as_good(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=4, seed=0)
    rows = [list(map(str, row)) for row in items_of(done.sheets[0]).iter_rows(values_only=True, max_col=5)]
    head = [str(cell.value) for cell in items_of(done.sheets[0])[1]]
    items = [row[0] for row in rows[1:]]
    entered = [[item, "０", "0,5", "1.0", "嗯"] for item in reversed(items[:10])]
    entered[0][1], entered[1][2:4], entered[2][1:] = "1", ["", ""], ["", "", "", ""]
    # Texts left out, columns moved, semicolons, an empty row at the end.
    order = (1, 0, 3, 2, 4)
    names = [head[0], *head[5:]]
    with (tmp_path / "anna.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerows([[line[place] for place in order] for line in [names, *entered]])
        writer.writerow([""] * 5)
    ratings = read_ratings([tmp_path / "anna.csv"], Key.open(done.key))
    assert [rating.item.id for rating in ratings] == [item for item in reversed(items[:10]) if item != items[7]]
    assert ratings[0].values == (1, 0.5, 1) and ratings[1].values == (0, None, None)
    assert all(rating.values == (0, 0.5, 1) and rating.comment == "嗯" for rating in ratings[2:])
    assert {rating.rater for rating in ratings} == {"anna"}


def test_two_raters_agree_as_krippendorff_counts(
    run_file: RunFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=4, seed=0, raters=2)
    key = Key.open(done.key)
    place = {item.id: number for number, item in enumerate(key.items)}
    # Retrieval: 16 items of which the raters differ in 4. Correctness: in one, from one end of the scale to the other.
    fill(done.sheets[0], lambda item: (place[item] % 2, 0.5 * (place[item] % 3), 1))
    fill(
        done.sheets[1],
        lambda item: ((place[item] + (place[item] < 4)) % 2, 0.5 * (place[item] % 3) if place[item] else 1, 1),
    )
    printed(ratings_page(read_ratings(done.sheets, key), key))
    shown = capsys.readouterr().out
    # Binary, both raters half and half: observed 4/16, expected 2·16·16/(32·31), so alpha = 1 - (4/16)·31/16.
    assert re.search(rf"retrieval accuracy +│ {1 - 4 / 16 * 31 / 16:.3f} +│ 16", shown)
    # 11, 10 and 11 ratings of 0, 0.5 and 1: neighbours are (21/2)² apart, the ends 21²; of these one pair is observed.
    expected = (2 * 2 * 11 * 10 * (21 / 2) ** 2 + 2 * 11 * 11 * 21**2) / 31
    assert re.search(rf"response correctness +│ {1 - 2 * 21**2 / expected:.3f} +│ 16", shown)
    assert re.search(r"contextual coherence +│ – \(all ratings are equal\)", shown)
    for name in ("sheet-1", "sheet-2"):
        assert f"{name}: 16 of 16 items" in shown


def test_the_mean_counts_an_item_once_whoever_rated_it(
    run_file: RunFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=4, seed=0, raters=2)
    key = Key.open(done.key)
    mine = [item.id for item in key.items if item.system == ("openai:okapi-4o", "raw")]
    fill(done.sheets[0], lambda item: (1 if item == mine[0] else 0, None, None) if item in mine else (None, None, None))
    fill(done.sheets[1], lambda item: (1 if item == mine[0] else None, None, None))
    printed(ratings_page(read_ratings(done.sheets, key), key))
    lines = [line[2:] for line in table(capsys.readouterr().out) if line[:2] == ["openai:okapi-4o", "raw"]]
    # Four patients with one item each, of which one is rated 1, by two raters: one in four.
    assert lines[0] == ["retrieval accuracy", "0.250", "[0.046, 0.699]", "4"]
    assert lines[1] == ["response correctness", "–", "–", "0"]


# What is refused


@pytest.mark.parametrize(
    ("column", "value", "line"),
    [
        (6, 0.5, "row 3: '0.5' is no value of retrieval accuracy; use 0 or 1, or leave it empty"),
        (7, 0.7, "row 3: '0.7' is no value of response correctness; use 0, 0.5 or 1, or leave it empty"),
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
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=2, seed=0)
    fill(done.sheets[0], lambda item: (1, 1, 1))
    edit(done.sheets[0], 3, column, value)
    with pytest.raises(UserError) as caught:
        read_ratings(done.sheets, Key.open(done.key))
    assert str(caught.value).startswith(f"{done.sheets[0]}, ") and line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_item_that_is_rated_twice_is_refused(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=2, seed=0)
    fill(done.sheets[0], lambda item: (1, 1, 1))
    page = items_of(done.sheets[0])
    for column in range(1, 6):
        edit(done.sheets[0], 5, column, page.cell(2, column).value)
    with pytest.raises(UserError, match=r"rows 2 and 5 both rate .*; remove one"):
        read_ratings(done.sheets, Key.open(done.key))
    with pytest.raises(UserError, match="two sheets of the rater 'sheet'"):
        read_ratings([done.sheets[0], done.sheets[0]], Key.open(done.key))


def test_the_wrong_key_is_noticed(run_file: RunFile, tmp_path: Path) -> None:
    mine = export_sheets(run_file, tmp_path / "mine.xlsx", per_system=2, seed=0)
    other = export_sheets(run_file, tmp_path / "other.xlsx", per_system=2, seed=1)
    fill(mine.sheets[0], lambda item: (1, 1, 1))
    with pytest.raises(UserError, match=r"belongs to another key .*; give the key that was exported with this sheet"):
        read_ratings(mine.sheets, Key.open(other.key))
    with (tmp_path / "mine.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(items_of(mine.sheets[0]).values)
    assert len(read_ratings([tmp_path / "mine.csv"], Key.open(mine.key))) == 8
    with pytest.raises(UserError, match=r"mine.csv holds no item of the key"):
        read_ratings([tmp_path / "mine.csv"], Key.open(other.key))
    changed = json.loads(mine.key.read_text())
    changed["items"].pop()
    mine.key.write_text(json.dumps(changed))
    with pytest.raises(UserError, match="was changed after it was written"):
        Key.open(mine.key)


def test_another_run_is_noticed(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=4, seed=0)
    key = Key.open(done.key)
    check_run(key, run_file)
    said_otherwise = a_run(tmp_path / "else.osler", lambda what, turn: f"{what} {turn}, otherwise")
    shorter = a_run(tmp_path / "shorter.osler", patients=1, questions=lambda number: 2)
    for other in (said_otherwise, shorter):
        with other, pytest.raises(UserError, match=r"of the run savanna\.osler, not of"):
            check_run(key, other)


def test_unreadable_files_are_one_line(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_system=2, seed=0)
    key = Key.open(done.key)
    (tmp_path / "text.xlsx").write_text("not a workbook")
    (tmp_path / "gbk.csv").write_bytes("item,检索".encode("gbk"))
    (tmp_path / "head.csv").write_text("item,comment\nABCDE,x\n")
    (tmp_path / "no.key.json").write_text('{"items": []}')
    for name, line in (
        ("text.xlsx", "is not a readable workbook .*; save it as .xlsx"),
        ("gbk.csv", "is not UTF-8; save it as .xlsx, or as “CSV UTF-8”"),
        ("head.csv", "has no row with the headings item, retrieval accuracy, .*; restore the header"),
        ("nowhere.xlsx", "cannot be read .*; check its name"),
    ):
        with pytest.raises(UserError, match=line):
            read_ratings([tmp_path / name], key)
    for name in ("no.key.json", "nowhere.key.json", "sheet.xlsx"):
        with pytest.raises(UserError, match=r"key.*; give the .key.json file that `osler rate export` wrote"):
            Key.open(tmp_path / name)
    with pytest.raises(UserError, match="hold no rating yet"):
        read_ratings(done.sheets, key)


def test_nothing_is_replaced_unasked_and_nothing_is_left_half_written(run_file: RunFile, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "sheet-2.xlsx").write_text("filled in by Anna")
    with pytest.raises(UserError, match=r"sheet-2\.xlsx is there already"):
        export_sheets(run_file, folder / "sheet.xlsx", per_system=2, seed=0, raters=3)
    assert [path.name for path in folder.iterdir()] == ["sheet-2.xlsx"]
    done = export_sheets(run_file, folder / "sheet.xlsx", per_system=2, seed=0, raters=3, force=True)
    assert {path.name for path in folder.iterdir()} == {
        "sheet-1.xlsx",
        "sheet-2.xlsx",
        "sheet-3.xlsx",
        "sheet.key.json",
    }
    fill(done.sheets[1], lambda item: (1, 1, 1))
    ratings = read_ratings(done.sheets, Key.open(done.key))
    assert {rating.rater for rating in ratings} == {"sheet-2"}
    # A folder where a file should go: nothing is written, not even the key.
    (folder / "blocked.xlsx").mkdir()
    with pytest.raises(UserError, match=r"blocked\.xlsx is a folder"):
        export_sheets(run_file, folder / "blocked.xlsx", per_system=2, seed=0, force=True)
    with pytest.raises(UserError, match="there is no folder"):
        write_table(ratings, tmp_path / "nowhere" / "ratings.csv", force=False)
    with pytest.raises(UserError, match=r"does not end in \.xlsx"):
        export_sheets(run_file, folder / "sheet.csv", per_system=2, seed=0)
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".") or path.name == "blocked.key.json"]
