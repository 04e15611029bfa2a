"""What is to be done after a turn: new thoughts, and actions on old ones; and what was proposed and is not done."""

from __future__ import annotations

from dataclasses import dataclass, field

from osler.memory.tim.arrange import Action


@dataclass(frozen=True)
class Plan:
    """What is to be done. New thoughts get the next numbers of the ledger, in the order of their actions."""

    actions: list[Action] = field(default_factory=list)
    requests: int = 0
    """Model requests it took."""
    refused: tuple[str, ...] = ()
    """What a model proposed and is not done, each with the reason."""
    proposed: int = 0
    """Thoughts and actions that a model proposed; an answer that could not be read counts as one."""
    is_unread: bool = False
    """Whether a model was asked for thoughts and no answer of it could be read: the turn is only in the bank."""
