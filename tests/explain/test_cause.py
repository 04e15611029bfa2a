"""One cause for every lost consultation, from what turned it right and where key entries got
lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from osler.eval.causes import Cause
from osler.explain.cause import KeyEntries, cause_of, found
from osler.explain.steps import ExplainStep

names = st.dictionaries(st.text("abc", min_size=1, max_size=2), st.integers(1, 9), max_size=3)
keys = st.builds(
    KeyEntries, names, names, names, st.lists(st.text("xyz", min_size=1), max_size=3).map(tuple)
)
steps = st.sampled_from([*ExplainStep, None])


@given(steps, keys, st.integers(1, 20))
def test_every_loss_has_one_cause_that_fits_its_step(
    step: ExplainStep | None, key: KeyEntries, last: int
) -> None:
    end = found(step, key, last)
    assert end.cause is cause_of(step, key) is not Cause.JUDGE
    assert (end.cause is Cause.KNOWLEDGE) == (step is None)
    assert end.line and "\n" not in end.line and all(name in end.line for name in end.missing)
    if end.cause in (Cause.KNOWLEDGE, Cause.CONCLUSION):
        assert end.lost_at == last and not end.missing
    elif end.cause is Cause.INQUIRY:
        assert end.lost_at is None and end.missing == key.unasked
    else:
        lost = {
            Cause.MEMORY: key.unrecalled,
            Cause.PATIENT: key.untold,
            Cause.RETRIEVAL: key.unbrought,
        }[end.cause]
        assert end.missing == tuple(lost) and end.lost_at == next(iter(lost.values()), None)


@given(keys)
def test_what_only_the_whole_record_tells_was_missing_at_the_first_link_that_lost_it(
    key: KeyEntries,
) -> None:
    cause = cause_of(ExplainStep.RECORD, key)
    assert (cause is Cause.INQUIRY) == bool(key.unasked)
    nothing = not (key.unasked or key.unbrought or key.untold)
    assert (cause is Cause.CONCLUSION) == nothing


def test_a_doctor_that_is_right_at_once_missed_nothing() -> None:
    key = KeyEntries(unrecalled={"a": 1}, unasked=("b",))
    assert cause_of(ExplainStep.SAME, key) is Cause.CONCLUSION
    assert cause_of(ExplainStep.HANDED, key) is Cause.CONCLUSION, (
        "the patient told all it was handed"
    )
    assert cause_of(ExplainStep.HANDED, KeyEntries(untold={"a": 1})) is Cause.PATIENT
