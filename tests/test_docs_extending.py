"""Every block of docs/extending.md runs: seven extensions from outside the package, a team, and
classes in Python."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import osler
from tests.conftest import LONGEST_WAIT, REPO

PAGE = (REPO / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXTENSIONS, TEAM, CLASSES = BLOCKS[:7], BLOCKS[7], BLOCKS[8]
[REGISTERED] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CARD = "id: sam\npatient: sam\nlanguage: en\nage: 40 years\nsex: male\ncomplaint: My toe hurts.\nspecialty: rheumatology\n"
CARD += "name: toe pain\nfinding: since last night, red and swollen\ndiagnosis: Gout\n"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with all seven, as pip would install it."""
    (tmp_path / "my_osler.py").write_text("\n".join(EXTENSIONS), encoding="utf-8")
    about = tmp_path / "my_osler-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-osler\nVersion: 1.0\n", encoding="utf-8"
    )
    points = REGISTERED.replace('[project.entry-points."', "[").replace('"]', "]").replace('"', "")
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _osler(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "osler", *words],
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_each_extension_takes_at_most_twenty_lines() -> None:
    assert len(EXTENSIONS) == 7
    for code in EXTENSIONS:
        assert sum(bool(line.strip()) for line in code.splitlines()) <= 20


@pytest.mark.parametrize("by_path", [False, True], ids=["entry point", "path"])
def test_memory_doctor_backbone_format_judge_and_measure_from_outside(
    installed: Path, by_path: bool
) -> None:
    (installed / "visits.cards").write_text(
        f"{CARD}---\n{CARD.replace('sam', 'kim')}", encoding="utf-8"
    )
    memory, doctor, backbone, judge = (
        (
            "my_osler:LastWords",
            "my_osler:OneQuestion",
            "my_osler:parrot sentence=Gout",
            "my_osler:ExactJudge",
        )
        if by_path
        else ("last-words", "one-question", "parrot sentence=Gout", "exact")
    )
    shown = _osler(
        *(
            "simulate",
            "--pool",
            "visits.cards",
            "--memory",
            memory,
            "--strategy",
            doctor,
            "--backbone",
            backbone,
        ),
        *("--patient", "rules", "--out", "mine", "--quiet"),
    )
    with osler.load_run(installed / "runs" / "mine.osler") as run:
        assert run.about["settings"]["tone"] == "calm"
    told = _osler("score", "mine", "--judge", judge)
    assert "2 correct" in told
    with osler.load_run(installed / "runs" / "mine.osler") as run:
        scores = run.scores(judge="exact/1")
        # Measures of installed packages are read once, so this process does not know this one.
        counted = [each.measures.number("letters") for each in run.consultations()]
        assert all(counted) and "letters of the patient (mean)" in shown
        assert set(scores["record"]) == {"sam", "kim"}
        assert list(scores["diagnosis"]) == ["Gout", "Gout"]
        assert scores["diagnosis_right"].eq(1).all()
        assert scores["strategy"].eq(doctor).all() and scores["memory"].eq(memory).all()
        turns = run.turns()
        assert turns["question"].eq("Gout").all() and turns["question_maker"].eq("model").all()


def test_a_team_of_autogen_agents_concludes(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(TEAM, "extending.md", "exec"), {})
    assert capsys.readouterr().out.strip()


def test_classes_are_given_in_python(installed: Path) -> None:
    script = f"{CLASSES}assert len(run.scores()) == 2\n"
    for _ in range(2):  # the second call resumes
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=LONGEST_WAIT
        )
        assert done.returncode == 0, done.stderr
    with osler.load_run(installed / "runs" / "classes.osler") as run:
        scores = run.scores()
        assert (
            set(scores["memory"]) == {"my_osler:LastWords", "raw"}
            and run.file.status().attempts == 2
        )
        assert set(scores["strategy"]) == {"my_osler:OneQuestion"} and set(scores["backbone"]) == {
            "my_osler:parrot"
        }


def test_a_failure_is_printed_as_the_page_shows_it(installed: Path) -> None:
    [shown] = re.findall(
        r"^```text\n(osler: your own code.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    broken = "\n".join(EXTENSIONS).replace("self.turns = [turn]", "return 1 / 0")
    (installed / "my_osler.py").write_text(broken, encoding="utf-8")
    command = (
        "simulate",
        "--case",
        "gout-en",
        "--memory",
        "my_osler:LastWords",
        "--turns",
        "2",
        "--quiet",
    )
    done = subprocess.run(
        [sys.executable, "-m", "osler", *command, "--out", "new"],
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
    )
    assert done.returncode == 1 and done.stderr.startswith(shown), done.stderr
