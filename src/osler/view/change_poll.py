"""Which runs have changed: an answer that waits until one has, so that a page can follow a run in progress."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from osler.view.run_list import RunList

PATIENCE = 20.0
"""Seconds until an answer comes although nothing has changed."""
_EVERY = 0.5
_NOTHING = "none"
"""The stamp of no runs, so that who waits for the first one does not ask without pause."""


async def wait_for_change(shelf: RunList, since: str, patience: float = PATIENCE) -> dict[str, Any]:
    """The present stamp, and the keys of the runs that it tells apart from the one given."""
    until = time.monotonic() + patience
    while True:
        stamp, changed = await asyncio.to_thread(_compare, shelf, since)
        if changed or not since or time.monotonic() >= until:
            return {"stamp": stamp, "runs": changed}
        await asyncio.sleep(_EVERY)


def _compare(shelf: RunList, since: str) -> tuple[str, list[str]]:
    """A stamp holds one part per run, so nothing has to be kept about who asked when."""
    now = {shown.key: shown.stamp() for shown in shelf.all()}
    before = dict(part.split("-", 1) for part in since.split(".") if "-" in part)
    changed = [key for key, stamp in now.items() if before.get(key) != stamp] if since else []
    changed += [key for key in before if key not in now]
    return ".".join(f"{key}-{stamp}" for key, stamp in now.items()) or _NOTHING, changed
