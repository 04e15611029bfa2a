"""`import osler` from a script and from a running event loop, as a user would."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.errors import UserError

CASES = ["gout-en", "gout-zh", "migraine-en"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> osler.Run:
    out = tmp_path_factory.mktemp("face") / "run.osler"
    return osler.simulate(cases=CASES, memories=["none", "raw"], out=out, turns=4, quiet=True)


def test_every_public_name_can_be_imported() -> None:
    for name in osler.__all__:
        assert getattr(osler, name) is not None
    with pytest.raises(AttributeError):
        _ = osler.nothing


def test_importing_osler_is_cheap() -> None:
    code = "import osler, sys; assert osler.__version__; print([m for m in ('pandas', 'autogen_core') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
        == "[]"
    )


def test_scores_have_a_row_per_consultation(run: osler.Run) -> None:
    scores = run.scores()
    assert len(scores) == 6
    assert set(scores["memory"]) == {"none", "raw"}
    assert "6 of 6" in repr(run)


def test_turns_have_a_row_per_question(run: osler.Run) -> None:
    turns = run.turns()
    assert len(turns) == run.scores()["turns"].sum()
    one = turns[(turns["case"] == "gout-en") & (turns["memory"] == "raw")].sort_values("turn")
    assert list(one["turn"]) == [1, 2, 3, 4]
    assert one["question"].str.len().gt(0).all() and one["reply"].str.len().gt(0).all()
    assert set(one["question_maker"]) == {"rules"}
    assert (one["recall"].fillna("").str.len() > 0).any()
    assert {"asked_for", "handed_out", "tokens_in", "reply_maker"} <= set(turns.columns)


def test_events_are_the_transcript(run: osler.Run) -> None:
    events = run.events()
    told = sum(len(transcript.events) for transcript in run.transcripts())
    assert len(events) == told
    assert {"asked", "answered", "concluded"} <= set(events["type"])


def test_compare_is_a_table(run: osler.Run) -> None:
    table = run.compare(against="none")
    diagnosis = table[table["measure"] == "diagnosis_right"]
    assert set(diagnosis["memory"]) == {"none", "raw"}
    assert diagnosis["n"].eq(3).all()
    assert diagnosis.set_index("memory").loc["raw", "against"] is not None


def test_the_same_call_resumes(run: osler.Run) -> None:
    before = run.scores()
    again = osler.simulate(cases=CASES, memories=["none", "raw"], out=run.path, turns=4, quiet=True)
    assert list(again.scores()["number"]) == list(before["number"])
    assert len(again.events()) == len(run.events())


def test_simulate_works_where_a_loop_is_running(tmp_path: Path) -> None:
    async def cell() -> osler.Run:
        return osler.simulate(cases=["gout-en"], out=tmp_path / "a", turns=2, quiet=True)

    assert len(asyncio.run(cell()).scores()) == 1


async def test_asimulate_can_be_awaited(tmp_path: Path) -> None:
    run = await osler.asimulate(cases=["gout-zh"], out=tmp_path / "a", turns=2, quiet=True)
    assert len(run.scores()) == 1


def test_records_of_ones_own_are_a_pool(tmp_path: Path) -> None:
    record = next(iter(osler.RecordPool.open().only(ids=["gout-en"])))
    mine = record.model_copy(update={"id": "mine", "patient": "mine"})
    run = osler.simulate(pool=[mine], out=tmp_path / "a", turns=2, quiet=True)
    assert list(run.scores()["record"]) == ["mine"]


def test_a_wrong_language_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no language 'fr'"):
        osler.simulate(languages=["fr"], out=tmp_path / "a", quiet=True)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"memory": ["none"]}, "no option 'memory'; did you mean 'memories'"),
        ({"memories": "none"}, r"memories is one text; give a list: memories=\['none'\]"),
    ],
)
def test_a_wrong_option_is_refused_and_never_ignored(
    tmp_path: Path, options: dict[str, Any], line: str
) -> None:
    with pytest.raises(UserError, match=line):
        osler.simulate(out=tmp_path / "a", quiet=True, **options)
    assert not list(tmp_path.iterdir())
