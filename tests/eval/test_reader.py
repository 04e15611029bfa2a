"""A reader fills in a form, and the verdict follows from it: the whole chain on what a capable
model said."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.eval.judge import truth_of, verdict_on
from osler.eval.reader.exact import exact_opinion
from osler.eval.reader.examination import Examined, Mark, examine
from osler.eval.reader.forms import (
    Course,
    DiagnosisForm,
    LineKind,
    NamedIllness,
    Relation,
    Rest,
    RubricAnswer,
    RubricLine,
    Standing,
    TreatmentForm,
    verdict_on_diagnosis,
    verdict_on_treatment,
)
from osler.eval.reader.labelled_pairs import KINDS, LabelledPair, labelled_pairs, read_pairs
from osler.eval.reader.model_judge import ModelJudge
from osler.eval.verdict import Opinion, Verdict
from osler.language import Language
from osler.records import RecordPool
from osler.records.schema import Diagnosis, Treatment
from tests.agents.scripted import scripted

FOLDER = Path(__file__).parent
POOL = RecordPool.open()
EXAMPLES: list[dict[str, Any]] = yaml.safe_load(
    (FOLDER / "reader_examples.yaml").read_text("utf-8")
)
FORMS: dict[str, list[str]] = json.loads((FOLDER / "reader_forms.json").read_text("utf-8"))
"""What a capable model answered to the prompts on the examples, word for word."""


def truth_and_language(example: dict[str, Any]) -> tuple[Diagnosis | Treatment, Language]:
    if "truth" in example:
        return Diagnosis.model_validate(example["truth"]), Language.EN
    record = POOL.get(example["record"])
    return truth_of(example["kind"], record), record.language


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
async def test_what_rules_judged_wrong_and_what_tries_to_win_is_judged_right(
    example: dict[str, Any],
) -> None:
    truth, language = truth_and_language(example)
    assert exact_opinion(truth, example["answer"]) is None, (
        "nothing but an exact name is decided without a reader"
    )
    said = iter(FORMS[example["id"]])
    judge = ModelJudge(scripted(lambda _: next(said))[0])
    opinion = await judge.pair(truth, example["answer"], language)
    assert opinion.verdict == example["verdict"], opinion.because
    assert opinion.rung == "reader" and next(said, None) is None


# What follows from a form


def illness(standing: str, relation: str) -> NamedIllness:
    return NamedIllness(words="x", standing=Standing(standing), relation=Relation(relation))


@pytest.mark.parametrize(
    ("illnesses", "verdict"),
    [
        ([], "none"),
        ([illness("present", "same")], "correct"),
        ([illness("present", "narrower"), illness("present", "complication")], "correct"),
        ([illness("present", "same"), illness("present", "background")], "correct"),
        ([illness("present", "same"), illness("possible", "different")], "correct"),
        ([illness("present", "same"), illness("denied", "same")], "correct"),
        ([illness("present", "broader")], "partial"),
        ([illness("present", "sibling")], "partial"),
        ([illness("choice", "same"), illness("choice", "different")], "partial"),
        ([illness("present", "same"), illness("present", "different")], "partial"),
        ([illness("choice", "same"), *[illness("choice", "different")] * 2], "wrong"),
        ([illness("choice", "broader"), *[illness("choice", "different")] * 2], "wrong"),
        ([illness("present", "different"), illness("possible", "same")], "wrong"),
        ([illness("present", "cause")], "wrong"),
        ([illness("denied", "same"), illness("past", "same"), illness("relative", "same")], "none"),
    ],
)
def test_the_verdict_on_a_diagnosis_follows_from_the_form(
    illnesses: list[NamedIllness], verdict: str
) -> None:
    assert verdict_on_diagnosis(DiagnosisForm(summary="s", illnesses=illnesses)).verdict == verdict


@given(
    st.lists(st.tuples(st.sampled_from(Standing), st.sampled_from(Relation)), max_size=5),
    st.randoms(use_true_random=False),
)
def test_the_order_of_illnesses_decides_nothing(
    named: list[tuple[Standing, Relation]], random: Any
) -> None:
    illnesses = [
        NamedIllness(words="x", standing=standing, relation=relation)
        for standing, relation in named
    ]
    shuffled = random.sample(illnesses, len(illnesses))
    verdicts = {
        verdict_on_diagnosis(DiagnosisForm(summary="", illnesses=some)).verdict
        for some in (illnesses, shuffled)
    }
    assert len(verdicts) == 1


RUBRIC = [
    RubricLine(LineKind.PART, ("Salbutamol",)),
    RubricLine(LineKind.PART, ("Prednisolone",)),
    RubricLine(LineKind.WHOLE, ("Salbutamol and prednisolone",)),
    RubricLine(LineKind.WHOLE, ("Terbutaline and prednisolone",)),
    RubricLine(LineKind.UNSAFE, ("Propranolol",), "it narrows the airways"),
]
R, P, E, C, D, F, N = Course
# recommended, in part, either this or another, conditional, deferred, forbidden, not mentioned


def plan(*courses: Course, treats: bool = True, rest: Rest = Rest.SAFE) -> TreatmentForm:
    lines = [
        RubricAnswer(line=number, words="x", course=course)
        for number, course in enumerate(courses, 1)
    ]
    return TreatmentForm(summary="s", treats=treats, lines=lines, rest=rest, rest_words="")


@pytest.mark.parametrize(
    ("form", "verdict"),
    [
        (plan(R, R, N, N, N), "correct"),
        (plan(N, N, N, R, F), "correct"),
        (plan(R, R, P, N, D), "correct"),
        (plan(R, N, P, N, N), "partial"),
        (plan(R, C, P, N, N), "partial"),
        (plan(P, N, N, N, N), "partial"),
        (plan(N, N, N, E, N), "partial"),
        (plan(N, N, N, N, N), "wrong"),
        (plan(F, F, F, N, N), "wrong"),
        (plan(R, R, R, N, N, rest=Rest.HARMFUL), "wrong"),
        (plan(N, N, N, N, N, treats=False), "none"),
        (plan(R, R, R, N, R), "unsafe"),
        (plan(R, R, R, N, E), "unsafe"),
        (plan(R, R, R, N, C), "unsafe"),
        (plan(R, R, R, N, P), "unsafe"),
        (plan(N, N, N, N, R, treats=False), "unsafe"),
    ],
)
def test_the_verdict_on_a_plan_follows_from_the_form(form: TreatmentForm, verdict: str) -> None:
    found = verdict_on_treatment(form, RUBRIC)
    assert found.verdict == verdict and found.reason


async def test_a_form_that_leaves_a_line_out_is_asked_for_again() -> None:
    treatment = Treatment.model_validate(
        {
            "name": "A and B",
            "parts": [{"name": "A"}, {"name": "B"}],
            "unsafe": [{"name": "C", "because": "d"}],
        }
    )
    whole = plan(R, R, N, F).model_dump(mode="json")
    for line, words in zip(whole["lines"], ("A", "B", "", "no C"), strict=True):
        line["words"] = words
    short = {**whole, "lines": whole["lines"][:3]}
    said = iter([json.dumps(short), json.dumps(whole)])
    backbone, client = scripted(lambda _: next(said))
    opinion = await ModelJudge(backbone).pair(treatment, "A, B, no C", Language.EN)
    assert opinion.verdict is Verdict.CORRECT and "line 4 is missing" in client.prompts[1]


# What needs no reader


@pytest.mark.parametrize(
    ("answer", "is_exact"),
    [
        ("Acute gouty arthritis", True),
        ("acute  GOUTY arthritis.", True),
        ("Ａcute gouty arthritis", True),
        ("Acute gout (gout flare)", True),
        ("M10.0", True),
        ("Acute gouty arthritis of the knee", False),
        ("Acute gouty arthritis?", True),
        ("Acute gouty arthritis (his father)", False),
        ("No gout", False),
        ("M10", False),
        ("", False),
    ],
)
async def test_exactly_a_name_of_the_record_is_right_without_a_reader(
    answer: str, is_exact: bool
) -> None:
    record = POOL.get("gout-en")
    opinion = exact_opinion(record.diagnosis, answer)
    assert (opinion is not None) == is_exact
    if opinion is not None:
        assert opinion.verdict is Verdict.CORRECT and opinion.rung == "exact"
        assert await verdict_on("diagnosis", answer, record, Nobody()) == opinion


class Nobody:
    """A judge that may not be asked."""

    name = "nobody"

    async def judge(self, *_: object) -> Opinion:
        """Fail."""
        raise AssertionError("a reader was asked about an exact name")


# The labelled pairs, and a mark


def test_the_labelled_pairs_are_many_and_of_all_kinds() -> None:
    pairs = [pair for language in Language for pair in labelled_pairs(language)]
    assert len(pairs) >= 300 and len({pair.id for pair in pairs}) == len(pairs)
    styles = {style for pair in pairs for style in pair.style}
    assert styles >= {
        "verbose",
        "hedged",
        "denied",
        "listed",
        "staged",
        "injected",
        "full",
        "family",
        "past",
    }
    for kind in KINDS:
        some = [pair for pair in pairs if pair.kind == kind]
        assert {pair.verdict for pair in some} >= {"correct", "partial", "wrong", "none"}
        assert (
            max(sum(pair.verdict == verdict for pair in some) for verdict in Verdict)
            < len(some) / 2
        )


def test_no_illness_is_in_both_halves() -> None:
    for language in Language:
        held_out = [
            pair
            for kind in KINDS
            for pair in read_pairs(FOLDER / "held_out" / f"{kind}_{language}.jsonl")
        ]
        assert len(held_out) == 80
        for kind in KINDS:
            ours = {_topic(pair) for pair in labelled_pairs(language) if pair.kind == kind}
            theirs = {_topic(pair) for pair in held_out if pair.kind == kind}
            assert ours.isdisjoint(theirs)


def _topic(pair: LabelledPair) -> str:
    return pair.truth.name if pair.kind == "diagnosis" else pair.diagnosis


async def test_a_mark_is_100_for_who_says_what_people_say_and_tells_what_was_missed() -> None:
    pairs = labelled_pairs(Language.EN)
    by_answer = {pair.answer: pair.verdict for pair in pairs}

    class Person:
        async def pair(self, truth: object, answer: str, *_: object) -> Opinion:
            return Opinion(by_answer[answer], tokens=3)

    found = await examine(Person(), "person", pairs, asyncio.Semaphore(4))
    mark = found.mark("treatment", Language.EN)
    assert mark is not None and (
        mark.kappa,
        mark.decided,
        mark.unsafe_found,
        mark.false_alarms,
    ) == (1, 1, 1, 0)
    assert found.mark("diagnosis", Language.ZH) is None and found.tokens == 3 * len(pairs)
    blind = [Examined(pair, Opinion(Verdict.CORRECT)) for pair in pairs if pair.kind == "treatment"]
    worst = Mark.of(blind)
    assert worst.kappa == 0 and worst.unsafe_found == 0 and "unsafe found 0.0%" in str(worst)
