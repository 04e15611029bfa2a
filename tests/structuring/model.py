"""A model for structuring: it proposes what a test wants, and its verdicts are what the test
says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Verdicts = Callable[[Row], str | None]
"""What is wrong with an entry or a statement, or None."""


def supports_all(row: Row) -> str | None:
    return None


def entry(source: str, name: str, report: str = "", status: str = "present", **more: Any) -> Row:
    made = {
        "source": source,
        "category": "symptom",
        "name": name,
        "status": status,
        "report": report,
    }
    return {**made, "said": "", "when": "", "aliases": [], **more}


@dataclass
class StructuringModel:
    """Answers each kind of request; what it is asked is kept by kind."""

    patient: Mapping[str, str]
    entries: str | Iterable[Row]
    again: str | Iterable[Row] = ()
    fault: Verdicts = supports_all
    asked: list[tuple[str, str]] = field(default_factory=list)
    """The kind of each request, and its prompt."""
    judged: list[Row] = field(default_factory=list)
    """What verdicts were asked for."""

    def __call__(self, prompt: str) -> str:
        kind = _kind(prompt)
        self.asked.append((kind, prompt))
        if kind == "verify":
            return self._verdicts(prompt)
        answer = {"patient": dict(self.patient), "entries": self.entries, "again": self.again}[kind]
        if isinstance(answer, str):
            return answer
        return json.dumps(
            answer if kind == "patient" else {"entries": list(answer)}, ensure_ascii=False
        )

    def _verdicts(self, prompt: str) -> str:
        rows = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"number"')]
        self.judged += rows
        verdicts = []
        for row in rows:
            reason = self.fault(row)
            verdicts.append(
                {"number": row["number"], "supported": reason is None, "reason": reason or ""}
            )
        return json.dumps({"verdicts": verdicts}, ensure_ascii=False)

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.asked]

    def prompt(self, kind: str) -> str:
        return next(prompt for asked, prompt in self.asked if asked == kind)


def _kind(prompt: str) -> str:
    if '{"verdicts"' in prompt:
        return "verify"
    if '"complaint_source"' in prompt:
        return "patient"
    is_again = "These entries were refused" in prompt or "没有被接受" in prompt
    return "again" if is_again else "entries"
