"""What is checked after every reply, whatever the backbone."""

from osler.agents.guards.patient import check_reply, fabrications, leaks, omissions

__all__ = ["check_reply", "fabrications", "leaks", "omissions"]
