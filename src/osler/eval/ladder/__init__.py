"""The ladder: judge a diagnosis or a treatment by rules, from the most certain step to the least."""

from osler.eval.ladder.commitment import Commitment, committed, count
from osler.eval.ladder.diagnosis import LADDER, judge_diagnosis, judge_differential
from osler.eval.ladder.treatment import judge_treatment

__all__ = ["LADDER", "Commitment", "committed", "count", "judge_diagnosis", "judge_differential", "judge_treatment"]
