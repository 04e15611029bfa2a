"""`osler bench`: measure memories alone, on published conversations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from osler.commands.evaluate import TOP_K, whole_numbers
from osler.commands.options import AsJson, Seed, Timeout, print_page
from osler.settings.names import RECALL_BUDGET

if TYPE_CHECKING:
    from osler.bench.results import PersonResult
    from osler.bench.store import BenchFolder

app = typer.Typer(help="Measure memories alone, on published conversations.", no_args_is_help=True)
TopK = Annotated[str, Option("--k", help="Values of k for hit@k and recall@k.")]


@app.command()
def memory(
    data: Annotated[
        Path, Option("--data", help="Folder of a data set, or of several; see docs/bench.md.")
    ],
    memories: Annotated[
        str,
        Option(
            "--memories",
            help="The memories, with their options: raw,tim,mode=paper,full is three of them.",
        ),
    ] = "none,raw,tim",
    k: TopK = TOP_K,
    model: Annotated[
        str | None,
        Option("--model", help="The model behind the memories, which also answers. Default: none."),
    ] = None,
    judge: Annotated[
        str | None, Option("--judge", help="The model that reads the answers; needs --model.")
    ] = None,
    budget: Annotated[
        int, Option("--budget", min=50, help="Maximum tokens of a recall.")
    ] = RECALL_BUDGET,
    people: Annotated[
        int | None, Option("--people", min=1, help="Maximum number of people per data set.")
    ] = None,
    limit: Annotated[
        int | None, Option("--limit", min=1, help="Maximum number of questions per person.")
    ] = None,
    seed: Seed = 0,
    corrections: Annotated[
        Path | None,
        Option(
            "--corrections", help="LoCoMo: errors.json of the published audit, or a folder of them."
        ),
    ] = None,
    out: Annotated[Path, Option("--out", "-o", help="Folder of the results.")] = Path("bench"),
    concurrency: Annotated[
        int, Option("--concurrency", min=1, max=10_000, help="People at the same time.")
    ] = 8,
    timeout: Timeout = 60.0,
    as_json: AsJson = False,
) -> None:
    """Replay conversations into memories, ask, and print one table per data set.

    Re-run the same command to resume.
    """
    import asyncio

    from osler.bench.person import BenchSettings
    from osler.bench.readers import read_data
    from osler.bench.run import describe_data, memory_specs, run_bench, sampled
    from osler.bench.store import BenchFolder
    from osler.errors import UserError
    from osler.stdout import spared_stdout

    if judge is not None and model is None:
        raise UserError("--judge reads a model's answers, and there is no model", "add --model")
    ks = whole_numbers(k)
    specs = memory_specs(memories)
    cases = sampled(read_data(data, corrections), people, limit, seed)
    settings = BenchSettings(budget=budget, seed=seed, model=model, judge=judge)
    description = {
        **describe_data(data, cases),
        "people": people,
        "limit": limit,
        "corrections": str(corrections or ""),
    }
    folder = BenchFolder(out)
    with spared_stdout():
        asyncio.run(
            run_bench(
                cases,
                specs,
                settings,
                folder,
                concurrency=concurrency,
                seconds=timeout,
                data=description,
                progress=_progress,
            )
        )
    _show(folder, ks, as_json)


@app.command()
def show(
    folder: Annotated[Path, Argument(help="Folder of the results.")],
    k: TopK = TOP_K,
    as_json: AsJson = False,
) -> None:
    """Print the tables of a bench again, also of one that is still running."""
    from osler.bench.store import BenchFolder

    _show(BenchFolder(folder), whole_numbers(k), as_json)


def _progress(result: PersonResult, done: int, total: int) -> None:
    typer.echo(f"{done}/{total} {result.memory}: {result.data}, {result.person}", err=True)


def _show(folder: BenchFolder, ks: list[int], as_json: bool) -> None:
    import json

    from osler.bench.figures import bench_figures
    from osler.bench.page import write_page
    from osler.bench.table import bench_table
    from osler.tables import on_terminal

    settings = folder.settings()
    figures = bench_figures(folder.results(), settings["memories"], ks, settings)
    if as_json:
        content = {"settings": settings, "data": [data.as_json() for data in figures]}
        typer.echo(json.dumps(content, ensure_ascii=False))
        return
    print_page(on_terminal(bench_table(data, ks, settings) for data in figures))
    typer.echo(f"page: {write_page(folder, ks)}", err=True)
