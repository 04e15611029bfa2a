"""Earlier visits in a record: what is refused, what is shown, and that a record without them is as
it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.language import Language
from osler.records import RecordPool
from osler.records.visits import KeyFact, past_exchanges
from tests.conftest import Run, small_record
from tests.records.test_formats import LOSSLESS, there_and_back
from tests.returning import KEY_FACTS, VISITS, returning

LANGUAGES = pytest.mark.parametrize("language", list(Language))
EN = Language.EN


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"visits": VISITS[EN][::-1]},
            "visits: visit 2 is on 2021-03-09, not after 2023-11-20; put the oldest first",
        ),
        (
            {"date": "2023-11-20"},
            "visits: visit 2 is on 2023-11-20, not before the record's date 2023-11-20",
        ),
        (
            {"date": None},
            "date: is missing; a record with earlier visits needs the date of the last one",
        ),
        (
            {"earlier": ["Gout"]},
            "earlier: no entry is called 'Gout'; use the name or an alias of an entry",
        ),
        (
            {"visits": None, "key_facts": None},
            "earlier: there are no visits at which these were told",
        ),
        (
            {"visits": None, "earlier": None},
            "key_facts: there are no visits that they could be from",
        ),
        ({"key_facts": [{**KEY_FACTS[EN][0], "visit": 3}]}, "is from visit 3, and there are 2"),
        (
            {"key_facts": [{**KEY_FACTS[EN][0], "exchanges": [4]}]},
            "is from exchange 4 of visit 2, which has 3",
        ),
        (
            {"visits": [{**VISITS[EN][0], "exchanges": []}]},
            "visits[0].exchanges: is []; tuple should have at least 1",
        ),
        ({"visits": [{**VISITS[EN][0], "date": "March"}]}, "visits[0].date: is 'March'"),
    ],
)
def test_visits_that_do_not_fit_together_are_refused_in_one_line(
    changes: dict[str, Any], line: str, tmp_path: Path, osler: Run
) -> None:
    fields = {**returning(EN).model_dump(mode="json"), **changes}
    path = tmp_path / "bad.jsonl"
    path.write_text(
        json.dumps({name: value for name, value in fields.items() if value is not None})
    )
    refused = osler("records", "validate", path)
    assert refused.returncode == 2
    assert line in refused.stderr


@LANGUAGES
def test_a_page_shows_the_visits_and_what_should_be_known(
    language: Language, tmp_path: Path, osler: Run
) -> None:
    record = returning(language)
    there_and_back(record, "yaml", tmp_path)
    page = osler("records", "show", record.id, "--pool", tmp_path).stdout
    for visit in record.visits:
        assert str(visit.date) in page
        assert all(exchange.reply[:20] in page for exchange in visit.exchanges)
    assert record.key_facts[1].question in page


@LANGUAGES
@pytest.mark.parametrize("name", LOSSLESS)
def test_visits_come_back_equal_from_every_format(
    name: str, language: Language, tmp_path: Path
) -> None:
    record = returning(language)
    assert there_and_back(record, name, tmp_path) == record


def test_a_record_without_visits_is_written_as_before(tmp_path: Path, osler: Run) -> None:
    there_and_back(
        returning(EN, date=None, visits=None, earlier=None, key_facts=None), "yaml", tmp_path
    )
    told = json.loads(osler("records", "show", "throat-en", "--pool", tmp_path, "--json").stdout)
    assert not {"date", "earlier", "visits", "key_facts"} & told.keys()
    assert told.keys() >= small_record().keys() - {"exam_order"}


def test_texts_in_groups_of_earlier_versions_are_left_out() -> None:
    given = {**KEY_FACTS[EN][1], "accept": [["10 mg", "ten"], ["daily"]], "outdated": [["5 mg"]]}
    fact = KeyFact.model_validate(given)
    assert fact.accept == fact.outdated == ()


def test_every_bundled_visit_tells_its_key_facts() -> None:
    returning_patients = [record for record in RecordPool.open() if record.visits]
    assert {record.patient for record in returning_patients} == {
        record.patient for record in returning_patients if record.language is Language.ZH
    }
    for record in returning_patients:
        said = [
            "\n".join(one.text for one in past_exchanges([v], record.speaker))
            for v in record.visits
        ]
        assert (
            record.earlier and record.key_facts and any(fact.outdated for fact in record.key_facts)
        ), record.id
        for fact in record.key_facts:
            assert fact.exchanges, (record.id, fact.question)
            before = "\n".join(said[: fact.visit - 1]).casefold()
            assert all(text.casefold() in before for text in fact.outdated), (
                record.id,
                fact.question,
            )
