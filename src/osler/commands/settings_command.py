"""Commands whose options are the settings of a run.

They are declared when such a command is called or asked for help: until then, nobody waits for
pydantic, or for packages that add settings of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer import Option
from typer.core import TyperCommand
from typer.main import get_command

if TYPE_CHECKING:
    from osler.settings.declared import Declared

_OPTIONS = "__options_of_settings__"
"""The attribute of a command's function that says which settings it takes."""


def takes_settings(
    only: Callable[[Declared], bool] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the settings of a run as options; it receives those that were given.

    Args:
        only: Whether it takes a setting; all of them without it.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def declared_later() -> None:
            """Stand in for the command until its options are needed."""

        declared_later.__name__ = command.__name__
        declared_later.__doc__ = command.__doc__
        setattr(declared_later, _OPTIONS, (command, only))
        return declared_later

    return decorate


class SettingsCommand(TyperCommand):
    """A command that declares its options when they are first needed."""

    def __init__(self, *args: Any, **more: Any) -> None:
        """Take what typer gives any command."""
        self._whole: TyperCommand | None = None
        super().__init__(*args, **more)

    def _declared(self) -> TyperCommand:
        if self._whole is None:
            stand_in = inspect.unwrap(cast("Callable[..., None]", self._callback))
            command, only = getattr(stand_in, _OPTIONS)
            alone = typer.Typer(add_completion=False)
            alone.command(self.name)(_with_options(command, only))
            self._whole = cast("TyperCommand", get_command(alone))
        return self._whole

    @property
    def params(self) -> Any:
        """Its options and arguments."""
        return self._declared().params

    @params.setter
    def params(self, _: Any) -> None:
        """Leave out those of the function that stands in for it: it has none."""

    @property
    def callback(self) -> Any:
        """What it does."""
        return self._declared().callback

    @callback.setter
    def callback(self, stand_in: Any) -> None:
        self._callback = stand_in


def _with_options(
    command: Callable[..., None], only: Callable[[Declared], bool] | None
) -> Callable[..., None]:
    """Return a command with the signature that typer reads options from."""
    from osler.settings.declared import options_in
    from osler.settings.run_settings import settings_class

    options = options_in(settings_class())
    added = [
        _parameter(declared) for declared in options.values() if only is None or only(declared)
    ]

    def called(**values: Any) -> None:
        command(**{name: value for name, value in values.items() if _is_given(value)})

    *own, _ = inspect.signature(command, eval_str=True).parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    first = [parameter for parameter in own if parameter.kind is not keyword]
    last = [parameter for parameter in own if parameter.kind is keyword]
    called.__doc__ = command.__doc__
    cast("Any", called).__signature__ = inspect.Signature(
        [parameter.replace(kind=keyword) for parameter in (*first, *added, *last)]
    )
    return called


def _is_given(value: object) -> bool:
    """Whether an option was given: what was not has its own default."""
    return value is not None and value != []


def _parameter(declared: Declared) -> inspect.Parameter:
    """Return the option of a setting. None means that it was not given."""
    kind = declared.kind
    metavar = None
    if declared.choices:  # checked with the other values, in the same words as in Python
        kind = str
        metavar = f"[{'|'.join(declared.choices)}]"
    elif kind is Any:
        kind = str
        metavar = "PATH"
    annotation = kind | None
    if kind is bool:
        annotation = bool
    elif declared.takes_several:
        annotation = GenericAlias(list, (kind,)) | None
    flags = [declared.flag]
    if declared.setting.short:
        flags.append(declared.setting.short)
    option = Option(
        *flags,
        help=declared.help_text("Repeatable"),
        show_default=False,
        metavar=metavar,
        autocompletion=_completion(declared.choices) if declared.choices else None,
        rich_help_panel=declared.group,
    )
    return inspect.Parameter(
        declared.option,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if declared.kind is bool else None,
        annotation=Annotated[annotation, option],
    )


def _completion(choices: Sequence[str]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete
