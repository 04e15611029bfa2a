"""How faithful the patient's replies are to what it was given, measured after the consultation.

What is exact is counted in every reply (`exact`); what has to be read is said by a model alone
(`patient_judge`), of a share of the replies. Neither shares code with the gate used during the
consultation.
"""

from osler.eval.faithfulness.replies import ReplyContext, replies_of

__all__ = ["ReplyContext", "replies_of"]
