"""Structure many texts, several at a time; each record is written at once, so runs can resume."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from osler.errors import RunStopped, UserError, printable
from osler.models import Backbone, BackboneError, open_backbone
from osler.models.cache import ResponseCache
from osler.models.retry import CircuitBreaker
from osler.private import make_private, private_file
from osler.records.formats import jsonl, yaml
from osler.records.pool import RecordPool
from osler.records.schema import Diagnosis, PatientRecord
from osler.records.text_case import TextCase
from osler.records.validation import Problem
from osler.structuring.source_text import read_cases
from osler.structuring.structure import Structurer, StructuringError, StructuringReport


class RecordFolder:
    """Where finished records go: a `.jsonl` file or a folder of YAML files, maybe with records."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        """Open it; with `force` whatever is there is removed first."""
        if path.suffix and path.suffix.lower() != ".jsonl":
            raise UserError(
                f"structured records cannot be written to {path.name}",
                "name a folder or a .jsonl file",
            )
        if not path.parent.is_dir():
            raise UserError(f"there is no folder {path.parent}", "create it first")
        self.path = path
        self.is_file = bool(path.suffix)
        self.report = path.with_name(f"{path.name}.report.txt")
        if force:
            self._remove()
        if self.is_file:
            private_file(path)
            # Half a record that a crash left at the end is cut off.
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
        elif not path.exists():
            path.mkdir()
            make_private(path)

    def _remove(self) -> None:
        if self.path.is_dir():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)
        self.report.unlink(missing_ok=True)

    def ids(self) -> frozenset[str]:
        """The ids of the records that are there."""
        if self._is_empty():  # a pool without records would be refused
            return frozenset()
        return frozenset(record.id for record in RecordPool.open(self.path))

    def _is_empty(self) -> bool:
        if self.is_file:
            return self.path.stat().st_size == 0
        return not any(self.path.glob("*.yaml"))

    def add(self, record: PatientRecord, report: StructuringReport) -> None:
        """Write one record and its report, so that a crash right after it loses nothing."""
        private_file(self.report)
        with self.report.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in report.lines())
        if self.is_file:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(jsonl.line(record))
                file.flush()
                os.fsync(file.fileno())
            return
        part = self.path / f".{record.id}.part"
        yaml.write([record], part)
        os.replace(part, self.path / f"{record.id}.yaml")


def convert_texts(
    source: Path,
    target: Path,
    spec: str,
    *,
    ids: Iterable[str] | None = None,
    limit: int | None = None,
    cache: Path | None = None,
    concurrency: int = 4,
    timeout: float = 300.0,
    force: bool = False,
    tell: Callable[[str], None] = print,
    inspect: Callable[[Diagnosis], str | None] = lambda _: None,
) -> TextConversion:
    """Structure the texts of a file or folder with a model into a JSONL file or a YAML folder.

    Records that are in the target are not asked for again. Answers to records in progress are
    stored beside the target until all records are done, or in `cache` for good. `inspect` may
    remark on each diagnosis.

    Raises:
        UserError: The source, the target or the model cannot be used.
    """
    chosen = frozenset(ids or ())
    matching = (case for case in read_cases(source) if _is_chosen(case, chosen))
    cases = list(islice(matching, limit))
    folder = RecordFolder(target, force=force)
    cache_path = cache or target.with_name(f".{target.name}.answers")
    answers = ResponseCache(cache_path)
    backbone = open_backbone(spec, timeout=timeout)
    conversion = TextConversion(folder, backbone, answers, concurrency, tell, inspect)
    try:
        asyncio.run(conversion.run(cases))
    finally:
        answers.close()
    if cache is None and not conversion.failed:
        cache_path.unlink(missing_ok=True)
    return conversion


def _is_chosen(case: TextCase | Problem, ids: Collection[str]) -> bool:
    """Check whether a case is to be structured; a problem has no id, and always counts."""
    return not ids or isinstance(case, Problem) or case.id in ids


@dataclass
class TextConversion:
    """Structures cases, several at the same time; one that fails leaves the others alone."""

    folder: RecordFolder
    backbone: Backbone
    answers: ResponseCache | None = None
    concurrency: int = 4
    tell: Callable[[str], None] = print
    inspect: Callable[[Diagnosis], str | None] = lambda _: None
    """Remarks on a diagnosis."""
    converted: int = 0
    earlier: int = 0
    """Records that were there before."""
    failed: list[str] = field(default_factory=list)
    reports: list[StructuringReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Stop when the server is down, as a run does."""
        self.backbone.client = CircuitBreaker(self.backbone.client)

    async def run(self, cases: Iterable[TextCase | Problem]) -> None:
        """Structure what is not in the folder yet; UserError if the model does not answer."""
        done = self.folder.ids()
        gate = asyncio.Semaphore(self.concurrency)
        try:
            async with asyncio.TaskGroup() as group:
                for case in cases:
                    if isinstance(case, Problem):
                        self._failed(str(case))
                    elif case.id in done:
                        self.earlier += 1
                    else:
                        group.create_task(self._structure(case, gate))
        except ExceptionGroup as failures:
            first = failures.exceptions[0]
            if isinstance(first, RunStopped):
                self.tell(self.summary())
                first = UserError(first.message, "re-run the same command to resume")
            raise first from None
        finally:
            await self.backbone.close()

    def summary(self) -> str:
        """One line with counts, tokens and cost."""
        answers = [answer for report in self.reports for answer in report.answers]
        tokens = sum((answer.tokens_in or 0) + (answer.tokens_out or 0) for answer in answers)
        costs = [answer.cost for answer in answers if answer.cost is not None]
        cost = f"{sum(costs):.4f} USD"
        if len(costs) < len(answers):
            cost = "cost unknown (set OSLER_PRICES)"
        earlier = f", {self.earlier} there before" if self.earlier else ""
        return (
            f"{self.converted} record(s) structured{earlier}, {len(self.failed)} failed;"
            f" {len(answers)} model call(s), {tokens:,} tokens, {cost}"
        )

    async def _structure(self, case: TextCase, gate: asyncio.Semaphore) -> None:
        async with gate:
            structurer = Structurer(case, self.backbone, self.answers)
            report = structurer.report
            self.reports.append(report)
            try:
                record = await structurer.record()
            except (StructuringError, BackboneError) as error:
                self._failed(f"{case.id}: {error}")
                return
            remark = self.inspect(record.diagnosis)
            if remark:
                report.notes.append(remark)
            self.folder.add(record, report)
            self.converted += 1
            for line in report.lines():
                self.tell(line)

    def _failed(self, line: str) -> None:
        self.failed.append(line)
        self.tell(f"failed: {printable(line)}")
