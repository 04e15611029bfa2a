"""Words of a text: how Chinese is segmented and English brought to one form."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.language import words as reading
from osler.language.words import canonical, content, stem, words
from osler.private import private_cache
from osler.records import Language, RecordPool

_CHINESE = re.compile(r"[\u4e00-\u9fff]+")


@pytest.fixture
def forgetful() -> Iterator[None]:
    """Nothing is remembered from before, nor afterwards."""
    remembered = (reading._tokenizer, reading._segments, reading.words, reading.content)
    for each in remembered:
        each.cache_clear()
    yield
    for each in remembered:
        each.cache_clear()


def test_british_words_are_american_ones_and_nothing_else() -> None:
    assert stem("tumours") == stem("tumor") and stem("colour") == stem("color")
    assert stem("sour") != stem("sore") and stem("four") != stem("for")


def test_endings_fall_off_and_meanings_stay_apart() -> None:
    assert stem("allergies") == stem("allergy") and stem("vomiting") == stem("vomited")
    assert stem("tummy") != stem("abdomen"), "only what compares meanings takes them for one"
    assert canonical(stem("tummy")) == canonical(stem("abdomen")) and canonical("fever") == "fever"


def test_the_name_of_a_relative_is_content() -> None:
    assert "father" in content("My father had a stroke", Language.EN)
    assert "父亲" in content("我父亲得过中风", Language.ZH)


def test_chinese_is_segmented_as_jieba_does_without_guessing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("WARNING")
    jieba.dt.tmp_dir = str(tmp_path)
    records = [record for record in RecordPool.open() if record.language is Language.ZH]
    texts = {
        run
        for record in records
        for entry in record.entries
        for run in _CHINESE.findall(entry.report)
    }
    assert len(texts) > 500
    for text in sorted(texts):
        assert words(text, Language.ZH) == tuple(jieba.cut(text.replace("疼", "痛"), HMM=False)), (
            text
        )


@pytest.mark.parametrize("kept", [b"", b"no dictionary", None])
def test_a_dictionary_that_is_not_kept_or_broken_is_made_anew(
    kept: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgetful: None
) -> None:
    for place in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(place, str(tmp_path))
    if kept is not None:
        folder = private_cache("words")
        assert folder is not None
        (folder / "jieba.cache").write_bytes(kept)
    assert words("昨天晚上肚子疼得厉害", Language.ZH) == ("昨天晚上", "肚子痛", "得", "厉害")
