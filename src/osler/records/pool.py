"""The patients a run draws from: a folder, a file or the bundled cases, opened without being held."""

from __future__ import annotations

import hashlib
import heapq
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import NoReturn

from osler.errors import UserError
from osler.language import Language
from osler.records.file_limits import is_nested, nested
from osler.records.formats import jsonl
from osler.records.registry import Format, format_of, head, suffixes
from osler.records.schema import PatientRecord
from osler.records.validation import Problem, ReadResult, RecordDraft, RecordError, RecordWarning, check

BUNDLED = "bundled"


@dataclass(frozen=True)
class _Place:
    """Where a record can be read again: the offset of its line, or its number within its file."""

    file: Path
    at: int


@dataclass(frozen=True)
class RecordPool:
    """Records of one path, filtered. Opening reads nothing; iterating reads one record at a time."""

    root: Path
    ids: frozenset[str] | None = None
    """Ids of records, or of patients: then all records of that patient."""
    specialties: frozenset[str] | None = None
    languages: frozenset[Language] | None = None
    limit: int | None = None
    sample: tuple[int, int] | None = None
    """How many, and the seed they are drawn with."""

    @classmethod
    def open(cls, path: str | Path = BUNDLED) -> RecordPool:
        """Open a folder, a file, or `bundled`: the 44 patients in two languages that come with Osler."""
        root = Path(str(files("osler.records") / "cases")) if str(path) == BUNDLED else Path(path)
        if not root.exists():
            raise UserError(
                f"there is no file or folder {path}", "give the path of a folder or a file of records, or `bundled`"
            )
        return cls(root)

    def only(
        self,
        *,
        ids: Iterable[str] | None = None,
        specialties: Iterable[str] | None = None,
        languages: Iterable[str] | None = None,
        limit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
    ) -> RecordPool:
        """The same pool narrowed; what is not given stays as it is. Sampling comes before the limit.

        Raises:
            UserError: There is no such language.
        """
        for name in languages or ():
            if name not in list(Language):
                raise UserError(f"there is no language {name!r}", f"use {' or '.join(Language)}")
        return replace(
            self,
            ids=frozenset(ids) if ids else self.ids,
            specialties=frozenset(specialties) if specialties else self.specialties,
            languages=frozenset(map(Language, languages)) if languages else self.languages,
            limit=limit if limit is not None else self.limit,
            sample=(sample, seed) if sample is not None else self.sample,
        )

    def __iter__(self) -> Iterator[PatientRecord]:
        """The records that pass the filters, in the order of the files.

        Raises:
            RecordError: at the first record that cannot be used, or whose id was there before.
        """
        chosen = self._drawn() if self.sample else None
        count = 0
        missing = set(self.ids or ())
        for record in self._sound():
            if not self._passes(record) or (chosen is not None and record.id not in chosen):
                continue
            if self.limit is not None and count >= self.limit:
                return
            count += 1
            missing -= {record.id, record.patient}
            yield record
        if missing:
            self._unknown(sorted(missing)[0])

    def get(self, record_id: str) -> PatientRecord:
        """One record by id, read from its place in the file."""
        place = self._index.get(record_id)
        if place is None:
            self._unknown(record_id)
        reading = self._read_at(place)
        return reading.expect()

    def find(self, name: str) -> PatientRecord:
        """One record by its id, or by its patient where the pool has that patient once."""
        if name in self._index:
            return self.get(name)
        found = [record.id for record in self._sound() if record.patient == name and self._passes(record)]
        if len(found) > 1:
            raise UserError(f"{name} is a patient with several records", f"give one of {', '.join(found)}")
        return self.get(found[0] if found else name)

    def readings(self) -> Iterator[ReadResult]:
        """What every draft of every file came to, problems included; for `validate`."""
        first: dict[str, str] = {}
        for reading in self._readings():
            if reading.record is not None:
                place = f"{reading.file} {reading.place}".strip()
                before = first.setdefault(reading.record.id, place)
                if before != place:
                    reason = f"is {reading.record.id!r} like that of {before}; give each record its own"
                    problem = Problem(reading.file, reason, reading.place, "id")
                    reading = ReadResult(reading.file, reading.place, problems=(problem,))
            yield reading

    def _sound(self) -> Iterator[PatientRecord]:
        for reading in self.readings():
            record = reading.expect()
            for note in reading.mended:
                warnings.warn(f"{reading.file}: {note}", RecordWarning, stacklevel=3)
            yield record

    def _passes(self, record: PatientRecord) -> bool:
        return (
            (self.ids is None or not self.ids.isdisjoint((record.id, record.patient)))
            and (self.specialties is None or record.specialty in self.specialties)
            and (self.languages is None or record.language in self.languages)
        )

    def _drawn(self) -> frozenset[str]:
        """The ids with the smallest hashes under the seed: the same draw on every machine, one pass, no list of all."""
        assert self.sample is not None
        size, seed = self.sample
        passing = (record.id for record in self._sound() if self._passes(record))
        return frozenset(
            heapq.nsmallest(size, passing, key=lambda name: hashlib.sha256(f"{seed}\0{name}".encode()).digest())
        )

    def _readings(self) -> Iterator[ReadResult]:
        for path in self._files():
            shown = self._shown(path)
            form = self._format(path)
            for draft in form.read(path, shown):
                yield _reading(draft, shown)

    def _files(self) -> list[Path]:
        if self.root.is_file():
            return [self.root]
        known, inside = suffixes(), self.root.resolve()
        found = sorted(path for path in self.root.rglob("*") if path.suffix.lower() in known and path.is_file())
        for path in found:
            if not path.resolve().is_relative_to(inside):
                problem = Problem(self._shown(path), f"leads outside the pool {self.root}; copy the file into it")
                raise RecordError(problem)
        if not found:
            raise UserError(
                f"{self.root} holds no records", f"put files into it that end in {', '.join(sorted(known))}"
            )
        return found

    def _format(self, path: Path) -> Format:
        form = format_of(path)
        if form is not None:
            return form
        known, shown = sorted(suffixes()), self._shown(path)
        if path.suffix.lower() in known:
            if is_nested(head(path)):
                raise RecordError(nested(shown))
            problem = Problem(shown, "no format of patient records begins like this")
            raise RecordError(
                problem, remedy="write records as YAML, or as lines of JSONL, as `osler records schema` says"
            )
        problem = Problem(shown, "its kind is not known")
        raise RecordError(problem, remedy=f"use a file that ends in {', '.join(known)}")

    def _shown(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path != self.root else path.name

    @cached_property
    def _index(self) -> dict[str, _Place]:
        """Where each id is. A large JSONL file is scanned once; its records are not kept."""
        index: dict[str, _Place] = {}
        for path in self._files():
            form, shown = self._format(path), self._shown(path)
            drafts: Iterator[tuple[int, RecordDraft | Problem]]
            if form is jsonl.FORMAT:
                drafts = (
                    (offset, jsonl.parse_line(number, raw, shown)) for number, offset, raw in jsonl.raw_lines(path)
                )
            else:
                drafts = enumerate(form.read(path, shown))
            for at, draft in drafts:
                if (
                    isinstance(draft, RecordDraft)
                    and isinstance(draft.data, dict)
                    and isinstance(draft.data.get("id"), str)
                ):
                    index.setdefault(draft.data["id"], _Place(path, at))
        return index

    def _read_at(self, place: _Place) -> ReadResult:
        form, shown = self._format(place.file), self._shown(place.file)
        if form is jsonl.FORMAT:
            with place.file.open("rb") as file:
                file.seek(place.at)
                return _reading(jsonl.parse_line(0, file.readline(), shown), shown)
        drafts = form.read(place.file, shown)
        return next(_reading(draft, shown) for number, draft in enumerate(drafts) if number == place.at)

    def _unknown(self, record_id: str) -> NoReturn:
        raise UserError(f"no record is called {record_id!r}", "`osler records list` shows the ids")


def _reading(draft: RecordDraft | Problem, shown: str) -> ReadResult:
    return ReadResult(shown, draft.place, problems=(draft,)) if isinstance(draft, Problem) else check(draft, shown)
