"""Questions taken apart: every room must see the same asks in one question."""

import pytest

from osler.agents.lexicon.asks import separate_asks
from osler.agents.ram import read_intent
from osler.records.language import Language

QUESTIONS = [
    (Language.EN, "Any fever, and do you smoke?", 3),
    (Language.EN, "When did it begin? Was it sudden, or did it build up; and does it spread as well as hurt?", 6),
    (Language.EN, "Do you smoke?", 1),
    (Language.EN, "Have you had a D-dimer test, and what did it show?", 1),
    (Language.EN, "And, or, so?", 1),
    (Language.ZH, "您抽烟或者喝酒吗？还有别的吗？", 3),
    (Language.ZH, "您抽烟吗？", 1),
    (Language.ZH, "做过胸片、心电图吗？结果怎么样？", 3),
]


@pytest.mark.parametrize(("language", "question", "count"), QUESTIONS)
def test_the_interview_and_the_retrieval_module_see_the_same_asks(
    language: Language, question: str, count: int
) -> None:
    asks = separate_asks(question, language)
    assert len(asks) == count
    assert asks == [ask.text for ask in read_intent(question, language).asks]


@pytest.mark.parametrize(("language", "question", "count"), QUESTIONS)
def test_a_part_of_a_question_has_no_parts(language: Language, question: str, count: int) -> None:
    """A guard takes what was heard in a part with the whole question for what is heard in the part alone."""
    for part in separate_asks(question, language)[1:]:
        assert separate_asks(part, language) == [part]
