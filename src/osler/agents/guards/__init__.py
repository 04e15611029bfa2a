"""What is checked after every question, and what the ledger of a reply is made from."""

from osler.agents.guards.doctor import check_question
from osler.agents.guards.patient import fabrications, leaks

__all__ = ["check_question", "fabrications", "leaks"]
