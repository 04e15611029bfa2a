"""Commands that measure runs: `compare`, `score`, `explain`, `probe`, `report` and `rate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from osler.commands.options import (
    AsJson,
    Concurrency,
    Force,
    Judge,
    PatientJudge,
    RunName,
    Timeout,
    known_runs,
    open_run,
    print_page,
)
from osler.errors import UserError, printable
from osler.settings.names import SHARE_OF_REPLIES, TIMEOUT

if TYPE_CHECKING:
    from osler.bench.store import BenchFolder

TOP_K = "1,3,5,10"
"""The default of --k."""

rate = typer.Typer(
    no_args_is_help=True, help="Blind rating by people: export sheets, import ratings."
)


def compare(
    runs: Annotated[list[Path], Argument(help="One or more runs.", autocompletion=known_runs)],
    judge: Judge = None,
    against: Annotated[
        str | None, Option("--against", help="The memory to compare the others with.")
    ] = None,
    patient_judge: PatientJudge = None,
    by: Annotated[
        str | None,
        Option(
            "--by",
            help="Also print a table for each language, specialty, or value of what columns"
            " differ in, such as persona.",
        ),
    ] = None,
    paper: Annotated[
        bool, Option("--paper", help="Also print the figures that the papers published.")
    ] = False,
    form: Annotated[
        Literal["table", "markdown", "latex", "csv", "json"],
        Option("--format", help="Format of the tables."),
    ] = "table",
) -> None:
    """Compare columns.

    Diagnosis and treatment, with n, intervals, failures, and differences beside their noise.
    """
    from osler.eval.compare import compare as compared
    from osler.eval.compare import comparison_json, comparison_tables
    from osler.eval.runs import load_run
    from osler.tables import WRITERS, on_terminal

    opened = [load_run(run) for run in runs]
    comparison = compared(opened, judge=judge, against=against, by=by, patient_judge=patient_judge)
    for run in opened:
        run.close()
    if form == "json":
        typer.echo(comparison_json(comparison))
        return
    tables = comparison_tables(comparison, paper=paper)
    if form == "table":
        print_page(on_terminal(tables))
    else:
        typer.echo("\n".join(WRITERS[form](table) for table in tables), nl=False)
    for warning in comparison.warnings:
        typer.echo(f"osler: {warning}", err=True)


def score(
    run: RunName,
    judge: Annotated[
        list[str] | None,
        Option(
            "--judge",
            help="A model, or a judge of your own as package.module:Class. Repeat it for a panel.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None,
        Option("--sheet", help="Write what is still undecided to this .xlsx file, for a person."),
    ] = None,
    verdicts: Annotated[
        Path | None,
        Option("--verdicts", help="Import a sheet that a person filled in; needs --person."),
    ] = None,
    person: Annotated[
        str | None, Option("--person", help="Who filled in the sheet: stored as person:NAME.")
    ] = None,
    patient_judge: Annotated[
        str | None,
        Option(
            "--patient-judge",
            help="A model that reads the patient's replies for leaks and fabrications.",
        ),
    ] = None,
    judge_replies: Annotated[
        float | None,
        Option(
            "--judge-replies",
            help="Share of the replies that --patient-judge reads, up to 1. Default: 0.1.",
        ),
    ] = None,
    test_prices: Annotated[
        Path | None,
        Option("--test-prices", help="Prices of tests: a YAML file with NAME: PRICE lines."),
    ] = None,
    again: Annotated[
        bool, Option("--again", help="Also re-judge what this judge has judged before.")
    ] = False,
    any_judge: Annotated[
        bool, Option("--any-judge", help="Do not examine the judge before it judges.")
    ] = False,
    concurrency: Annotated[
        int, Option("--concurrency", min=1, max=100_000, help="Calls at the same time.")
    ] = 8,
    timeout: Timeout = TIMEOUT,
    force: Force = False,
) -> None:
    """Judge the conclusions or replies of a run again, without re-running it.

    Earlier verdicts are kept.
    """
    from osler.eval.faithfulness.judge_replies import judge_patients
    from osler.eval.rating.verdict_sheet import check_target, export_verdict_sheet, import_verdicts
    from osler.eval.score_run import JudgeOptions, judge_exactly, judge_run

    _check_score(judge, sheet, verdicts, person)
    if judge_replies is not None and patient_judge is None:
        raise UserError(
            "--judge-replies says how many replies a model reads",
            "name the model with --patient-judge",
        )
    if sheet is not None:
        check_target(sheet, force=force)
    how: dict[str, Any] = {
        "again": again,
        "concurrency": concurrency,
        "timeout": timeout,
        "any_judge": any_judge,
    }
    if patient_judge is not None:
        share = SHARE_OF_REPLIES if judge_replies is None else judge_replies
        typer.echo(judge_patients(run, patient_judge, share=share, **how).line)
    if verdicts is not None and person is not None:
        typer.echo("\n".join(import_verdicts(run, verdicts, person)))
        return
    name = None
    if test_prices is not None or (not judge and (patient_judge is None or sheet is not None)):
        typer.echo(judge_exactly(run, again=again, test_prices=test_prices))
    if judge:
        name, lines = judge_run(run, judge, JudgeOptions(**how))
        typer.echo("\n".join(lines))
    if sheet is not None:
        typer.echo(export_verdict_sheet(run, name, sheet, force=force))


def _check_score(
    judge: list[str] | None, sheet: Path | None, verdicts: Path | None, person: str | None
) -> None:
    """Refuse options of `osler score` that do not go together."""
    if (verdicts is None) != (person is None):
        raise UserError(
            "a person's sheet and name go together", "give --verdicts SHEET --person NAME"
        )
    if verdicts is not None and (judge or sheet is not None):
        raise UserError(
            "--verdicts imports a sheet and judges nothing",
            "give --judge and --sheet in another command",
        )


def explain(
    run: RunName,
    judge: Annotated[
        str | None,
        Option("--judge", help="The judge whose verdicts to explain. Default: the run's own."),
    ] = None,
    trials: Annotated[
        int, Option("--trials", min=1, max=1000, help="How often each step is asked.")
    ] = 1,
    verify: Annotated[
        str | None,
        Option(
            "--verify",
            help="A model that says what the questions asked for. Default: names of key entries.",
        ),
    ] = None,
    memory: Annotated[
        list[str] | None, Option("--memory", help="Only this memory (repeatable).")
    ] = None,
    strategy: Annotated[
        list[str] | None, Option("--strategy", help="Only this strategy (repeatable).")
    ] = None,
    limit: Annotated[
        int | None, Option("--limit", min=1, help="Maximum lost consultations per column.")
    ] = None,
    run_tokens: Annotated[
        int | None, Option("--run-tokens", min=1, help="Maximum tokens of all explanations.")
    ] = None,
    run_cost: Annotated[
        float | None, Option("--run-cost", min=0, help="Maximum cost of all explanations in USD.")
    ] = None,
    concurrency: Concurrency = 8,
    timeout: Timeout = TIMEOUT,
    as_json: AsJson = False,
) -> None:
    """Find out why diagnoses are not right: the run's own doctor concludes again from ever more.

    The causes are of the diagnosis, not of the treatment: memory, patient, retrieval, inquiry,
    knowledge, conclusion or judge. They are stored in the run, and `compare`, `report` and `view`
    show them. Re-run the same command to resume.
    """
    from osler.explain.explain_run import ExplainOptions, explain_run
    from osler.explain.page import as_text, explained_page
    from osler.settings.names import Limits
    from osler.stdout import spared_stdout

    options = ExplainOptions(
        judge=judge,
        verify=verify,
        trials=trials,
        memories=memory or (),
        strategies=strategy or (),
        limit=limit,
        concurrency=concurrency,
        timeout=timeout,
        limits=Limits(run_tokens, run_cost),
    )
    with spared_stdout():
        done = explain_run(run, options)
    if as_json:
        typer.echo(as_text(run, done))
    else:
        print_page(explained_page(run, done))
    if done.stopped is not None:
        raise UserError(
            f"stopped: {done.stopped}", "what was found is kept; re-run the same command to resume"
        )


def probe(
    run: RunName,
    memory: Annotated[
        list[str] | None, Option("--memory", help="Only this memory (repeatable).")
    ] = None,
    strategy: Annotated[
        list[str] | None, Option("--strategy", help="Only this strategy (repeatable).")
    ] = None,
    backbone: Annotated[
        str | None,
        Option(
            "--backbone",
            help="The model that answers from what is recalled. Default: none, only recalls count.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        Option(
            "--judge",
            help="The model that reads the answers. Default: none, only exact answers are read.",
        ),
    ] = None,
    k: Annotated[str, Option("--k", help="Values of k for top-k retrieval.")] = TOP_K,
    limit: Annotated[
        int | None, Option("--limit", min=1, help="Maximum number of consultations per column.")
    ] = None,
    timeout: Timeout = TIMEOUT,
    as_json: AsJson = False,
) -> None:
    """Ask the memories of a run about what the patients disclosed.

    What is recalled, and whether answers are right.
    """
    import asyncio
    import json

    from osler.eval.probes.run import probe_run
    from osler.eval.probes.table import probe_table
    from osler.stdout import spared_stdout
    from osler.tables import on_terminal

    ks = whole_numbers(k)
    only: dict[str, Any] = {"memories": memory, "strategies": strategy}
    with open_run(run) as opened, spared_stdout():
        asked_by: dict[str, Any] = {
            "answered_by": backbone,
            "judge": judge,
            "limit": limit,
            "seconds": timeout,
        }
        columns, left_out = asyncio.run(probe_run(opened, ks, **only, **asked_by))
    if as_json:
        rows = [figures.as_json() for figures in columns]
        content = {"answered_by": backbone, "judge": judge, **left_out._asdict(), "rows": rows}
        typer.echo(json.dumps(content, ensure_ascii=False))
    else:
        print_page(on_terminal([probe_table(columns, backbone, judge, left_out)]))


def whole_numbers(text: str) -> list[int]:
    """Parse the value of --k: whole numbers with commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) <= 5 and int(part) > 0 for part in parts):
        raise UserError(
            f"--k {text[:50]!r} cannot be read",
            "give whole numbers from 1 to 99999, as in --k 1,3,5,10",
        )
    return sorted({int(part) for part in parts})


