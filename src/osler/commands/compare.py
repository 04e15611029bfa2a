"""`osler compare` and `osler score`: tables that can be believed, and judging again."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from osler.commands.run_options import RunName, known_runs


class Form(StrEnum):
    """How a table is written."""

    TABLE = "table"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"
    JSON = "json"


class By(StrEnum):
    """What a table can be split by."""

    LANGUAGE = "language"
    SPECIALTY = "specialty"


def compare(
    runs: Annotated[list[Path], typer.Argument(help="One or several runs.", autocompletion=known_runs)],
    judge: Annotated[str | None, typer.Option("--judge", help="Whose verdicts; without it, the rules' ladder.")] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="The memory that the others are compared with.")
    ] = None,
    patient_judge: Annotated[
        str | None,
        typer.Option(
            "--patient-judge", help="Whose leaks and fabrications: rules, or a model that judged the replies."
        ),
    ] = None,
    by: Annotated[By | None, typer.Option("--by", help="Also a table for each language or specialty.")] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Also the papers' published figures.")] = False,
    form: Annotated[Form, typer.Option("--format", help="How the tables are written.")] = Form.TABLE,
) -> None:
    """Compare columns: diagnosis and treatment, with n, intervals, failures and paired differences."""
    from osler.eval.compare import compare as compared
    from osler.eval.compare.grid import WRITERS, grids, json_text
    from osler.eval.runs import load_run
    from osler.records.pages import printed

    opened = [load_run(run) for run in runs]
    comparison = compared(opened, judge=judge, against=against, by=by.value if by else None, ruler=patient_judge)
    for run in opened:
        run.close()
    if form is Form.JSON:
        typer.echo(json_text(comparison))
        return
    tables = grids(comparison, paper=paper)
    if form is Form.TABLE:
        from osler.eval.compare.terminal import page

        printed(page(tables))
    else:
        typer.echo("\n".join(WRITERS[form.value](grid) for grid in tables), nl=False)
    for warning in comparison.warnings:
        typer.echo(f"osler: {warning}", err=True)


def score(
    run: RunName,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            help="A model, or a judge of your own as package.module:Class (two must agree).",
        ),
    ] = None,
    tie_break: Annotated[
        str | None, typer.Option("--tie-break", help="The model that decides where two judges differ.")
    ] = None,
    patient_judge: Annotated[
        str | None,
        typer.Option("--patient-judge", help="A model that holds the patient's replies against what was handed over."),
    ] = None,
    test_prices: Annotated[
        Path | None, typer.Option("--test-prices", help="What tests cost: a YAML file with NAME: PRICE lines.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also re-judge what this judge has judged before.")] = False,
    any_judge: Annotated[bool, typer.Option("--any-judge", help="Skip the test of the judge on clear cases.")] = False,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=100_000, help="Calls at the same time.")] = 8,
    timeout: Annotated[float, typer.Option("--timeout", min=1, help="Timeout of one call in seconds.")] = 60.0,
) -> None:
    """Judge the conclusions or replies of a run again without re-running it; earlier verdicts are kept."""
    from osler.eval.faithfulness.judge_replies import judge_patients
    from osler.eval.score_run import judge_run

    if patient_judge is not None:
        typer.echo(
            judge_patients(
                run, patient_judge, again=again, concurrency=concurrency, timeout=timeout, any_judge=any_judge
            )
        )
        if not judge and test_prices is None:
            return
    told = judge_run(
        run,
        judge or [],
        tie_break,
        again=again,
        concurrency=concurrency,
        timeout=timeout,
        any_judge=any_judge,
        test_prices=test_prices,
    )
    typer.echo(told)
