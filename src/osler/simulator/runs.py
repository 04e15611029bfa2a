"""Runs on disk: a folder with the run's settings and one file per consultation, each written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from osler.errors import UserError
from osler.simulator.transcript import Header, Transcript

_SETTINGS = "run.json"
_TRANSCRIPTS = "transcripts"


@dataclass(frozen=True)
class Cell:
    """One consultation of a run's plan."""

    case: str
    backbone: str
    memory: str
    trial: int

    @classmethod
    def of(cls, header: Header) -> Cell:
        """The cell a transcript fills."""
        return cls(header.case, header.backbone, header.memory, header.trial)

    @property
    def file(self) -> str:
        """A file name that is safe everywhere and different for every cell."""
        return "~".join((self.case, _slug(self.backbone), _slug(self.memory), str(self.trial))) + ".json"


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-")[:80]


class Run:
    """A folder of transcripts that were made with the same settings."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; nothing is read or written yet."""
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, settings: dict[str, Any]) -> Run:
        """Start a run, or go on with one of the same settings."""
        run = cls(folder)
        known = folder / _SETTINGS
        if known.exists():
            before = json.loads(known.read_text(encoding="utf-8"))
            changed = {key for key in {*before, *settings} if before.get(key) != settings.get(key)}
            if changed:
                told = ", ".join(f"{key}: {before.get(key)!r} → {settings.get(key)!r}" for key in sorted(changed))
                raise UserError(
                    f"the run {folder} was made with other settings ({told})",
                    "give another --out, or the same settings",
                )
        try:
            (folder / _TRANSCRIPTS).mkdir(parents=True, exist_ok=True)
            _write(known, json.dumps(settings, indent=2, ensure_ascii=False))
        except OSError as error:
            raise UserError(f"the run cannot be written to {folder}: {error.strerror}", "give another --out") from None
        return run

    @classmethod
    def open(cls, folder: Path) -> Run:
        """An existing run."""
        if not (folder / _SETTINGS).is_file():
            raise UserError(f"{folder} is not a run", "give the folder that `osler simulate` wrote")
        return cls(folder)

    def has(self, cell: Cell) -> bool:
        """Whether that consultation is there."""
        return (self.folder / _TRANSCRIPTS / cell.file).exists()

    def save(self, transcript: Transcript) -> None:
        """Write one consultation."""
        path = self.folder / _TRANSCRIPTS / Cell.of(transcript.header).file
        _write(path, transcript.model_dump_json(exclude_none=True))

    def transcripts(self) -> Iterator[Transcript]:
        """All consultations, in the order of their names."""
        for path in sorted((self.folder / _TRANSCRIPTS).glob("*.json")):
            try:
                yield Transcript.model_validate_json(path.read_bytes())
            except ValidationError as error:
                raise UserError(
                    f"{path} is not a transcript: {error.errors()[0]['msg']}", "remove the file and run it again"
                ) from None

    def find(
        self, case: str, memory: str | None = None, backbone: str | None = None, trial: int | None = None
    ) -> Transcript:
        """The one consultation that fits."""
        fitting = [
            transcript
            for transcript in self.transcripts()
            if case in (transcript.header.case, transcript.header.patient)
            and memory in (None, transcript.header.memory)
            and backbone in (None, transcript.header.backbone)
            and trial in (None, transcript.header.trial)
        ]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            raise UserError(f"the run has no such consultation of {case!r}", "check the case, --memory and --backbone")
        told = "; ".join(
            " ".join((t.header.case, t.header.backbone, t.header.memory, str(t.header.trial))) for t in fitting[:6]
        )
        raise UserError(f"{case!r} fits {len(fitting)} consultations ({told})", "add --memory, --backbone or --trial")


def _write(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
