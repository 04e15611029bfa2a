"""Frames between a run's queue and a worker process: JSON, with its length before it."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any

from osler.records.schema import PatientRecord
from osler.runs.plan import Cell, Column
from osler.simulator.worker import Job

LONGEST = 64 * 1024 * 1024
"""In bytes: a record, or a transcript with all its prompts, is far shorter."""
_LENGTH = struct.Struct(">I")


def pack(**frame: Any) -> bytes:
    """A frame as bytes."""
    body = json.dumps(frame, ensure_ascii=True).encode()
    return _LENGTH.pack(len(body)) + body


async def read_frame(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next frame; None when the other side is gone, also in the middle of a frame, or sends anything else."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        if length > LONGEST:
            return None
        frame = json.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError, ValueError, RecursionError):
        return None
    return frame if isinstance(frame, dict) else None


def job_frame(job: Job) -> dict[str, Any]:
    """A job of work as plain data."""
    return {
        "number": job.number,
        "cell": {"case": job.cell.case, "column": job.cell.column.as_json(), "trial": job.cell.trial},
        "record": job.record.model_dump(mode="json", exclude_none=True),
        "kept": job.kept,
    }


def job_of(frame: dict[str, Any]) -> Job:
    """The job that `job_frame` packed."""
    kept = tuple((key, body) for key, body in frame["kept"])
    cell = frame["cell"]
    job = Cell(cell["case"], Column.of(**cell["column"]), cell["trial"])
    return Job(frame["number"], job, PatientRecord.model_validate(frame["record"]), kept)
