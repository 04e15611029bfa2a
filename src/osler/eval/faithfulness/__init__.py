"""How true the patient's replies are to what was handed over, measured after the consultation.

Two rulers: rules without a model (`judge_reply`), and a model that was tried first (`PatientJudge`). Neither shares
code with what lets a reply pass while a consultation is held.
"""

import osler.eval.measures  # noqa: F401 -- first: measuring a consultation takes these rules, and they take parts of it
from osler.eval.faithfulness.replies import faults_of, replies_of
from osler.eval.faithfulness.rules import RULES, judge_reply
from osler.eval.faithfulness.verdict import Claim, ClaimKind, JudgedReply, ReplyContext, ReplyVerdict

__all__ = [
    "RULES",
    "Claim",
    "ClaimKind",
    "JudgedReply",
    "ReplyContext",
    "ReplyVerdict",
    "faults_of",
    "judge_reply",
    "replies_of",
]
