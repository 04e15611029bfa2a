"""A run as tables.

`osler.load_run(path).scores()` has one row per consultation, `.turns()` one per turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from osler.errors import UserError
from osler.eval.faithfulness.patient_verdicts import ruler_of
from osler.eval.panel import PERSON
from osler.eval.scoring import EXACT
from osler.runs.scored import ScoredConsultation
from osler.runs.store import RunFile
from osler.runs.store.scores import scored_consultations
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
        """Return the judge whose verdicts are shown.

        The one that is named, the run's own, or the exact stage.

        Raises:
            UserError: That judge has not judged this run.
        """
        judges = self.file.judges()
        if name is not None:
            if name not in judges:
                raise self._not_judged(name, judges)
            return name
        own = self.file.own_judge()
        if own is not None and own in judges:
            return own
        if EXACT in judges or not judges:
            return EXACT
        return next(iter(judges))

    def _not_judged(self, name: str, judges: Iterable[str]) -> UserError:
        person = name.removeprefix(PERSON)
        options = f"--judge {name}" if person == name else f"--verdicts SHEET --person {person}"
        return UserError(
            f"{self.path} has no verdicts of {name!r}; it was judged by"
            f" {', '.join(judges) or 'nobody'}",
            f"`osler score {self.path} {options}` judges it",
        )

    def consultations(
        self, judge: str | None = None, patient_judge: str | None = None
    ) -> Iterator[ScoredConsultation]:
        """Every consultation that has ended, with the verdicts of a judge.

        Args:
            judge: Whose verdicts; the run's own unless another is named.
            patient_judge: Whose reading of the replies; the last model's unless another is named.
        """
        patient_judge = ruler_of([self.file], patient_judge)
        return scored_consultations(self.file, self.judge(judge), patient_judge)

    def scores(self, judge: str | None = None, patient_judge: str | None = None) -> pd.DataFrame:
        """One row per consultation that has ended: what it was, and every measure by its name.

        `diagnosis_right` and `treatment_right` are 1 or 0, and nothing if nothing was judged: their
        means leave out what failed and what has no verdict yet. An undecided verdict is not right
        there, and right in `diagnosis_right_at_most` and `treatment_right_at_most`: accuracy lies
        between the two means. `diagnosis_rank` is the place of the first right diagnosis in the
        differential, 0 if none is, and nothing unless `differential_judged`: a reader reads the
        final diagnosis alone. Who made what is counted as `questions_model`, `replies_rules` and so
        on, what was done to models' words as `interventions_doctor_unread`, what a seat used as
        `tokens_in_doctor`. `patient_ruler` is the model that read `replies_read` of the replies and
        found the leaks, fabrications and contradictions in them; without one these columns are
        missing. In a run with pairs of twins, `twin` is the record of the other half, and both
        halves have the pair's `sensitivity_diagnosis` and so on. If the run was explained for this
        judge, `cause` is why a consultation was lost, `lost_at` the turn, and `missing` what was
        missing, in one line.
        """
        from osler.eval.scores_frame import scores_frame

        return scores_frame(self.consultations(judge, patient_judge))

    def turns(self) -> pd.DataFrame:
        """One row per turn.

        The question, what it asked for, what was handed out, the reply, the recall, who made what.

        `tokens_in` and `tokens_out` count all calls of the turn, and are missing where a call did
        not tell.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for transcript in self.transcripts():
            rows += turn_rows(transcript)
        return pd.DataFrame(rows)

    def events(self) -> pd.DataFrame:
        """One row per event.

        It has consultation, turn, role, type, time, and the whole event as a dictionary.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for transcript in self.transcripts():
            rows += event_rows(transcript)
        return pd.DataFrame(rows)

    def compare(
        self,
        *others: Run,
        judge: str | None = None,
        against: str | None = None,
        patient_judge: str | None = None,
    ) -> pd.DataFrame:
        """One row per column and measure, as `osler compare` counts them.

        With intervals and paired differences, a row for each column that this one is compared with
        (`against`): `noise` is how far two equally good columns would differ by chance,
        `told_apart` whether the difference is larger than that; `patients_needed` and
        `trials_needed` say what would tell a smaller one apart.

        Args:
            others: More runs, whose columns are shown with this one's.
            judge: Whose verdicts; the run's own unless another is named.
            against: The memory that the others are compared with.
            patient_judge: Whose leaks and fabrications, of the models that read replies.
        """
        from osler.eval.compare import compare

        return compare(
            [self, *others], judge=judge, against=against, patient_judge=patient_judge
        ).frame()

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