def report(
    run: Annotated[
        Path,
        Argument(
            help="A run, by name or file, or the folder of a memory bench.",
            autocompletion=known_runs,
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", help="Output file.")] = Path("report.html"),
    judge: Judge = None,
    patient_judge: PatientJudge = None,
    figures: Annotated[
        str | None,
        Option("--figures", help="Also write the figures to this folder, as SVG and PNG."),
    ] = None,
    force: Force = False,
) -> None:
    """Write a report of a run as one HTML file: tables, figures, failures, conversations.

    Also of a memory bench.
    """
    from osler.bench.store import BenchFolder
    from osler.eval.report import write_report

    if figures == "":
        raise UserError("--figures has no folder", "give one, or leave --figures out")
    if (bench := BenchFolder(run)).is_there:
        _report_bench(bench, out, has_options=bool(judge or patient_judge or figures), force=force)
        return
    folder = Path(figures) if figures is not None else None
    written = write_report(
        run, out, judge=judge, patient_judge=patient_judge, figures=folder, force=force
    )
    more = f" and {len(written.figures)} figure(s) in {figures}" if figures is not None else ""
    typer.echo(f"{written.page} ({written.size / 1024:,.0f} KiB){more}")


def _report_bench(bench: BenchFolder, out: Path, *, has_options: bool, force: bool) -> None:
    from osler.bench.page import write_page

    if has_options:
        raise UserError(
            "a memory bench has no --judge, --patient-judge or --figures", "leave them out"
        )
    page = write_page(bench, whole_numbers(TOP_K), out, force=force)
    typer.echo(f"{page} ({page.stat().st_size / 1024:,.0f} KiB)")


@rate.command("export")
def export_sheets(
    run: RunName,
    out: Annotated[
        Path,
        Option("--out", "-o", help="The sheet; its key is written beside it as NAME.key.json."),
    ] = Path("sheet.xlsx"),
    per_column: Annotated[int, Option("--per-column", min=1, help="Items per column.")] = 20,
    seed: Annotated[int, Option("--seed", help="Seed of the draw and the order.")] = 0,
    raters: Annotated[
        int,
        Option(
            "--raters",
            min=1,
            max=100,
            help="Number of sheets, with the same items in different orders.",
        ),
    ] = 1,
    force: Force = False,
) -> None:
    """Export blinded rating sheets, plus the key."""
    from osler.eval.rating import export_sheets as export

    with open_run(run) as opened:
        done = export(opened, out, per_column=per_column, seed=seed, raters=raters, force=force)
    for column, count in done.items.items():
        few = "" if count == per_column else f", fewer than {per_column}: the run has not more"
        typer.echo(f"{printable(str(column))}: {count} items{few}")
    typer.echo(f"for raters: {', '.join(map(str, done.sheets))}")
    typer.echo(f"not for raters: {done.key}")


@rate.command("import")
def import_ratings(
    sheets: Annotated[list[Path], Argument(help="The sheets that the raters filled in (.xlsx).")],
    key: Annotated[Path, Option("--key", help="The .key.json file that was exported with them.")],
    run: Annotated[
        Path | None, Option("--run", help="Check that the items are from this run.")
    ] = None,
    out: Annotated[
        Path | None, Option("--out", "-o", help="Also write all ratings to a CSV file.")
    ] = None,
    force: Force = False,
) -> None:
    """Import ratings: means by column, and agreement between raters."""
    from osler.eval.rating import Key, check_run, ratings_page, read_ratings, write_table

    opened_key = Key.open(key)
    if run is not None:
        with open_run(run) as opened:
            check_run(opened_key, opened)
    ratings = read_ratings(sheets, opened_key)
    if out is not None:
        write_table(ratings, out, force=force)
    print_page(ratings_page(ratings, opened_key))
