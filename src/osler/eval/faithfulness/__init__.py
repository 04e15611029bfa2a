"""How faithful the patient's replies are to what it was given, measured after the consultation.

Judged by rules without a model (`judge_reply`), or by a model that first passed the controls (`PatientJudge`). Neither
shares code with the gate used during the consultation.
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
