"""A run as tables: `osler.load_run(path).scores()` has one row per consultation, `.turns()` one per turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from osler.errors import UserError
from osler.eval.faithfulness import RULES
from osler.eval.faithfulness.patient_verdicts import FIGURES, patient_verdicts, ruler_of
from osler.eval.ladder import LADDER
from osler.eval.panel import PERSON
from osler.eval.run_answers import has_judged_differentials
from osler.eval.verdict import Verdict
from osler.runs.makers import Makers
from osler.runs.store import RunFile
from osler.runs.store.explanations import explanations
from osler.runs.transcript import Transcript
from osler.runs.transcript_rows import event_rows, turn_rows

if TYPE_CHECKING:
    import pandas as pd


class Run:
    """A run, opened for reading; safe while it is still being written."""

    def __init__(self, file: RunFile) -> None:
        """Take an open run; use `load_run`."""
        self.file = file

    @property
    def path(self) -> Path:
        """Its file."""
        return self.file.path

    @property
    def about(self) -> dict[str, Any]:
        """Settings and versions."""
        return self.file.about()

    def judge(self, name: str | None = None) -> str:
        """Return the judge whose verdicts are shown: the one that is named, the run's own, or the ladder.

        Raises:
            UserError: That judge has not judged this run.
        """
        there = self.file.judges()
        own = self.file.own_judge()
        by_rules = LADDER if LADDER in there or not there else next(iter(there))
        chosen = name or (own if own in there else by_rules)
        if name is not None and chosen not in there:
            known = ", ".join(there) or "nobody"
            person = name.removeprefix(PERSON)
            how = f"--judge {name}" if person == name else f"--verdicts SHEET --person {person}"
            raise UserError(
                f"{self.path} has no verdicts of {name!r}; it was judged by {known}",
                f"`osler score {self.path} {how}` judges it",
            )
        return chosen

    def rows(self, judge: str | None = None, ruler: str | None = None) -> Iterator[dict[str, Any]]:
        """One dictionary per consultation that has ended, measures included.

        Leaks, fabrications and contradictions are by `ruler`: a model that judged the replies, or the rules, which do
        not count contradictions.
        """
        chosen = ruler_of([self.file], ruler)
        said = None if chosen == RULES else patient_verdicts(self.file, chosen)
        judged_by = self.judge(judge)
        causes = explanations(self.file, judged_by)
        for row in self.file.scores(judged_by):
            told = dict(row)
            told["differential_judged"] = row["diagnosis_verdict"] is not None and has_judged_differentials(judged_by)
            if not told["differential_judged"]:
                told["diagnosis_rank"] = None
            told.pop("cell")
            told |= json.loads(told.pop("measures") or "{}")
            told["makers"] = Makers.read(told)
            told.pop("faults", None)
            if said is None:
                told["contradictions"] = None
            else:
                told |= {name: said.get(told["number"], {}).get(name) for name in FIGURES}
            told["patient_ruler"] = chosen
            told["failed"] = told["state"] == "failed"
            told["judged"] = told["diagnosis_verdict"] is not None
            for kind in ("diagnosis", "treatment"):
                verdict = told[f"{kind}_verdict"]
                right, either = verdict == Verdict.CORRECT, verdict in {Verdict.CORRECT, Verdict.UNDECIDED}
                told[f"{kind}_right"] = None if verdict is None else float(right)
                told[f"{kind}_right_at_most"] = None if verdict is None else float(either)
            lost = causes.get(told["number"])
            told["cause"], told["lost_at"] = (lost.cause, lost.lost_at) if lost else (None, None)
            told["missing"] = lost.line if lost else None
            yield told

    def scores(self, judge: str | None = None, ruler: str | None = None) -> pd.DataFrame:
        """One row per consultation that has ended.

        `diagnosis_right` and `treatment_right` are 1 or 0, and nothing if nothing was judged: their means leave out
        what failed and what has no verdict yet. An undecided verdict is not right there, and right in
        `diagnosis_right_at_most` and `treatment_right_at_most`: accuracy lies between the two means. `diagnosis_rank`
        is the place of the first right diagnosis in the differential, if `differential_judged`: a judge other than the
        rules reads the final diagnosis alone. Who made what is
        counted as `questions_model`, `replies_rules` and so on, what was done to models' words as
        `interventions_doctor_unread`, what a seat used as `tokens_in_doctor`. `patient_ruler` is who counted leaks,
        fabrications and contradictions. If the run was explained for this judge,
        `cause` is why a consultation was lost, `lost_at` the turn, and `missing` what was missing, in one line.
        """
        import pandas as pd

        frame = pd.DataFrame([{**row, **row["makers"].flat()} for row in self.rows(judge, ruler)])
        if frame.empty:
            return frame
        shares = [f"{kind}_right{bound}" for kind in ("diagnosis", "treatment") for bound in ("", "_at_most")]
        return frame.drop(columns="makers").astype(dict.fromkeys(shares, float))

    def turns(self) -> pd.DataFrame:
        """One row per turn: the question, what it asked for, what was handed out, the reply, the recall, who made what.

        `tokens_in` and `tokens_out` count all calls of the turn, and are missing where a call did not tell.
        """
        import pandas as pd

        return pd.DataFrame([row for transcript in self.transcripts() for row in turn_rows(transcript)])

    def events(self) -> pd.DataFrame:
        """One row per event: consultation, turn, role, type, time, and the whole event as a dictionary."""
        import pandas as pd

        return pd.DataFrame([row for transcript in self.transcripts() for row in event_rows(transcript)])

    def compare(
        self, *others: Run, judge: str | None = None, against: str | None = None, patient_judge: str | None = None
    ) -> pd.DataFrame:
        """One row per column and measure, as `osler compare` counts them, with intervals and paired differences.

        `noise` is how far two equally good columns would differ by chance, `told_apart` whether the difference is
        larger than that; `patients_needed` and `trials_needed` say what would tell a smaller one apart.

        Args:
            others: More runs, whose columns are shown with this one's.
            judge: Whose verdicts; the rules' ladder unless another is named.
            against: The memory that the others are compared with.
            patient_judge: Whose leaks and fabrications: `rules`, or a model that judged the replies.
        """
        from osler.eval.compare import compare

        return compare([self, *others], judge=judge, against=against, ruler=patient_judge).frame()

    def transcripts(self) -> Iterator[Transcript]:
        """All consultations that have ended."""
        return self.file.transcripts()

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def __enter__(self) -> Self:
        """Use the run in a `with` statement."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """Its file, and how many consultations of its plan have ended."""
        standing = self.file.status()
        return f"Run({str(self.path)!r}, {standing.done} of {standing.total} consultations)"


def load_run(path: str | Path) -> Run:
    """Open a run by its name or file."""
    return Run(RunFile.open(path))
