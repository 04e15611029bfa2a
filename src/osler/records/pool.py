"""The record pool a run draws from: a folder, a file or the bundled cases, read lazily."""

from __future__ import annotations

import hashlib
import heapq
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import NoReturn

from osler.errors import UserError
from osler.language import Language
from osler.records.registry import format_of, suffixes
from osler.records.schema import PatientRecord
from osler.records.twins import base_of, check_twin
from osler.records.validation import (
    Problem,
    ReadResult,
    RecordDraft,
    RecordError,
    RecordWarning,
    check,
    problem_at,
)

BUNDLED = "bundled"
_CASES = Path(str(files("osler.records") / "cases"))


@dataclass(frozen=True)
class RecordPool:
    """Records of one path, filtered; opening reads nothing, iterating one record at a time."""

    root: Path
    ids: frozenset[str] | None = None
    """Ids of records, or of patients: then all records of that patient."""
    specialties: frozenset[str] | None = None
    languages: frozenset[Language] | None = None
    limit: int | None = None
    sample: tuple[int, int] | None = None
    """How many, and the seed they are drawn with."""
    pairs: bool = False
    """Only records that have a twin, and their twins; samples and limits then count pairs. Without
    it, twins are left out unless `ids` names them."""

    @classmethod
    def open(cls, path: str | Path = BUNDLED) -> RecordPool:
        """Open a folder, a file, or `bundled`: the 44 patients in two languages of Osler itself."""
        if str(path) == BUNDLED:
            return _BUNDLED_POOL
        if not Path(path).exists():
            remedy = "give the path of a folder or a file of records, or `bundled`"
            raise UserError(f"there is no file or folder {path}", remedy)
        return cls(Path(path))

    def only(
        self,
        *,
        ids: Iterable[str] | None = None,
        specialties: Iterable[str] | None = None,
        languages: Iterable[str] | None = None,
        limit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        pairs: bool | None = None,
    ) -> RecordPool:
        """Narrow the pool; what is not given stays as it is. Sampling comes before the limit."""
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
            pairs=pairs if pairs is not None else self.pairs,
        )

    def __iter__(self) -> Iterator[PatientRecord]:
        """The records that pass the filters; RecordError at the first that is unusable."""
        return (reading.expect() for reading in self.chosen())

    def chosen(self) -> Iterator[ReadResult]:
        """The records that pass the filters, each with its notes; raises as iterating does."""
        if self.pairs and not self._twins:
            raise UserError("the pool has no twins", "leave out --twins, or add twins to the pool")
        sample = self._draw_sample() if self.sample else None
        begun: set[str] = set()
        missing = set(self.ids or ())
        for reading in self._sound():
            record = reading.expect()
            if not self._passes(record):
                continue
            missing -= self._names(record)
            unit = self._unit(record)
            if sample is not None and unit not in sample:
                continue
            if self.limit is not None and unit not in begun and len(begun) >= self.limit:
                if self.pairs:
                    continue  # the other half of a pair that was begun may still come
                return
            begun.add(unit)
            yield reading
        if missing:
            self._unknown(sorted(missing)[0])

    def get(self, record_id: str) -> PatientRecord:
        """One record by id."""
        path = self._index.get(record_id)
        if path is None:
            self._unknown(record_id)
        file_name = self._file_name(path)
        draft = next(draft for draft in _drafts(path, file_name) if _id_of(draft) == record_id)
        return self._checked(draft, file_name).expect()

    def find(self, name: str) -> PatientRecord:
        """One record by its id, or by its patient where the pool has that patient once."""
        if name in self._index:
            return self.get(name)
        ids = [record.id for record in self._passing() if record.patient == name]
        if len(ids) > 1:
            raise UserError(
                f"{name} is a patient with several records", f"give one of {', '.join(ids)}"
            )
        return self.get(ids[0] if ids else name)

    def readings(self) -> Iterator[ReadResult]:
        """Return what every draft of every file became, problems included; for `validate`."""
        return self._readings(lambda twin: True)

    def _readings(self, takes_twin: Callable[[str], bool]) -> Iterator[ReadResult]:
        """The same, with those twins alone whose id is to be taken."""
        places: dict[str, str] = {}
        for path in self._files():
            file_name = self._file_name(path)
            for reading in self._readings_of(path, file_name, takes_twin):
                yield self._unless_repeated(reading, places)

    def _unless_repeated(self, reading: ReadResult, places: dict[str, str]) -> ReadResult:
        """The reading, or a problem if a record elsewhere has its id; its place is noted."""
        if reading.record is None:
            return reading
        place = f"{reading.file} {reading.place}".strip()
        before = places.setdefault(reading.record.id, place)
        if before == place:
            return reading
        reason = f"is {reading.record.id!r} like that of {before}; give each record its own"
        problem = Problem(reading.file, reason, reading.place, "id")
        return ReadResult(reading.file, reading.place, problems=(problem,))

    def _readings_of(
        self, path: Path, file_name: str, takes_twin: Callable[[str], bool]
    ) -> Iterator[ReadResult]:
        if self.root == _CASES:
            yield from _bundled_readings(path, file_name)
        for draft in self._drafts_of(path, file_name):
            if base_of(draft) is not None:
                # A twin is read with the record that it is the twin of: only if it is wanted.
                if takes_twin(_id_of(draft) or ""):
                    yield self._checked(draft, file_name)
            elif self.root != _CASES:
                yield check(draft, file_name)

    def _checked(self, draft: RecordDraft | Problem, file_name: str) -> ReadResult:
        """What a draft became, also that of a twin."""
        base = base_of(draft)
        if isinstance(draft, Problem) or base is None:
            return check(draft, file_name)
        twin = self._twins[base]
        if twin != _id_of(draft):
            reason = f"{base!r} has the twin {twin!r} already; a record has one"
            problem = problem_at(("twin_of",), reason, draft, file_name)
            return ReadResult(file_name, draft.place, problems=(problem,))
        return check_twin(draft, file_name, self._bases.get(base))

    def _drafts_of(self, path: Path, file_name: str) -> Iterable[RecordDraft | Problem]:
        if self.root == _CASES:
            return _bundled_drafts(path, file_name)
        return _drafts(path, file_name)

    def _all_drafts(self) -> Iterator[tuple[str, RecordDraft | Problem]]:
        for path in self._files():
            file_name = self._file_name(path)
            for draft in self._drafts_of(path, file_name):
                yield file_name, draft

    @cached_property
    def _twins(self) -> dict[str, str]:
        """The id of each twin, by the id of the record that it is the twin of."""
        twins: dict[str, str] = {}
        for _, draft in self._all_drafts():
            base = base_of(draft)
            if base is not None:
                twins.setdefault(base, _id_of(draft) or "")
        return twins

    @cached_property
    def _bases(self) -> dict[str, PatientRecord]:
        """The records that have a twin, by id."""
        bases: dict[str, PatientRecord] = {}
        for file_name, draft in self._all_drafts():
            if _id_of(draft) not in self._twins:
                continue
            reading = check(draft, file_name)
            if reading.record is not None:
                bases[reading.record.id] = reading.record
        return bases

    def _takes_twin(self, twin: str) -> bool:
        return self.pairs or (self.ids is not None and twin in self.ids)

    def _sound(self) -> Iterator[ReadResult]:
        for reading in self._readings(self._takes_twin):
            reading.expect()
            for note in reading.mended:
                warnings.warn(f"{reading.file}: {note}", RecordWarning, stacklevel=3)
            yield reading

    def _passing(self) -> Iterator[PatientRecord]:
        """The records that pass the filters, whatever is drawn of them."""
        for reading in self._sound():
            record = reading.expect()
            if self._passes(record):
                yield record

    def _passes(self, record: PatientRecord) -> bool:
        if self.pairs and self._unit(record) not in self._twins:
            return False
        if self.ids is not None and self.ids.isdisjoint(self._names(record)):
            return False
        if self.specialties is not None and record.specialty not in self.specialties:
            return False
        return self.languages is None or record.language in self.languages

    def _unit(self, record: PatientRecord) -> str:
        """What samples and limits count: records, or pairs by the record that has the twin."""
        return record.twin_of if self.pairs and record.twin_of else record.id

    def _names(self, record: PatientRecord) -> frozenset[str]:
        """The names by which `ids` takes a record; either half of a pair takes both."""
        names = {record.id, record.patient}
        if self.pairs:
            unit = self._unit(record)
            names |= {unit, self._twins[unit]}
        elif record.twin_of is not None:
            names = {record.id}
        return frozenset(names)

    def _draw_sample(self) -> frozenset[str]:
        """The ids with the smallest hashes under the seed: the same draw on every machine."""
        assert self.sample is not None
        size, seed = self.sample

        def rank(name: str) -> bytes:
            return hashlib.sha256(f"{seed}\0{name}".encode()).digest()

        # One pass that holds no more than the sample: a pool may be larger than memory.
        units = (
            self._unit(record)
            for record in self._passing()
            if not (self.pairs and record.twin_of is not None)
        )
        return frozenset(heapq.nsmallest(size, units, key=rank))

    def _files(self) -> list[Path]:
        if self.root.is_file():
            return [self.root]
        readable = suffixes()
        paths = []
        for path in self.root.rglob("*"):
            if path.suffix.lower() in readable and path.is_file():
                paths.append(path)
        if not paths:
            remedy = f"put files into it that end in {', '.join(sorted(readable))}"
            raise UserError(f"{self.root} holds no records", remedy)
        paths.sort()
        # A link must not lend a pool the files of whoever runs it.
        folder = self.root.resolve()
        for path in paths:
            if not path.resolve().is_relative_to(folder):
                reason = f"leads outside the pool {self.root}; copy the file into it"
                raise RecordError(Problem(self._file_name(path), reason))
        return paths

    def _file_name(self, path: Path) -> str:
        return str(path.relative_to(self.root)) if path != self.root else path.name

    @cached_property
    def _index(self) -> dict[str, Path]:
        index: dict[str, Path] = {}
        for path in self._files():
            for draft in _drafts(path, self._file_name(path)):
                if isinstance(draft, Problem):
                    raise RecordError(draft)  # which records the file should have is not known
                if (name := _id_of(draft)) is not None:
                    index.setdefault(name, path)
        return index

    def _unknown(self, record_id: str) -> NoReturn:
        if self.pairs:
            raise UserError(
                f"no record that has a twin is called {record_id!r}",
                "`osler records list --twins` shows the pairs",
            )
        raise UserError(f"no record is called {record_id!r}", "`osler records list` shows the ids")


_BUNDLED_POOL = RecordPool(_CASES)


@cache
def _bundled_drafts(path: Path, file_name: str) -> tuple[RecordDraft | Problem, ...]:
    """The drafts of a bundled file, which never changes: it is read once."""
    return tuple(_drafts(path, file_name))


@cache
def _bundled_readings(path: Path, file_name: str) -> tuple[ReadResult, ...]:
    """The records of a bundled file, without twins."""
    drafts = _bundled_drafts(path, file_name)
    return tuple(check(draft, file_name) for draft in drafts if base_of(draft) is None)


def _drafts(path: Path, file_name: str) -> Iterator[RecordDraft | Problem]:
    try:
        yield from format_of(path, file_name).read(path, file_name)
    except RecordError as error:
        yield error.problem


def _id_of(draft: RecordDraft | Problem) -> str | None:
    data = draft.data if isinstance(draft, RecordDraft) else None
    name = data.get("id") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None
