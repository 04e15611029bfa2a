"""Every command of the command line, with its help, arguments and options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import typer

from docs.generate.markdown import code, one_line, table
from osler.cli import app

_HELP = "--help"


def commands_page() -> str:
    """A section for each command; those of a group stand below the group."""
    root: Any = typer.main.get_command(app)
    return "".join(_sections(root, "osler"))


def _sections(command: Any, path: str) -> Iterator[str]:
    """The section of a command, then those of its subcommands.

    Typer has no public type for its commands, hence Any.
    """
    yield _section(command, path)
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from _sections(subcommand, f"{path} {name}")


def _section(command: Any, path: str) -> str:
    context = command.context_class(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    text = f"## {path}\n\n{command.help or ''}\n\n```text\n{usage}\n```\n\n"
    panels: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for parameter in command.params:
        if _HELP not in parameter.opts:
            panels[_panel(parameter)].append(_row(parameter, context))
    for panel, rows in panels.items():
        text += table([panel, "what it does"], rows)
    return text


def _panel(parameter: Any) -> str:
    """The heading that `--help` prints over this option."""
    plain = "argument" if parameter.param_type_name == "argument" else "option"
    return getattr(parameter, "rich_help_panel", None) or plain


def _row(parameter: Any, context: Any) -> tuple[str, str]:
    left, right = parameter.get_help_record(context)
    # Typer puts default and bounds behind the help: "Maximum number of records.  [x>=1]".
    words, _, extra = right.partition("  [")
    bounds = f" ({_in_words(extra.rstrip(']'))})" if extra else ""
    return code(left), one_line(words) + bounds


def _in_words(extra: str) -> str:
    return ", ".join(part.replace(">=", " ≥ ").replace("<=", " ≤ ") for part in extra.split("; "))
