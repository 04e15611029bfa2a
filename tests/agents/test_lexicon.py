"""The lexicon: which things a text speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.language.lexicon import Phrases, answered_by, concepts, named
from osler.language.lexicon.thesaurus import thesaurus_terms
from osler.records import Language


def test_half_of_a_phrase_by_weight_is_needed() -> None:
    phrases = Phrases.of(
        [("burning chest", "heartburn"), ("cold chest", "chill"), ("cold feet", "feet")],
        Language.EN,
    )
    assert phrases.find("a burning in the chest") == {"heartburn": 1.0, "chill": pytest.approx(0.5)}
    assert "heartburn" in phrases.find("something burning") and "heartburn" not in phrases.find(
        "the chest"
    )
    assert phrases.find("nothing of this") == {}


def test_what_one_word_means_is_not_meant_by_the_run_it_stands_in() -> None:
    phrases = Phrases.of([("throw up", "vomiting"), ("fever", "fever")], Language.EN)
    assert phrases.find("do you throw up often") == {"vomiting": 1.0}
    assert phrases.find("can you throw a ball") == {}


def test_a_text_is_about_what_covers_most_of_it() -> None:
    phrases = Phrases.of([("night sweats", "sweats"), ("cough", "cough")], Language.EN)
    best = phrases.best("a cough and night sweats")
    assert best["sweats"] > best["cough"] > 0.0
    assert phrases.best("cough") == {"cough": pytest.approx(1.0)}


@pytest.mark.parametrize(
    ("text", "thing", "language"),
    [("have you vomited", "vomiting", Language.EN), ("有没有呕吐", "vomiting", Language.ZH)],
)
def test_things_are_known_by_their_names_in_both_languages(
    text: str, thing: str, language: Language
) -> None:
    assert named(language).find(text)[thing] == concepts(language).find(text)[thing] == 1.0


@pytest.mark.parametrize(
    ("text", "thing", "language"),
    [
        ("illnesses in the family", "own-idea", Language.EN),
        ("pain at night", "home", Language.EN),
        ("家里人得过什么病", "own-idea", Language.ZH),
    ],
)
def test_an_idiom_of_which_a_common_word_is_left_names_nothing(
    text: str, thing: str, language: Language
) -> None:
    assert thing not in concepts(language).find(text)


@pytest.mark.parametrize("language", list(Language))
def test_the_terms_of_the_thesaurus_are_the_same_from_the_cache(
    language: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.language.lexicon.thesaurus.private_cache", lambda _: tmp_path)
    work_out = thesaurus_terms.__wrapped__
    made = work_out(language)
    assert [*tmp_path.iterdir()] and work_out(language) == made


def test_near_things_answer_for_each_other_only_where_they_do() -> None:
    assert "implants-metal" in answered_by("operations")
    assert "siblings-number" not in answered_by("family-illnesses")
    assert "mri" in answered_by("brain-mri") and "brain-mri" not in answered_by("mri")
    assert "alcohol" not in answered_by("smoking") and "smoking" not in answered_by("alcohol")
