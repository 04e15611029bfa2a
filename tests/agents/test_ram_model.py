"""The fitted parts of the retrieval: what is shipped is what `make ram-model` makes from the data
of the repository."""

from __future__ import annotations

import json

import pytest
from training.labels import asks
from training.ram_model import MODEL, digest, manifest, small_slice

from osler.language import Language
from osler.language.lexicon.concept_model import concept_model, concepts_of_texts
from osler.language.lexicon.thesaurus import load

SLICE = {
    Language.EN: {
        "How much in a day?": {"smoking": 0.531, "alcohol": 0.463},
        "Does it wake you?": {"sleep": 0.714, "cough": 0.263},
        "What did it show?": {"fever": 0.763, "chest-x-ray": 0.204},
    },
    Language.ZH: {
        "一天多少？": {"smoking": 0.689, "alcohol": 0.252, "cough": 0.028},
        "晚上怎么样？": {"sleep": 0.951},
        "结果怎么样？": {"chest-x-ray": 0.368, "none": 0.27, "sleep": 0.245},
    },
}
"""What a model of a few concepts, fitted on their examples alone, takes questions to mean that name
none of them."""


def test_the_manifest_is_that_of_the_data_and_of_what_is_shipped() -> None:
    kept = json.loads((MODEL / "manifest.json").read_text(encoding="utf-8"))
    assert kept == manifest(), "run `make ram-model`"
    assert digest(MODEL / "weights.json") == kept["fitted"]["weights.json"]


@pytest.mark.parametrize("language", Language)
def test_a_small_slice_fitted_again_is_as_it_was(language: Language) -> None:
    """The last digits differ between processors; nothing else does."""
    fitted = small_slice(language)
    for question, likely in SLICE[language].items():
        found = dict(
            zip(fitted.concepts, fitted.probabilities(question, language).tolist(), strict=True)
        )
        assert {name: found[name] for name in likely} == pytest.approx(likely, abs=0.01), question


@pytest.mark.parametrize(
    ("question", "concept", "language"),
    [
        ("Do you get winded going up the stairs?", "exertional-dyspnoea", Language.EN),
        ("Has anyone taken pictures of the inside of your skull?", "head-ct", Language.EN),
        ("您平时抽烟吗？", "smoking", Language.ZH),
        ("夜里咳得睡不着吗？", "cough", Language.ZH),
    ],
)
def test_what_a_question_means(question: str, concept: str, language: Language) -> None:
    assert concept in concepts_of_texts([question], language)[0]


@pytest.mark.parametrize("language", Language)
def test_the_model_knows_every_concept_of_its_data(language: Language) -> None:
    known = set(concept_model(language).concepts)
    assert {concept for _, concept in asks(language)} <= known
    assert {concept for group in load("related.yaml") for concept in group} <= known


@pytest.mark.parametrize("language", Language)
def test_a_text_of_unknown_pieces_means_nothing(language: Language) -> None:
    assert concepts_of_texts(["", "☃☃☃"], language) == [{}, {}]
