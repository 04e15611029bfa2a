"""The command line: parses, calls, prints. Heavy imports live inside the commands."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated, NoReturn

import typer

from osler import __version__
from osler.code_failures import DEBUG, debugging, whole_traceback
from osler.commands import (
    bench,
    consultations,
    evaluate,
    judges,
    measures,
    models,
    play,
    records,
    runs,
    validate,
    view,
)
from osler.commands.settings_command import SettingsCommand
from osler.errors import UserError, printable

app = typer.Typer(
    name="osler",
    help=(
        "Simulate clinical consultations between agents, and measure how well a doctor diagnoses"
        " and treats."
    ),
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
)
_INTERRUPTED = 130
"""The exit code after Ctrl-C; typer returns it in some versions, and raises in others."""

_DEBUG = "--debug"

app.command(cls=SettingsCommand)(runs.simulate)
for command in (
    consultations.show,
    play.play,
    consultations.replay,
    consultations.verify,
    consultations.fork,
    evaluate.compare,
    evaluate.score,
    evaluate.explain,
    evaluate.probe,
    evaluate.report,
    validate.validate,
    measures.measures,
    view.view,
    view.export,
):
    app.command()(command)
app.add_typer(runs.app, name="runs")
app.add_typer(records.app, name="records")
app.add_typer(models.backbones, name="backbones")
app.add_typer(models.app, name="models")
app.add_typer(consultations.memory_app, name="memory")
app.add_typer(evaluate.rate, name="rate")
app.add_typer(judges.app, name="judges")
app.add_typer(bench.app, name="bench")


def _version(show: bool) -> None:
    if show:
        typer.echo(f"osler {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show whole tracebacks; also after the command.")
    ] = False,
) -> None:
    """Options before any command."""


def main() -> NoReturn:
    """Run a command; a failure becomes a line and an exit code, with `--debug` a traceback, too."""
    # Matrices here are small: more BLAS threads would be slower, and could change the last digits
    # of sums.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A terminal that has no Chinese gets an escape, and no traceback.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        _check_arguments()
        if _DEBUG in sys.argv[1:]:  # wherever it stands: who sees an error adds it at the end
            sys.argv.remove(_DEBUG)
            os.environ[DEBUG] = "1"
        code = app(standalone_mode=False, prog_name="osler")
        sys.stdout.flush()
    except UserError as error:
        if debugging():
            typer.echo(whole_traceback(error), err=True)
        _stop(f"osler: {error}", error.exit_code)
    except typer.TyperException as error:
        _stop_for_usage(error)
    except (typer.Abort, KeyboardInterrupt):
        _stop("osler: stopped", _INTERRUPTED)
    except BrokenPipeError:
        _silence()
        sys.exit(141)
    except OSError as error:  # of the disk, where no command could say more about it
        parts = (str(error.filename or ""), error.strerror or str(error))
        reason = printable(": ".join(filter(None, parts)))
        _stop(f"osler: {reason}; check the path, its rights and the room on the disk", 2)
    if code == _INTERRUPTED:
        _stop("osler: stopped", _INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _check_arguments() -> None:
    """Refuse what is not UTF-8: it could not be stored in a run, sent to a model or printed."""
    for argument in sys.argv[1:]:
        if argument.encode(errors="replace").decode() != argument:
            raise UserError(
                f"the argument {argument!a} is not UTF-8",
                "give it in UTF-8; rename a file of that name",
            )


def _stop_for_usage(error: typer.TyperException) -> NoReturn:
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        _stop(message, 2)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "osler"
    _stop(f"osler: {' '.join(message.split())} (`{command} --help` shows how it is called)", 2)


def _stop(line: str, code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except OSError:
        _silence()
    typer.echo(line, err=True)
    sys.exit(code)


def _silence() -> None:
    """Keep the interpreter from flushing at exit to a reader that is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
