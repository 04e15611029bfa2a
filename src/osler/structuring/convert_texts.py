"""Structure many texts: several at a time, each record written as soon as it is done, so that a run can be resumed."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterable
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
from osler.records.schema import PatientRecord
from osler.records.validation import Problem
from osler.structuring.source_text import TextCase, read_cases
from osler.structuring.structure import Structurer, StructuringError, StructuringReport


class RecordFolder:
    """Where finished records are kept: a `.jsonl` file, or a folder of YAML files. It may have records already."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        """Open it; with `force` whatever is there is removed first."""
        if path.suffix and path.suffix.lower() != ".jsonl":
            raise UserError(f"structured records cannot be written to {path.name}", "name a folder or a .jsonl file")
        if not path.parent.is_dir():
            raise UserError(f"there is no folder {path.parent}", "create it first")
        self.path, self.is_file = path, bool(path.suffix)
        self.report = path.with_name(f"{path.name}.report.txt")
        if force:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            self.report.unlink(missing_ok=True)
        if self.is_file:
            private_file(path)
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)  # half a record that a crash left at the end
        elif not path.exists():
            path.mkdir()
            make_private(path)

    def ids(self) -> frozenset[str]:
        """The ids of the records that are there."""
        is_empty = self.path.stat().st_size == 0 if self.is_file else not any(self.path.glob("*.yaml"))
        return frozenset() if is_empty else frozenset(record.id for record in RecordPool.open(self.path))

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
        made = self.path / f".{record.id}.part"
        yaml.write([record], made)
        os.replace(made, self.path / f"{record.id}.yaml")


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
) -> TextConversion:
    """Structure the texts of a file or folder with a model, and write the records to a JSONL file or a YAML folder.

    Records that are in the target are not asked for again. Answers to records in progress are kept beside the target
    until all records are done, or in `cache` for good.

    Raises:
        UserError: The source, the target or the model cannot be used.
    """
    wanted = frozenset(ids or ())
    found = (case for case in read_cases(source) if not wanted or isinstance(case, Problem) or case.id in wanted)
    cases = list(islice(found, limit))
    folder = RecordFolder(target, force=force)
    kept = cache or target.with_name(f".{target.name}.answers")
    answers = ResponseCache(kept)
    backbone = open_backbone(spec, timeout=timeout)
    conversion = TextConversion(folder, backbone, answers, concurrency, tell)
    try:
        asyncio.run(conversion.run(cases))
    finally:
        answers.close()
    if cache is None and not conversion.failed:
        kept.unlink(missing_ok=True)
    return conversion


@dataclass
class TextConversion:
    """Structures cases, several at the same time; one that fails leaves the others alone."""

    folder: RecordFolder
    backbone: Backbone
    answers: ResponseCache | None = None
    concurrency: int = 4
    tell: Callable[[str], None] = print
    converted: int = 0
    earlier: int = 0
    """Records that were there before."""
    failed: list[str] = field(default_factory=list)
    reports: list[StructuringReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Stop when the server is down, as a run does."""
        self.backbone.client = CircuitBreaker(self.backbone.client)

    async def run(self, cases: Iterable[TextCase | Problem]) -> None:
        """Structure what is not in the folder yet, then close the model. UserError if that does not answer at all."""
        done, gate = self.folder.ids(), asyncio.Semaphore(self.concurrency)
        try:
            async with asyncio.TaskGroup() as group:
                for case in cases:
                    if isinstance(case, Problem):
                        self._failed(str(case))
                    elif case.id in done:
                        self.earlier += 1
                    else:
                        group.create_task(self._one(case, gate))
        except ExceptionGroup as several:
            first = several.exceptions[0]
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
        cost = f"{sum(costs):.4f} USD" if len(costs) == len(answers) else "cost unknown (set OSLER_PRICES)"
        earlier = f", {self.earlier} there before" if self.earlier else ""
        return (
            f"{self.converted} record(s) structured{earlier}, {len(self.failed)} failed;"
            f" {len(answers)} model call(s), {tokens:,} tokens, {cost}"
        )

    async def _one(self, case: TextCase, gate: asyncio.Semaphore) -> None:
        async with gate:
            work = Structurer(case, self.backbone, self.answers)
            self.reports.append(work.report)
            try:
                record = await work.record()
            except (StructuringError, BackboneError) as error:
                self._failed(f"{case.id}: {error}")
            else:
                self.folder.add(record, work.report)
                self.converted += 1
                for line in work.report.lines():
                    self.tell(line)

    def _failed(self, line: str) -> None:
        self.failed.append(line)
        self.tell(f"failed: {printable(line)}")
