"""Sheets for blind rating: what a rater can see, which moments they hold, and what is written."""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from openpyxl import load_workbook

from osler.errors import UserError
from osler.eval.rating import Key, export_sheets, read_ratings, write_table
from osler.eval.rating.blinding import Mask
from osler.runs.events import Ending
from osler.runs.store import RunFile
from tests.conftest import Run
from tests.eval.rated import TRUTH, a_run, cells_of, fill, items_of


@pytest.fixture
def run_file(tmp_path: Path) -> RunFile:
    return a_run(tmp_path / "savanna.osler")


# What the rater sees


def test_nothing_in_the_file_tells_the_system_the_case_or_the_truth(tmp_path: Path) -> None:
    def boasts(what: str, turn: int) -> str:
        return f"{what} {turn}: as zebra 7B, Zebra-7B-Instruct, GPT by OpenAI or Okapi I file gnu-1-en under quagga,k=3"

    with a_run(tmp_path / "savanna.osler", boasts) as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_column=9, seed=41)
    with zipfile.ZipFile(done.sheets[0]) as archive:
        parts = {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}
    assert "docProps/core.xml" in parts and "question 4" in parts["xl/worksheets/sheet2.xml"]
    for name, text in parts.items():
        for told in (
            "zebra",
            "okapi",
            "openai",
            "quagga",
            "savanna",
            "127.0.0.1",
            TRUTH.lower(),
            "s93.4",
        ):
            assert told not in text.lower(), (name, told)
    # The names of other cases are no secret of a moment; that of its own is.
    own = {item.id: item.case for item in Key.open(done.key).items}
    assert len(own) == 36
    for item, texts in cells_of(done.sheets[0]).items():
        assert not any(own[item] in text for text in texts)
        assert any("[…]" in text for text in texts)


@pytest.mark.parametrize(
    ("spec", "boast"),
    [
        ("anthropic:okapi-4 temperature=0.5", "I am Okapi 4 by Anthropic"),
        ("gemini:gnu-2.5-flash", "Gemini gnu-2.5-flash says so"),
        ("ollama:zebra3:8b", "As zebra I say"),
        ("local:/models/zebra-135m.gguf", "As Zebra-135M I say"),
        ("my_models:Quagga", "Quagga of my_models"),
    ],
)
def test_every_provider_s_models_are_masked(spec: str, boast: str) -> None:
    hidden = Mask([spec], []).hide(boast, "case").lower()
    assert (
        not re.search("okapi|anthropic|gnu|gemini|zebra|quagga|my_models", hidden)
        and "[…]" in hidden
    )


def test_a_word_that_only_looks_like_a_name_stays(tmp_path: Path) -> None:
    with a_run(
        tmp_path / "run.osler",
        lambda what, turn: f"{what} {turn}: raw skin, none of my rules, zebras",
    ) as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_column=2, seed=0)
    assert all(
        "raw skin, none of my rules, zebras" in texts[3]
        for texts in cells_of(done.sheets[0]).values()
    )


def test_an_item_is_one_moment_and_shows_nothing_of_what_came_after(
    run_file: RunFile, tmp_path: Path
) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=50, seed=0)
    texts = cells_of(done.sheets[0])
    turns: Counter[int] = Counter()
    for item in Key.open(done.key).items:
        before, last, recalled, step = texts[item.id]
        turns[item.turn] += 1
        assert before.startswith(
            "Patient: I twisted my ankle.\nDoctor: question of turn 1\nPatient: reply of turn 1"
        )
        assert (
            last
            == f"Doctor: question of turn {item.turn - 1}\nPatient: reply of turn {item.turn - 1}"
        )
        assert recalled == f"• recall of turn {item.turn}"
        assert ("diagnosis" in step) is item.concludes is (item.turn == 6)
        assert f"turn {item.turn}" in step and f"turn {item.turn - 1}" not in before
        assert not re.search(rf"turn {item.turn + 1}", " ".join(texts[item.id]))
    # Before the third turn no memory has anything to recall.
    assert turns == {3: 16, 4: 16, 5: 16, 6: 16}


def test_memories_look_alike_in_both_languages(osler: Run, tmp_path: Path) -> None:
    """A real run: no memory is known by how it numbers its lines, and Chinese talks are labelled in
    Chinese."""
    cases = ["--case", "croup-en", "--case", "croup-zh"]
    memories = ["--memory", "none", "--memory", "raw", "--memory", "tim", "--memory", "tim,k=2"]
    made = osler("simulate", *cases, *memories, "--quiet", "--out", "run")
    assert made.returncode == 0, made.stderr
    done = osler("rate", "export", "run", "-o", "sheet.xlsx", "--per-column", "12")
    assert done.returncode == 0, done.stderr
    assert (
        "rules tim,k=2: 12 items" in done.stdout and "not for raters: sheet.key.json" in done.stdout
    )
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
        assert (
            sum(line.startswith("• ") for text in recalled[memory] for line in text.splitlines())
            >= 12
        )
    everything = "\n".join(text for some in recalled.values() for text in some)
    assert not re.search(r"#\d|Fact|事实|\(turn \d|第\d+轮|^• Turn \d", everything, re.MULTILINE)
    instructions = "\n".join(
        str(row[0]) for row in load_workbook(tmp_path / "sheet.xlsx").worksheets[0].values
    )
    for heard in (
        "Retrieval accuracy: 1",
        "检索准确性",
        "Contextual coherence",
        "语境连贯性",
        key.code,
    ):
        assert heard in instructions


