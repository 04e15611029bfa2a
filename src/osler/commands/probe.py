"""`osler probe`: how good the memories of a run are."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.commands.run_options import AsJson, RunName, Timeout


def probe(
    run: RunName,
    memory: Annotated[list[str] | None, typer.Option("--memory", help="Only these memories (repeatable).")] = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="Only these strategies (repeatable).")
    ] = None,
    backbone: Annotated[
        str, typer.Option("--backbone", help="The model that answers from what is recalled; rules: none is asked.")
    ] = "rules",
    k: Annotated[str, typer.Option("--k", help="Where a ranking is cut, for top-k retrieval.")] = "1,3,5,10",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Maximum number of consultations per column.")
    ] = None,
    timeout: Timeout = 60.0,
    as_json: AsJson = False,
) -> None:
    """Ask the memories of a run about what the patients disclosed: retrieval, correctness, coherence, consistency."""
    import asyncio
    import json

    from osler.eval.probes.figures import page
    from osler.eval.probes.run import probe_run
    from osler.records.pages import printed
    from osler.runs.store import RunFile
    from osler.stdout import spared_stdout

    with RunFile.open(run) as opened, spared_stdout():
        found, excluded = asyncio.run(
            probe_run(
                opened,
                _ks(k),
                memories=memory,
                strategies=strategy,
                answered_by=backbone,
                limit=limit,
                seconds=timeout,
            )
        )
    if as_json:
        told = {"answered_by": backbone, "excluded": excluded, "rows": [one.as_json() for one in found]}
        typer.echo(json.dumps(told, ensure_ascii=False))
    else:
        printed(page(found, backbone, excluded))


def _ks(given: str) -> list[int]:
    """Whole numbers from a list with commas."""
    from osler.errors import UserError

    parts = [part.strip() for part in given.split(",")]
    if not all(part.isdecimal() and len(part) <= 5 and int(part) > 0 for part in parts):
        raise UserError(f"--k {given[:50]!r} cannot be read", "give whole numbers from 1 to 99999, as in --k 1,3,5,10")
    return sorted({int(part) for part in parts})
