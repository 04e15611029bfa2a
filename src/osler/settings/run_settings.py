"""`RunSettings`: all settings of a run, and those of one consultation of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self

from pydantic import create_model, model_validator

from osler.errors import UserError
from osler.plugins import load_plugin, plugin_names
from osler.ranking import CLOSE
from osler.settings.declaration import Setting
from osler.settings.declared import axes_in, declared_in
from osler.settings.groups import (
    DoctorGroup,
    ExecutionGroup,
    JudgeGroup,
    LimitsGroup,
    MemoryGroup,
    PatientGroup,
    PromptsGroup,
    RecordsGroup,
    RetrievalGroup,
    SettingsGroup,
)
from osler.settings.names import ONE_STEP, Limits, Variants
from osler.settings.values import checked_value

if TYPE_CHECKING:
    from osler.records.schema import PatientRecord

ENTRY_POINTS = "osler.settings"
"""Where a package of your own names groups of settings that it adds."""


class HasVariants(Protocol):
    """A column, as far as settings know it."""

    @property
    def variants(self) -> Variants:
        """What sets it apart besides the doctor's model, strategy and memory."""


class RunSettings(
    DoctorGroup,
    PatientGroup,
    RetrievalGroup,
    MemoryGroup,
    JudgeGroup,
    RecordsGroup,
    PromptsGroup,
    LimitsGroup,
    ExecutionGroup,
):
    """All settings of a run.

    A run stores those that decide results, and pickling keeps no others: a worker gets neither the
    pool nor the concurrency. The columns of a run may differ in the settings that are named in
    `varied`: `for_column` has the values of one column.
    """

    varied: Annotated[
        tuple[str, ...], Setting("The settings in which columns differ.", is_option=False)
    ] = ()

    @model_validator(mode="before")
    @classmethod
    def _checked(cls, data: Any) -> Any:
        """Convert values, and refuse what the command line refuses, wherever settings are made."""
        if not isinstance(data, dict):
            return data
        checked = dict(data)
        for declared in declared_in(cls):
            if declared.name in data:
                checked[declared.name] = checked_value(declared, data[declared.name])
        return checked

    def for_column(self, column: HasVariants) -> Self:
        """Return the settings of the consultations of one column.

        Whatever a consultation does with settings, it does with these.
        """
        values = dict(column.variants)
        own = {
            axis.name: axis.read(values[axis.option])
            for axis in axes_in(type(self))
            if axis.option in values
        }
        return self.model_copy(update={**own, "varied": ()})

    @property
    def limits(self) -> Limits:
        """The limits of one consultation."""
        return Limits(self.max_tokens, self.max_cost, self.max_seconds)

    def turn_limit(self, record: PatientRecord, memory: str = "") -> int:
        """Return how many questions the doctor of this patient may ask."""
        if memory == ONE_STEP:
            return 0
        if self.turns is not None:
            return self.turns
        # Fifty rounds times 1.1 are 55, though the product of the floats is a little more.
        return math.ceil(record.expected_rounds * self.turn_factor - CLOSE)

    def as_json(self) -> dict[str, Any]:
        """Return what decides results as plain data, without what the columns differ in."""
        stored = {declared.name for declared in declared_in(type(self)) if declared.is_stored}
        data = self.model_dump(mode="json", include=stored - {*self.varied})
        # The settings of one consultation never have it, nor do those of a run without axes: a
        # header or a page would only say that nothing varies.
        if not self.varied:
            del data["varied"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunSettings:
        """Read what `as_json` wrote.

        Raises:
            UserError: A setting is not known here, or has a value that it cannot have.
        """
        settings = settings_class()
        names = {declared.name for declared in declared_in(settings)}
        for name in data:
            if name not in names:
                raise UserError(
                    f"the run was made with the setting {name!r}, which is not known here",
                    "install the package that adds it",
                )
        return settings(**data)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send a worker what decides results, and no more: not the pool, for example."""
        return RunSettings.from_json, (self.as_json(),)


@cache
def settings_class() -> type[RunSettings]:
    """Return `RunSettings` with the groups that installed packages add.

    Raises:
        UserError: A group cannot be loaded, or has a setting of a name that is taken.
    """
    names = sorted(plugin_names(ENTRY_POINTS))
    groups = tuple(_group(name) for name in names)
    bases: Any = (RunSettings, *groups)
    return create_model("RunSettings", __base__=bases) if groups else RunSettings


def _group(name: str) -> type[SettingsGroup]:
    """Load one group of settings."""
    group = load_plugin("group of settings", ENTRY_POINTS, name, ())
    if not (isinstance(group, type) and issubclass(group, SettingsGroup)):
        raise UserError(
            f"the group of settings {name!r} is no osler.settings.groups.SettingsGroup",
            "make it a subclass of that",
        )
    if taken := sorted(group.model_fields.keys() & RunSettings.model_fields.keys()):
        raise UserError(
            f"the group of settings {name!r} has a setting {taken[0]!r}, which there is already",
            "give it another name",
        )
    return group
