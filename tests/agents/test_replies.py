"""The pools of replies are whole: entries exist, faults are where they say."""

from __future__ import annotations

import pytest

from osler.language import Language
from osler.records import RecordPool
from tests.agents.replies import FAULTS, KINDS, PARTS, pool


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_reply_of_a_pool_can_be_used(kind: str, language: Language, part: str) -> None:
    records, replies = RecordPool.open(), pool(kind, language, part)
    assert len(replies) == (110 if kind == "good" else 60)
    assert len({one.id for one in replies}) == len(replies)
    for one in replies:
        assert one.reply.strip() and one.question.strip(), one.id
        if one.source == "bundled":
            assert one.record is not None
            record = records.get(one.record)
            assert record.language is language and set(one.entries) <= {
                entry.name for entry in record.entries
            }, one.id
        else:
            assert one.patient is not None and all(
                isinstance(entry, dict) for entry in one.entries
            ), one.id
        if kind == "faulty":
            assert one.fault in FAULTS and one.what is not None and one.what in one.reply, one.id
