from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.records.fields import ExamOrder


def pairs(text: str) -> set[tuple[str, str]]:
    return set(ExamOrder.parse(text).before(lambda name: name))


def test_before_and_same_rank() -> None:
    assert pairs("Ultrasound > MRI = CT") == {("Ultrasound", "MRI"), ("Ultrasound", "CT")}


def test_it_is_transitive_over_chains_that_share_a_name() -> None:
    assert pairs("A > B; B > C") == {("A", "B"), ("B", "C"), ("A", "C")}
    assert pairs("A > B; C > D") == {("A", "B"), ("C", "D")}


def test_same_rank_carries_over_chains() -> None:
    assert pairs("A = B; B > C") == {("A", "C"), ("B", "C")}


def test_full_width_signs() -> None:
    assert pairs("超声＞核磁＝CT") == {("超声", "核磁"), ("超声", "CT")}


@pytest.mark.parametrize(
    "text", ["A > B > A", "A > B; B > A", "A = B; A > B", "A > A", "a > B > A"]
)
def test_a_circle_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="circle"):
        ExamOrder.parse(text)


@pytest.mark.parametrize("text", ["", " ; ", "A >", "> A", "A = = B"])
def test_an_empty_step_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        ExamOrder.parse(text)


names = (
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=4)
    .map(str.casefold)
    .filter(str.strip)
)


@given(
    st.lists(
        st.lists(st.lists(names, min_size=1, max_size=3), min_size=1, max_size=3),
        min_size=1,
        max_size=3,
    )
)
def test_an_order_that_parses_writes_and_reads_back_and_is_a_strict_partial_order(
    chains: list[list[list[str]]],
) -> None:
    text = "; ".join(" > ".join(" = ".join(rank) for rank in chain) for chain in chains)
    try:
        order = ExamOrder.parse(text)
    except ValueError:
        return
    assert ExamOrder.parse(str(order)) == order
    before = order.before(lambda name: name)
    assert all((later, earlier) not in before for earlier, later in before)
    assert all((a, d) in before for a, b in before for c, d in before if b == c)
