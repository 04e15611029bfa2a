from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from osler.cli import app
from osler.eval.scoring import EXACT
from osler.runs.events import Ending, Failed, Maker
from osler.runs.plan import Selector
from osler.runs.store import RunFile
from osler.runs.store.scores import scored_consultations
from tests.conftest import LONGEST_WAIT
from tests.play.conftest import Played

LEFT = "You left; what was said is kept in play-doctor as a consultation that broke off, and is not scored.\n"


def test_a_doctor_in_english_from_the_complaint_to_the_score(play: Played) -> None:
    typed = "\nDoes he cough?\n?\nmemory\nWhat did the chest X-ray show?\nend\n \nPneumonia\nBeta-lactam antibiotic\n"
    done = play(typed, "--case", "pneumonia-en")
    assert done.exit_code == 0, done.output
    before, after = done.stdout.split("It is over after 2 of 22 questions.")
    assert "neumonia" not in before and "evofloxacin" not in before
    assert "My dad has been coughing" in before and "consolidation" in before
    assert "give your diagnosis and treatment" in before, "`?` helps"
    assert "4 days" in before.split("+ #1", 1)[1].splitlines()[0], (
        "`memory` shows what was remembered"
    )
    assert (
        "truth: Community-acquired pneumonia\n  correct: exactly a name that the record lists"
        in after
    )
    assert "truth: Levofloxacin\n  unsafe: exactly Beta-lactam antibiotic" in after
    assert "Would harm this patient:\n    Beta-lactam antibiotic: " in after, "and why"
    assert "- Oxygen saturation (Physical Sign)" in after and "- Chest X-ray" not in after
    assert (
        "  1. Lung examination: never asked for\n" in after
        and "  2. Chest X-ray: turn 2\n" in after
    )
    with RunFile.open("play-doctor") as run:
        transcript = run.find(Selector("pneumonia-en", "human", memory="tim", trial=1))
        assert transcript.ending is Ending.CONCLUDED and transcript.turns == 2
        (scored,) = scored_consultations(run, EXACT)
        assert (scored.verdict("diagnosis"), scored.verdict("treatment")) == ("correct", "unsafe")
        assert scored.measures
    shown = CliRunner().invoke(app, ["show", "play-doctor", "pneumonia-en"])
    assert shown.exit_code == 0 and "Doctor: Does he cough?" in shown.stdout
    assert CliRunner().invoke(app, ["compare", "play-doctor"]).exit_code == 0


def test_a_doctor_in_chinese(play: Played) -> None:
    done = play(
        "咳嗽多久了？\n记忆\n？\n结束\n肺炎\n左氧氟沙星\n",
        "--case",
        "pneumonia",
        "--language",
        "zh",
    )
    assert done.exit_code == 0, done.output
    before, after = done.stdout.split("问诊结束，共问了1个问题")
    assert (
        "您是医生。" in before and "肺炎" not in before and "已说的内容作为中断的问诊保存" in before
    )
    assert "第1轮" in before, "what was remembered"
    assert "您：肺炎\n  答案：" in after and "正确：" in after
    assert "从未问到：\n" in after and "应按以下顺序询问：" in after
    assert "osler show play-doctor pneumonia-zh --memory tim --trial 1" in after


def test_a_patient_opposite_the_rules_sees_what_the_record_says_and_answers_in_own_words(
    play: Played,
) -> None:
    done = play(
        "I don't know that, sorry.\n" * 40,
        "--as",
        "patient",
        "--case",
        "gout-en",
        "--memory",
        "raw",
    )
    assert done.exit_code == 0, done.output
    assert "You know nothing about this." in done.stdout and "You know: " in done.stdout
    before, after = done.stdout.split("It is over after")
    assert "gout" not in before.casefold() and "truth: " in after and "the doctor: " in after
    with RunFile.open("play-patient") as run:
        transcript = run.find(Selector("gout-en"))
        assert (
            transcript.header.patient_backbone == "human" and transcript.header.backbone == "rules"
        )
        assert {reply.maker for reply in transcript.replies} == {Maker.HUMAN}
        told = {name for reply in transcript.replies for name in reply.disclosed}
        found = {line for line in done.stdout.splitlines() if line.startswith("  You know: ")}
        assert len(told) < len(found), "who says not to know has told nothing of what is there"


@pytest.mark.parametrize("way", ["quit\n", "", "退出\n"])
def test_who_leaves_loses_nothing(play: Played, small_pool: Path, way: str) -> None:
    done = play(f"Any asthma?\n{way}", "--pool", small_pool, "--case", "sprain")
    assert done.exit_code == 0
    assert done.stdout.endswith(LEFT)
    assert "prain" not in done.stdout, "a patient that was left can be played again"
    with RunFile.open("play-doctor") as run:
        transcript = run.find(Selector("sprain"))
        assert transcript.ending is Ending.DOCTOR_ERROR and transcript.turns == 1
        assert [event.kind for event in transcript.of(Failed)] == ["left"]
        assert not run.judges(), "a failure is never scored"


