"""The ladder: judges a diagnosis or a treatment by rules, from the surest step to the least sure."""

from osler.eval.ladder.commitment import Commitment, committed, count
from osler.eval.ladder.diagnosis import LADDER, judge_diagnosis, judge_differential
from osler.eval.ladder.treatment import judge_treatment

__all__ = ["LADDER", "Commitment", "committed", "count", "judge_diagnosis", "judge_differential", "judge_treatment"]
