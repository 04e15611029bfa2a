"""Which entries a reply tells of."""

from __future__ import annotations

import pytest

from osler.agents.disclosure import disclosed_entries
from osler.records import RecordPool

POOL = RecordPool.open()


@pytest.mark.parametrize(
    ("record_id", "denial", "refusal", "absent"),
    [
        ("gout-en", "No, none of that.", "I'm sorry, but I can't assist with that.", "Fever"),
        ("gout-zh", "没有。", "抱歉，我无法回答这个问题。", "发热"),
    ],
)
def test_a_denial_tells_what_is_absent_and_a_refusal_tells_nothing(
    record_id: str, denial: str, refusal: str, absent: str
) -> None:
    record = POOL.get(record_id)
    assert absent in disclosed_entries(denial, record.entries, record.language)
    assert disclosed_entries(refusal, record.entries, record.language) == ()
