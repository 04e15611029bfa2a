"""Key facts of earlier visits: recalled by the exchange that told them, and right by what a reader
finds in an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import osler
from osler.eval.probes.figures import ProbeFigures, probe_figures
from osler.eval.probes.run import Examiner, examine
from osler.language import Language
from osler.settings.run_settings import RunSettings
from tests.agents.scripted import scripted
from tests.eval.probe_cases import always, says
from tests.returning import returning

FACT: dict[Language, dict[str, Any]] = {
    Language.EN: {
        "question": "What illness of the stomach has the patient had?",
        "answer": "A bleeding ulcer in 2019.",
        "accept": ["Ulcer"],
        "outdated": ["Gastritis"],
    },
    Language.ZH: {
        "question": "患者得过什么胃病？",
        "answer": "2019年胃溃疡出血。",
        "accept": ["胃溃疡"],
        "outdated": ["胃炎"],
    },
}
DENIED = {Language.EN: "No, she has never had an ulcer.", Language.ZH: "没有，她从来没得过胃溃疡。"}
BOTH = pytest.mark.parametrize("language", list(Language))


async def figures(
    language: Language,
    folder: Path,
    budget: int,
    examiner: Examiner | None = None,
    *more: dict[str, Any],
) -> ProbeFigures:
    """What becomes of the fact at the end, with the dialogue as memory."""
    exchanges = [
        {"question": "?", "reply": FACT[language]["answer"]},
        {"question": "?", "reply": "x" * 1500},
    ]
    record = returning(
        language,
        visits=[{"date": "2021-03-09", "exchanges": exchanges}],
        key_facts=[{**FACT[language], "visit": 1, "exchanges": [1]}, *more],
    )
    run = await osler.asimulate(
        pool=[record],
        out=folder / f"{budget}.osler",
        visits=True,
        memories=["raw"],
        turns=2,
        budget=budget,
        quiet=True,
    )
    (transcript,) = run.transcripts()
    found = await examine(transcript, record, RunSettings(turns=2, budget=budget), examiner)
    [one] = probe_figures([found], [1], judged=examiner is not None and examiner.judge is not None)
    return one


@BOTH
async def test_a_fact_is_recalled_if_its_exchange_is(language: Language, tmp_path: Path) -> None:
    for budget, recalled in ((2000, 1), (300, 0)):
        found = (await figures(language, tmp_path, budget)).key_facts
        assert {name: figure.value for name, figure in found.shares["at the end"].items()} == {
            "recalled": recalled
        }
        assert found.by_visit[1].value == recalled


@BOTH
@pytest.mark.parametrize(
    ("form", "state"),
    [
        (("denies", "none"), "missing"),
        (("tells", "all"), "right"),
        (("denies", "all"), "right"),
        (("tells", "outdated"), "outdated"),
        (("tells", "part"), "missing"),
        (("nothing", "all"), "missing"),
    ],
)
async def test_an_answer_is_right_by_what_a_reader_finds(
    language: Language, form: tuple[str, str], state: str, tmp_path: Path
) -> None:
    """An answer that denies the ulcer has its name, and is not right."""
    reader, client = scripted(always(says(*form, DENIED[language])))
    examiner = Examiner(scripted(lambda _: DENIED[language])[0], reader)
    shares = (await figures(language, tmp_path, 2000, examiner)).key_facts.shares["at the end"]
    assert {name for name, figure in shares.items() if figure.value == 1} == {"recalled", state}
    asked = next(prompt for prompt in client.prompts if FACT[language]["question"] in prompt)
    assert FACT[language]["answer"] in asked and FACT[language]["outdated"][0] in asked


@BOTH
async def test_without_a_reader_only_a_listed_answer_decides(
    language: Language, tmp_path: Path
) -> None:
    fact = FACT[language]
    listed = {fact["answer"]: "right", fact["accept"][0]: "right", fact["outdated"][0]: "outdated"}
    for answer, state in {**listed, DENIED[language]: None}.items():
        examiner = Examiner(scripted(always(answer))[0])
        shares = (await figures(language, tmp_path, 2000, examiner)).key_facts.shares["at the end"]
        right = {name for name, figure in shares.items() if figure.value == 1}
        assert right == ({"recalled", state} if state else {"recalled"})
        assert state or "missing" not in shares, "nobody read it"


@BOTH
async def test_some_exact_answers_do_not_stand_for_all(language: Language, tmp_path: Path) -> None:
    other = {"question": "X?", "answer": "x", "visit": 1, "exchanges": [2]}
    exact = FACT[language]["answer"]
    examiner = Examiner(scripted(lambda prompt: "y" if "X?" in prompt else exact)[0])
    shares = (await figures(language, tmp_path, 2000, examiner, other)).key_facts.shares[
        "at the end"
    ]
    assert shares.keys() == {"recalled"}
