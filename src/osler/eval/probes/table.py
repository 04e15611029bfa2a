"""The table of what probes measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from osler.eval.figure_text import share_text
from osler.eval.probes.figures import KINDS, LeftOut, ProbeFigures
from osler.eval.probes.key_facts import key_fact_rows
from osler.eval.statistics import NO_INTERVAL, Figure
from osler.runs.short_names import ShortNames, backbone_name
from osler.tables import Table

_RETRIEVAL = (
    "Retrieval: the recall tells of a turn in which the patient told it, by a fact of that turn or"
    " in its own words. A dash: the memory recalls a text that does not say which turns it is from."
)
_CONSISTENCY = (
    "Consistency: what was told is asked for after several turns and in several wordings; share of"
    " pairs of answers that say the same, right or wrong. An answer of not known counts as"
    " disagreement."
)
_UNREAD = (
    "Answers are right or wrong only once they are read: without --judge, only those that are"
    " exactly equal to a listed answer are, and there are no figures of the others."
)
_KEY_FACTS = (
    "Key facts of earlier visits: recalled if the recall tells of the exchange that told the fact"
    " last; of the answers, right have what is so now, outdated only what was corrected since."
)

_NOT_REBUILT = (
    "{count} consultation(s) were left out: the memory now asks its model what it did not ask then,"
    " so it cannot be rebuilt. Use the version of Osler that made the run, or run it again."
)

_UNHEARD = (
    "Asks its model at each recall. A probe has no recorded answer, so that it recalls as it does"
    " when the model fails: {memories}."
)


def probe_table(
    columns: list[ProbeFigures], answered_by: str | None, judge: str | None, left_out: LeftOut
) -> Table:
    """Column by column; means with their 95 % intervals over patients."""
    names = ShortNames.of(figures.column for figures in columns)
    title = f"answers by: {backbone_name(answered_by)}" if answered_by else "what is recalled"
    if judge:
        title += f", read by: {backbone_name(judge)}"
    header = ["", *(names.header(figures.column) for figures in columns)]
    return Table.of(title, header, _rows(columns), _notes(columns, judge, left_out))


def _notes(columns: list[ProbeFigures], judge: str | None, left_out: LeftOut) -> Iterator[str]:
    yield "Means over all wordings, 95 % intervals over patients."
    yield _RETRIEVAL
    if any(figures.consistency.value is not None for figures in columns):
        yield _CONSISTENCY
    if judge is None and any(figures.unread for figures in columns):
        yield _UNREAD
    if any(figures.retrieval.lacks_interval for figures in columns):
        yield f"{NO_INTERVAL}."
    if left_out.unanswered:
        count = left_out.unanswered
        yield f"{count} consultation(s) without an answer of the doctor were left out."
    if left_out.not_rebuilt:
        yield _NOT_REBUILT.format(count=left_out.not_rebuilt)
    if any(figures.key_facts.shares for figures in columns):
        yield _KEY_FACTS
    memories = {figures.column.memory for figures in columns if figures.unheard}
    if memories:
        yield _UNHEARD.format(memories="; ".join(sorted(memories)))


def _rows(columns: list[ProbeFigures]) -> Iterator[list[str]]:
    """Every row: its name, and a cell for each column; a dash if one has no such figure."""
    has_answers = any(figures.answers or figures.unanswered for figures in columns)
    yield from _count_rows(columns, has_answers)
    # Only what was told can be retrieved, so the row of what was told would say the same again.
    yield from _score_rows("retrieval", KINDS[1:], columns)
    if has_answers:
        yield from _score_rows("correctness", KINDS, columns)
        yield _share_row("consistency", [figures.consistency for figures in columns])
    yield from _turn_rows(columns)
    yield from _top_k_rows(columns)
    for name, key_facts in key_fact_rows([figures.key_facts for figures in columns]):
        yield _share_row(name, key_facts)


def _count_rows(columns: list[ProbeFigures], has_answers: bool) -> Iterator[list[str]]:
    yield ["consultations", *(str(figures.consultations) for figures in columns)]
    yield ["probes", *(str(figures.probes) for figures in columns)]
    if has_answers:
        yield ["answers", *(str(figures.answers) for figures in columns)]
        yield ["unanswered", *(str(figures.unanswered) for figures in columns)]
        yield ["unread", *(str(figures.unread) for figures in columns)]


def _score_rows(
    score: str, kinds: Sequence[str], columns: list[ProbeFigures]
) -> Iterator[list[str]]:
    """A score over all probes, then for each kind of probe that has it."""
    yield _share_row(score, [getattr(figures, score) for figures in columns])
    for kind in kinds:
        by_kind = [figures.by_kind.get(kind, {}).get(score) for figures in columns]
        if any(figure is not None and figure.value is not None for figure in by_kind):
            yield _share_row(f"  {kind}", by_kind)


def _turn_rows(columns: list[ProbeFigures]) -> Iterator[list[str]]:
    turns = set[int]().union(*(figures.retrieval_by_turn for figures in columns))
    for turn in sorted(turns):
        by_turn = [figures.retrieval_by_turn.get(turn) for figures in columns]
        yield _share_row(f"retrieval after turn {turn}", by_turn)


def _top_k_rows(columns: list[ProbeFigures]) -> Iterator[list[str]]:
    ks = set[int]().union(*(figures.top_k for figures in columns))
    for k in sorted(ks):
        yield _share_row(f"top {k} retrieval", [figures.top_k.get(k) for figures in columns])


def _share_row(name: str, figures: Sequence[Figure | None]) -> list[str]:
    return [f"{name} %", *map(share_text, figures)]
