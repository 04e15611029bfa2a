"""Repair a damaged run.

Keep what is as it was written, make again what follows from it, and say what is lost.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from osler.errors import UserError
from osler.eval.panel import PERSON
from osler.eval.scoring import EXACT, score_missing
from osler.runs.store import RunFile, RunWriter, run_path
from osler.runs.store.check import find_damage
from osler.runs.store.connection import DamagedRunError, lock_for_writing, log_of, unlock
from osler.runs.store.rebuild import Rebuilt, rebuild
from osler.runs.store.row_checksums import CHECKED
from osler.runs.store.run_names import SUFFIX
from osler.runs.store.scores import is_measured

_NAMED = 5
"""Consultations that one line names."""


def repair_run(run: Path) -> list[str]:
    """Repair a run, with a copy of the original beside it.

    Return lines that say what was done and what is left to do.

    Raises:
        UserError: There is no such run, it is being written to, or too much of it is lost.
    """
    path = run_path(run)
    if not path.is_file():
        raise UserError(f"there is no run {path}", "`osler runs list` shows what there is")
    lock = lock_for_writing(path)
    try:
        if not _is_damaged(path):
            return [f"no damage found in {path}: nothing to repair"]
        backup = _copied(path)
        try:
            rebuilt, lacks_prices = _rebuilt(path)
        except UserError:
            _remove_copy(backup)  # the run is as it was
            raise
        _remove_log(path)
    except OSError as error:
        raise UserError(
            f"{path} cannot be repaired ({error.strerror})", "free disk space, or copy it elsewhere"
        ) from None
    finally:
        unlock(path, lock)
    return [
        f"{path} is repaired; the original is kept as {backup}",
        *_made_again(rebuilt, path, lacks_prices),
    ]


def _is_damaged(path: Path) -> bool:
    try:
        with RunFile.open(path, verified=False) as opened:
            return next(find_damage(opened), None) is not None
    except DamagedRunError:
        return True


def _copied(path: Path) -> Path:
    """Copy a run and its log under a name that is free."""
    names = (path.with_name(f"{path.name}.damaged{number or ''}") for number in count())
    backup = next(name for name in names if not name.exists())
    shutil.copy2(path, backup)
    if log_of(path).exists():
        shutil.copy2(log_of(path), log_of(backup))
    return backup


def _remove_copy(backup: Path) -> None:
    backup.unlink(missing_ok=True)
    log_of(backup).unlink(missing_ok=True)


def _rebuilt(path: Path) -> tuple[Rebuilt, bool]:
    """Put a sound file into the place of a run, once it is complete."""
    target = path.with_name(f"{path.stem}.repaired{SUFFIX}")
    target.unlink(missing_ok=True)
    try:
        rebuilt = rebuild(path, target, EXACT)
        with RunWriter.resume(target) as store:
            score_missing(store)
            lacks_prices = bool(rebuilt.rejudged) and is_measured(store, "tests_cost")
        shutil.copymode(path, target)
        target.replace(path)
    finally:
        target.unlink(missing_ok=True)
    return rebuilt, lacks_prices


def _remove_log(path: Path) -> None:
    """Remove what belonged to the damaged file: its content is in the new one."""
    for end in ("-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)


def _made_again(rebuilt: Rebuilt, path: Path, lacks_prices: bool) -> Iterator[str]:
    counted = {
        "result": rebuilt.results,
        "exact score": len(rebuilt.rejudged),
        "row of the plan": rebuilt.plan_rows,
    }
    made = ", ".join(f"{number} × {what}" for what, number in counted.items() if number)
    yield f"made again from transcripts: {made + ', ' if made else ''}the search index"
    if lacks_prices:
        yield (
            f"the scores made again are without prices of tests: `osler score {path} --test-prices"
            " FILE` adds them"
        )
    if rebuilt.unchecked_settings:
        names = ", ".join(rebuilt.unchecked_settings)
        yield (
            f"kept, though their checksums are lost: {names}; compare them with `osler runs status"
            f" {path}`"
        )
    if rebuilt.again:
        yield (
            f"to be held again, with the simulate command or `osler runs retry {path}`:"
            f" {_named(rebuilt.again)}"
        )
    if rebuilt.forks:
        yield f"forks that are lost: {_named(rebuilt.forks)}; `osler fork` makes them again"
    if rebuilt.records:
        lost = ", ".join(rebuilt.records)
        yield (
            f"lost with all their consultations: the records {lost}; re-run the simulate command"
            " with the same pool"
        )
    yield from _removed(rebuilt, path)


def _removed(rebuilt: Rebuilt, path: Path) -> Iterator[str]:
    """Say what was removed, and which command makes it again."""
    for table, places in rebuilt.removed.items():
        judges = Counter(
            place.key.split(" ", 1)[-1] if table in _REMEDIES else "" for place in places
        )
        for judge, number in judges.items():
            of_whom = f" of {judge}" if judge else ""
            remedy = _REMEDIES.get(table, _NO_REMEDY).format(
                run=path, judge=judge, command=score_command(path, judge)
            )
            yield f"removed: {number} × {CHECKED[table].title}{of_whom}; {remedy}"


def score_command(path: Path, judge: str) -> str:
    """The command that has a run judged by a judge of this name."""
    if judge.startswith(PERSON):
        return f"osler score {path} --verdicts SHEET --person {judge.removeprefix(PERSON)}"
    judges = " ".join(f"--judge {one}" for one in judge.split(" & "))
    return f"osler score {path} {judges}"


_REMEDIES = {
    "verdicts": "`{command}` judges again",
    "patient_verdicts": "`osler score {run} --patient-judge {judge}` judges again",
    "patient_judges": "the judge is examined again when it next judges the run",
    "explanations": "`osler explain {run} --judge {judge}` explains again",
}
"""By table; the judge is the end of a row's key."""
_NO_REMEDY = "it cannot be made again, and no score depends on it"


def _named(cells: Iterable[object]) -> str:
    names = [str(cell) for cell in cells]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more
