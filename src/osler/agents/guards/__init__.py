"""What is checked after every reply and every question, whatever the backbone."""

from osler.agents.guards.doctor import check_question
from osler.agents.guards.patient import check_reply, fabrications, leaks, omissions

__all__ = ["check_question", "check_reply", "fabrications", "leaks", "omissions"]
