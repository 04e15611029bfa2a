"""How true the patient's replies are to what was handed over, measured after the consultation.

Judged by rules without a model (`judge_reply`), or by a model that was tried first (`PatientJudge`). Neither shares
code with what lets a reply pass while a consultation is held.
"""

from osler.eval.faithfulness.replies import (
    ClaimKind,
    JudgedReply,
    ReplyContext,
    ReplyVerdict,
    UnsupportedClaim,
    replies_of,
)
from osler.eval.faithfulness.rules import RULES, faults_of, judge_reply

__all__ = [
    "RULES",
    "ClaimKind",
    "JudgedReply",
    "ReplyContext",
    "ReplyVerdict",
    "UnsupportedClaim",
    "faults_of",
    "judge_reply",
    "replies_of",
]
