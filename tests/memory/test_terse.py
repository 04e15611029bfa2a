"""Statements as notes: what says nothing is left out, and nothing else."""

import pytest

from osler.language import Language
from osler.memory.tim.terse import terse

EN, ZH = Language.EN, Language.ZH


@pytest.mark.parametrize(
    ("language", "said", "note"),
    [
        (EN, "the scan says the veins behind my left knee are widened", "veins behind left knee are widened"),
        (EN, "they found no sac in my womb", "no sac in womb"),
        (EN, "2140, it should be up to 60", "2140 (<60)"),
        (EN, "94, it should be above 95", "94 (>95)"),
        (EN, "let me think, about 6 months now", "about 6 months now"),
        (EN, "it's a dull ache low on the right", "a dull ache low on right"),
        (ZH, "单子上写着白细胞120", "白细胞120"),
        (ZH, "右眼整个都红，大夫说结膜充血", "右眼整个都红，结膜充血"),
        (ZH, "5年，您放心，控制得挺好", "5年，控制得挺好"),
    ],
)
def test_what_tells_nothing_is_left_out(language: Language, said: str, note: str) -> None:
    assert terse(said, language) == note


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (EN, "20 a day for 45 years"),
        (EN, "not just at night"),
        (EN, "there all the time"),
        (EN, "it was not swollen"),
        (EN, "my"),
        (ZH, "没吐过，也没拉肚子"),
        (ZH, "大夫说"),
    ],
)
def test_what_tells_something_stays(language: Language, said: str) -> None:
    assert terse(said, language) == said
