"""What a whole pool came to when it was checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rich.table import Table

from osler.language import Language
from osler.records.pool import RecordPool
from osler.records.validation import Problem

_LIMIT = 1000
"""Problems that are kept; a file of a million broken lines says the same thing a million times."""


@dataclass(frozen=True)
class Check:
    """Counts and problems of a pool."""

    sound: int
    by_specialty: Counter[tuple[str, Language]]
    problems: tuple[Problem, ...]
    mended: tuple[str, ...]

    @classmethod
    def of(cls, pool: RecordPool) -> Check:
        """Read everything once."""
        counts: Counter[tuple[str, Language]] = Counter()
        problems: list[Problem] = []
        mended: list[str] = []
        for reading in pool.readings():
            if reading.record is not None:
                counts[reading.record.specialty or "(none)", reading.record.language] += 1
            problems.extend(reading.problems[: _LIMIT - len(problems)])
            mended.extend(f"{reading.file}: {note}" for note in reading.mended)
        return cls(counts.total(), counts, tuple(problems), tuple(mended))

    def table(self) -> Table:
        """Records by specialty and language."""
        languages = [language for language in Language if any(key[1] is language for key in self.by_specialty)]
        table = Table(title=f"{self.sound} records, all sound", title_justify="left", show_footer=True)
        table.add_column("specialty", footer="all")
        for language in languages:
            table.add_column(
                language.value,
                justify="right",
                footer=str(sum(n for key, n in self.by_specialty.items() if key[1] is language)),
            )
        for specialty in sorted({key[0] for key in self.by_specialty}):
            table.add_row(specialty, *(str(self.by_specialty[specialty, language]) for language in languages))
        return table
