"""How a setting is declared: once, for the command line, Python, the run file and every table.

It needs neither pydantic nor typer, so that commands which need one declaration load neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """What is said of a setting beside its name, its type and its default."""

    help: str
    option: str | None = None
    """Its name in Python and in tables, if it is not the field's."""
    flag: str | None = None
    """Its flag on the command line, if that is not made of the option's name."""
    short: str | None = None
    """A second flag."""
    minimum: float | None = None
    maximum: float | None = None
    decides_results: bool = True
    """Whether results depend on it: so it is stored, with the run's settings or with `in_column` in
    its columns, and may not change when the run is resumed."""
    axis: bool = False
    """Whether it may be given more than once: the columns of a run then differ in it, and name it
    as a variant."""
    in_column: bool = False
    """Whether every column names it, also if it is given once: what a doctor is made of."""
    default_depends: bool = False
    """Whether, if it is not given, other settings decide it; the help says how."""
    may_differ: bool = False
    """Whether runs that differ in it can be compared all the same."""
    label: str | None = None
    """What warnings call it, if not by its name."""
    thing: str | None = None
    """What a class, function or client that is given in place of a name has to be."""
    normal: Callable[[str], str] | None = None
    """Returns a text as it is stored and named, or refuses it with a `UserError`."""
    is_option: bool = True
    """Whether people can give it. What others decide alone is stored, and never given."""

    @property
    def bounds(self) -> str:
        """Its limits in words; empty if it has none."""
        if self.minimum is not None and self.maximum is not None:
            return f"from {self.minimum:,} to {self.maximum:,}"
        if self.minimum is not None:
            return f"at least {self.minimum:,}"
        if self.maximum is not None:
            return f"at most {self.maximum:,}"
        return ""


# Settings that other commands have as well.
CASES = Setting(
    "Only this record, or all records of this patient.",
    flag="--case",
    decides_results=False,
)
SPECIALTIES = Setting("Only this specialty.", flag="--specialty", decides_results=False)
LANGUAGES = Setting("Only this language, en or zh.", flag="--language", decides_results=False)
LIMIT = Setting("Maximum number of records.", minimum=1, decides_results=False)
SAMPLE = Setting("Draw this many records at random.", minimum=1, decides_results=False)
TWINS = Setting(
    "Only pairs of twins: records that differ in one deciding fact. --limit and --sample then count"
    " pairs.",
    decides_results=False,
)
POOL = Setting("A folder or file of records, or `bundled`.", decides_results=False)
SEED = Setting("Seed of all random choices.", may_differ=True)
CONCURRENCY = Setting(
    "Consultations at the same time.", minimum=1, maximum=100_000, decides_results=False
)
TIMEOUT = Setting("Timeout of one model call in seconds.", minimum=1, decides_results=False)