def test_who_leaves_without_a_word_leaves_no_trace(play: Played, tmp_path: Path) -> None:
    done = play("?\n", "--as", "patient", "--case", "gout-zh")
    assert (
        done.exit_code == 0
        and done.stdout.splitlines()[-1] == "您什么也没说就离开了；没有保存任何内容。"
    )
    assert not list(tmp_path.glob("runs/*"))


def test_each_time_another_patient_and_the_id_only_at_the_end(
    play: Played, small_pool: Path
) -> None:
    ids = {}
    for number in (1, 2, 3):
        done = play("Any asthma?\nend\nno idea\nnothing\n", "--pool", small_pool)
        before, after = done.stdout.split("It is over")
        assert not any(word in before.casefold() for word in ("sprain", "burn"))
        ids[number] = after.split("The patient was ")[1].split(".")[0]
    assert {ids[1], ids[2]} == {"sprain", "burn"}, "none twice while there is another"
    with RunFile.open("play-doctor") as run:
        run.find(Selector(ids[3], trial=2))
        assert run.status().done == 3
    again = play("Any asthma?\nquit\n", "--pool", small_pool, "--out", "other")
    assert again.exit_code == 0
    with RunFile.open("other") as run:
        assert run.cell(1).case == ids[1], "the same seed, the same order"


def test_at_the_limit_the_diagnosis_is_asked_for(play: Played, small_pool: Path) -> None:
    typed = "Any asthma?\n" * 20 + "Sprain of the ankle\nRest\n"
    done = play(typed, "--pool", small_pool, "--case", "sprain")
    assert (
        "No question is left." in done.stdout
        and "It is over after 20 of 20 questions." in done.stdout
    )
    with RunFile.open("play-doctor") as run:
        assert run.find(Selector("sprain")).ending is Ending.TURN_LIMIT


def test_what_is_too_long_or_no_text_is_asked_for_again(play: Played, small_pool: Path) -> None:
    typed = b"x" * 2001 + b"\n\x07\x00\n\xff Any asthma?\x1b[2J\nend\nsprain\nrest\n"
    done = CliRunner().invoke(
        app, ["play", "--pool", str(small_pool), "--case", "sprain"], input=typed
    )
    assert (
        done.exit_code == 0 and "That is 2,001 characters long; use at most 2,000." in done.stdout
    )
    assert "\x1b" not in done.stdout and "1 of 20 questions" in done.stdout
    assert CliRunner().invoke(app, ["show", "play-doctor", "sprain"]).exit_code == 0


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--case", "nobody"], "no record is called 'nobody'; `osler records list` shows the ids"),
        (
            ["--case", "gout"],
            "gout is a patient with several records; give one of gout-en, gout-zh",
        ),
        (
            ["--patient", "human"],
            "both chairs cannot be yours; give a model or `rules` for the one opposite you",
        ),
        (["--memory", "elephant"], "there is no memory 'elephant'"),
        (["--memory", "one-step"], "there is no memory 'one-step'"),
        (["--language", "fr"], "there is no language 'fr'; use en or zh"),
        (["--as", "patient", "--doctor", "gpt"], "gpt"),
        (
            ["--out", "played"],
            "the run runs/played.osler was made with other settings or another version; give",
        ),
    ],
)
def test_what_cannot_be_played_is_said_before_the_first_question(
    play: Played, args: list[str], line: str
) -> None:
    if "--out" in args:
        assert (
            play("No.\nquit\n", "--as", "patient", "--case", "gout-en", "--out", "played").exit_code
            == 0
        )
    done = play("Any pain?\n", *args)
    assert done.exit_code != 0 and line in str(done.exception) and not done.stdout


def test_other_settings_get_a_run_of_their_own(play: Played, small_pool: Path) -> None:
    for seed in ("0", "7", "7"):
        assert play("Any asthma?\nquit\n", "--pool", small_pool, "--seed", seed).exit_code == 0
    with RunFile.open("play-doctor") as first, RunFile.open("play-doctor-2") as second:
        assert (first.status().failed, second.status().failed) == (1, 2)


def test_a_closed_window_is_heard_as_ctrl_c_and_keeps_what_was_said(small_pool: Path) -> None:
    """In a terminal of its own, since Ctrl-C must be heard while a line is read."""
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-c",
        "from osler.cli import main; main()",
        "play",
        "--memory",
        "none",
    ]
    command += ["--pool", str(small_pool), "--case", "sprain"]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.write(ours, b"Any asthma?\n")
    assert process.stdout is not None
    shown = ""
    while shown.count(" left > ") < 2:
        shown += process.stdout.read(1)
    asleep = 0
    while (
        asleep < 10
    ):  # a signal between the prompt and the reading of a line would be heard only after it
        time.sleep(0.02)
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0
    process.send_signal(signal.SIGTERM)
    rest, wrong = process.communicate(timeout=LONGEST_WAIT)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == 130 and not wrong
    assert rest.strip() == LEFT.strip()
    with RunFile.open("play-doctor") as run:
        assert run.find(Selector("sprain")).turns == 1
