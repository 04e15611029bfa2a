"""Settings as their classes declare them: name, type, default and group, read from the class."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from osler.settings.declaration import Setting
from osler.settings.groups import SettingsGroup


@dataclass(frozen=True)
class Declared:
    """One setting."""

    name: str
    """Of its field, and in the run file."""
    setting: Setting
    type: Any
    default: Any
    group: str
    """The heading it stands under; empty for what is no option."""

    @property
    def option(self) -> str:
        """Its name in Python, in tables and as a variant of a column."""
        return self.setting.option or self.name

    @property
    def flag(self) -> str:
        """Its flag on the command line."""
        return self.setting.flag or f"--{self.option.replace('_', '-')}"

    @property
    def label(self) -> str:
        """What warnings call it."""
        return self.setting.label or self.option.replace("_", " ")

    @property
    def is_list(self) -> bool:
        """Whether its value is a tuple."""
        return get_origin(self.type) is tuple

    @property
    def takes_several(self) -> bool:
        """Whether several values can be given, as one list or for a column each."""
        return self.is_list or self.setting.axis

    @property
    def may_be_none(self) -> bool:
        """Whether None is a value, which means that it is not set."""
        return NoneType in get_args(self.type)

    @property
    def kind(self) -> Any:
        """The type of one value: `str` of `tuple[str, ...]`, `int` of `int | None`."""
        if self.is_list:
            return get_args(self.type)[0]
        if get_origin(self.type) in (Union, UnionType):
            return next(kind for kind in get_args(self.type) if kind is not NoneType)
        return self.type

    @property
    def choices(self) -> tuple[str, ...]:
        """The values it can have, if they are few."""
        if get_origin(self.kind) is Literal:
            return tuple(map(str, get_args(self.kind)))
        is_enum = isinstance(self.kind, type) and issubclass(self.kind, StrEnum)
        if is_enum:
            return tuple(self.kind)
        return ()

    def help_text(self, several_words: str) -> str:
        """Return what it is, its limits and its default, as helps say it.

        Args:
            several_words: What is added where several values can be given, such as "Repeatable".
        """
        parts = [self.setting.help]
        if self.takes_several:
            parts.append(f"{several_words}.")
        if self.setting.bounds:
            parts.append(f"{self.setting.bounds.capitalize()}.")
        is_plain = not self.setting.default_depends and self.kind is not bool
        if is_plain and self.default not in (None, ()):
            values = self.default if self.is_list else (self.default,)
            parts.append(f"Default: {', '.join(map(self.text, values))}.")
        return " ".join(parts)

    @property
    def is_stored(self) -> bool:
        """Whether a run stores it among its settings.

        What decides results is stored there, except the parts of a doctor (`in_column`): the run
        stores its columns, and these name them.
        """
        return self.setting.decides_results and not self.setting.in_column

    def text(self, value: object) -> str:
        """Return a value as columns and the command line name it."""
        if isinstance(value, bool):
            if value:
                return "yes"
            return "no"
        if isinstance(value, float) and float(f"{value:g}") == value:
            return f"{value:g}"
        return str(value)

    def read(self, text: str) -> Any:
        """Return the value that `text` named."""
        if self.kind is bool:
            return text == "yes"
        if get_origin(self.kind) is Literal:
            return text
        return self.kind(text)


@lru_cache(maxsize=8)
def declared_in(settings: type[SettingsGroup]) -> tuple[Declared, ...]:
    """Return all settings of a class, in the order in which the help has them."""
    declarations = []
    # The classes that `settings` is made of, in the order of its bases, which is that of the help;
    # `model_fields` begins with the last of them.
    for group in settings.__mro__:
        if group is SettingsGroup or not issubclass(group, SettingsGroup):
            continue
        heading = group.__dict__.get("title", "")
        for name in get_annotations(group):
            if name in settings.model_fields:  # class variables are annotated as well
                field = settings.model_fields[name]
                declarations.append(
                    Declared(name, _setting_of(field), field.annotation, field.default, heading)
                )
    return tuple(declarations)


def _setting_of(field: FieldInfo) -> Setting:
    """Return what `Annotated` says of a field; pydantic may have notes of its own beside it."""
    return next(note for note in field.metadata if isinstance(note, Setting))


def options_in(settings: type[SettingsGroup]) -> dict[str, Declared]:
    """Return the settings that people can give, by their options' names."""
    return {
        declared.option: declared
        for declared in declared_in(settings)
        if declared.setting.is_option
    }


def axes_in(settings: type[SettingsGroup]) -> tuple[Declared, ...]:
    """Return the settings in which columns may differ as variants.

    Not the backbones, strategies, memories and experience (`in_column`): these make columns too,
    but are lists of the run and no value of one consultation's settings.
    """
    return tuple(declared for declared in declared_in(settings) if declared.setting.axis)