def test_untrusted_texts_stay_texts(tmp_path: Path) -> None:
    attacks = ["=1+1", "+1", "-2+3", "@SUM(A1)", '=HYPERLINK("http://x","y")']

    def attack(what: str, turn: int) -> str:
        return f"{attacks[turn % len(attacks)]}\x00\x1b[31m\u202e\r\n\ufffe" + (
            "𝔸" * 40_000 if what == "reply" else ""
        )

    with a_run(tmp_path / "run.osler", attack, patients=2, questions=lambda number: 7) as run:
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_column=12, seed=0)
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
        assert not any(
            b"<f>" in archive.read(name)
            for name in archive.namelist()
            if name.startswith("xl/worksheets")
        )
    # What was cut and cleaned is still known when it comes back.
    fill(done.sheets[0], lambda item: (1, 1, 1))
    assert len(read_ratings(done.sheets, Key.open(done.key))) == page.max_row - 1


def test_the_sheet_is_made_for_rating(run_file: RunFile, tmp_path: Path) -> None:
    done = export_sheets(run_file, tmp_path / "sheet.xlsx", per_column=3, seed=0)
    page = items_of(done.sheets[0])
    assert page.freeze_panes == "B2" and page.max_row == 13
    rules = {str(rule.sqref): rule.formula1 for rule in page.data_validations.dataValidation}
    assert rules == {"F2:F13": '"0,1"', "G2:G13": '"0,0.5,1"', "H2:H13": '"0,0.5,1"'}
    assert all(cell.alignment.wrap_text and cell.alignment.vertical == "top" for cell in page[2])
    assert all(page.column_dimensions[letter].width >= 9 for letter in "ABCDEFGHI")
    assert page.row_dimensions[2].height is None, (
        "programs fit rows by themselves unless a height is set"
    )
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
        done = export_sheets(run, tmp_path / "sheet.xlsx", per_column=12, seed=5)
    assert set(done.items.values()) == {12} and len(done.items) == 4
    places: dict[tuple[str, int, object], set[object]] = defaultdict(set)
    patients: Counter[str] = Counter()
    for item in Key.open(done.key).items:
        places[item.case, item.trial, "end" if item.concludes else item.turn].add(item.column)
        patients[item.patient] += 1
    assert len(places) == 12 and all(len(systems) == 4 for systems in places.values())
    assert set(patients.values()) == {8}


def test_what_failed_is_not_rated_and_what_is_missing_is_told(osler: Run, tmp_path: Path) -> None:
    # Every second consultation, those of the memory `raw`, failed for good.
    run = a_run(
        tmp_path / "run.osler",
        ending=lambda number: Ending.CONCLUDED if number % 2 else Ending.BACKBONE_FAILURE,
    )
    run.close()
    done = osler("rate", "export", "run.osler", "-o", "sheet.xlsx", "--per-column", "17")
    assert done.returncode == 0, done.stderr
    assert {item.memory for item in Key.open(tmp_path / "sheet.key.json").items} == {"quagga,k=3"}
    assert "Zebra-7B@http://127.0.0.1:9/v1 plain quagga,k=3: 16 items, fewer than 17" in done.stdout
    all_short = a_run(tmp_path / "short.osler", questions=lambda number: 1)
    with all_short, pytest.raises(UserError, match="no moment to rate"):
        export_sheets(all_short, tmp_path / "other.xlsx", per_column=1, seed=0)


def test_the_seed_decides_everything(run_file: RunFile, tmp_path: Path) -> None:
    made = {}
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        (tmp_path / name).mkdir()
        done = export_sheets(
            run_file, tmp_path / name / "sheet.xlsx", per_column=5, seed=seed, raters=2
        )
        made[name] = [path.read_bytes() for path in (*done.sheets, done.key)]
    assert made["a"] == made["b"]
    one, two, other = (
        cells_of(tmp_path / name) for name in ("a/sheet-1.xlsx", "a/sheet-2.xlsx", "c/sheet-1.xlsx")
    )
    assert one == two and list(one) != list(two)
    assert not set(one) & set(other)
    # The order tells nothing: both memories are found in either half.
    systems = {item.id: item.memory for item in Key.open(tmp_path / "a" / "sheet.key.json").items}
    halves = [Counter(systems[item] for item in half) for half in (list(one)[:10], list(one)[10:])]
    assert all(len(half) == 2 for half in halves)


# What is written


def test_nothing_is_replaced_unasked_and_nothing_is_left_half_written(
    run_file: RunFile, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "sheet-2.xlsx").write_text("filled in by Anna")
    with pytest.raises(UserError, match=r"sheet-2\.xlsx is there already"):
        export_sheets(run_file, folder / "sheet.xlsx", per_column=2, seed=0, raters=3)
    assert [path.name for path in folder.iterdir()] == ["sheet-2.xlsx"]
    done = export_sheets(
        run_file, folder / "sheet.xlsx", per_column=2, seed=0, raters=3, force=True
    )
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
        export_sheets(run_file, folder / "blocked.xlsx", per_column=2, seed=0, force=True)
    with pytest.raises(UserError, match="there is no folder"):
        write_table(ratings, tmp_path / "nowhere" / "ratings.csv", force=False)
    with pytest.raises(UserError, match=r"does not end in \.xlsx"):
        export_sheets(run_file, folder / "sheet.csv", per_column=2, seed=0)
    assert not [
        path.name
        for path in folder.iterdir()
        if path.name.startswith(".") or path.name == "blocked.key.json"
    ]
