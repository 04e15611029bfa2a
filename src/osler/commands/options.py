"""What several commands share: options and arguments, opening a run, printing a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option
from typer.models import OptionInfo

from osler.settings import declaration
from osler.settings.declaration import Setting

if TYPE_CHECKING:
    from rich.console import RenderableType

    from osler.runs.store import RunFile


def known_runs(incomplete: str) -> list[str]:
    """For the shell's completion: the runs of the usual folder."""
    names = {path.stem for path in Path("runs").glob("*.osler")}
    return sorted(
        name for name in names | ({"latest"} if names else set()) if name.startswith(incomplete)
    )


MOST = 1_000_000_000
"""Larger numbers of trials are mistakes, and some are more than a run file can hold."""
RUN_TO_WRITE = "The run: a name, or a file ending in .osler."
RunName = Annotated[
    Path, Argument(help="A run: its name or file; latest: the last one.", autocompletion=known_runs)
]
CaseName = Annotated[str, Argument(help="A record's id, or its patient's.")]
Backbone = Annotated[
    str | None, Option("--backbone", help="Which doctor's model, if the run has several.")
]
Strategy = Annotated[
    str | None, Option("--strategy", help="Which strategy, if the run has several.")
]
Memory = Annotated[str | None, Option("--memory", help="Which memory, if the run has several.")]
Variant = Annotated[
    str | None,
    Option("--variant", help="Which variant, if the run has several, e.g. experience=truth."),
]
Trial = Annotated[
    int | None, Option("--trial", min=1, max=MOST, help="Which trial, if the run has several.")
]
Judge = Annotated[
    str | None, Option("--judge", help="The judge whose verdicts to use. Default: the run's own.")
]
PatientJudge = Annotated[
    str | None,
    Option(
        "--patient-judge",
        help="Whose word on leaks and fabrications, of the models that read replies.",
    ),
]


def _option(setting: Setting, flag: str) -> OptionInfo:
    """Return the option of a setting that commands share with `osler simulate`."""
    option: OptionInfo = Option(
        setting.flag or flag, help=setting.help, min=setting.minimum, max=setting.maximum
    )
    return option


Languages = Annotated[list[str] | None, _option(declaration.LANGUAGES, "--language")]
Specialties = Annotated[list[str] | None, _option(declaration.SPECIALTIES, "--specialty")]
Limit = Annotated[int | None, _option(declaration.LIMIT, "--limit")]
Sample = Annotated[int | None, _option(declaration.SAMPLE, "--sample")]
Concurrency = Annotated[int, _option(declaration.CONCURRENCY, "--concurrency")]
Timeout = Annotated[float, _option(declaration.TIMEOUT, "--timeout")]
Twins = Annotated[bool, _option(declaration.TWINS, "--twins")]
PoolPath = Annotated[str, Option("--pool", help=declaration.POOL.help, metavar="PATH")]
Seed = Annotated[int, Option("--seed", help="Seed of the random draw.")]
Force = Annotated[bool, Option("--force", help="Overwrite existing files.")]
AsJson = Annotated[bool, Option("--json", help="Print one line of JSON instead of the table.")]


def open_run(run: Path) -> RunFile:
    """Open a run to read it."""
    from osler.runs.store import RunFile

    return RunFile.open(run)


def print_page(page: RenderableType) -> None:
    """Print a page on standard output."""
    from osler.records.pages import printed

    printed(page)
