"""What several commands share: options and arguments, opening a run, printing a page."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Argument, Option

from osler.simulator.options import DEFAULTS, SimulateOptions

if TYPE_CHECKING:
    from rich.console import RenderableType

    from osler.runs.store import RunFile


def known_runs(incomplete: str) -> list[str]:
    """For the shell's completion: the runs of the usual folder."""
    names = {path.stem for path in Path("runs").glob("*.osler")}
    return sorted(name for name in names | ({"latest"} if names else set()) if name.startswith(incomplete))


MOST = 1_000_000_000
"""Larger numbers of trials are mistakes, and some are more than a run file can hold."""
RUN_TO_WRITE = "The run: a name, or a file ending in .osler."
RunName = Annotated[Path, Argument(help="A run: its name or file; latest: the last one.", autocompletion=known_runs)]
CaseName = Annotated[str, Argument(help="A record's id, or its patient's.")]
Backbone = Annotated[str | None, Option("--backbone", help="Which doctor's model, if the run has several.")]
Strategy = Annotated[str | None, Option("--strategy", help="Which strategy, if the run has several.")]
Memory = Annotated[str | None, Option("--memory", help="Which memory, if the run has several.")]
Variant = Annotated[
    str | None, Option("--variant", help="Which variant, if the run has several, e.g. experience=truth.")
]
Trial = Annotated[int | None, Option("--trial", min=1, max=MOST, help="Which trial, if the run has several.")]
Judge = Annotated[str | None, Option("--judge", help="The judge whose verdicts to use. Default: the built-in rules.")]
PatientJudge = Annotated[
    str | None,
    Option("--patient-judge", help="Whose counts of leaks and fabrications: rules, or a model that judged them."),
]
PoolPath = Annotated[str, Option("--pool", help="A folder or file of records, or `bundled`.", metavar="PATH")]
Seed = Annotated[int, Option("--seed", help="Seed of the random draw.")]
Force = Annotated[bool, Option("--force", help="Overwrite existing files.")]
AsJson = Annotated[bool, Option("--json", help="Print one line of JSON instead of the table.")]

_ONLY_HERE: dict[str, Any] = {
    "pool": PoolPath,
    "cache": Annotated[
        Path | None, Option("--cache", help="Cache file: reuse answers to the same requests across runs.")
    ],
    "out": Annotated[Path | None, Option("--out", "-o", help=f"{RUN_TO_WRITE} Default: a new run, named by the date.")],
}
"""Options that take more types in Python than on the command line."""


def takes_options(names: Iterable[str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options of `osler.simulate`; it receives them as keyword arguments."""
    types: dict[str, Any] = {**SimulateOptions.__annotations__, **_ONLY_HERE}
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, keyword, default=cast(Any, DEFAULTS).get(name), annotation=types[name])
        for name in names
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        *own, _ = inspect.signature(command, eval_str=True).parameters.values()
        first = [one for one in own if one.kind is not keyword]
        last = [one for one in own if one.kind is keyword]
        cast(Any, command).__signature__ = inspect.Signature([*first, *added, *last])
        return command

    return decorate


def open_run(run: Path) -> RunFile:
    """Open a run to read it."""
    from osler.runs.store import RunFile

    return RunFile.open(run)


def print_page(page: RenderableType) -> None:
    """Print a page on standard output."""
    from osler.records.pages import printed

    printed(page)
