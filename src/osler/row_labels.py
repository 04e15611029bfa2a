"""How the rows of tables say whether a figure is a total or a mean, since tables hold both."""

NOTE = (
    "(total): all consultations of a column together; (mean): per consultation;"
    " other rows count consultations or patients, or are shares"
)
"""Explains the labels below a table."""


def total(label: str) -> str:
    """Label a row that adds up all consultations."""
    return f"{label} (total)"


def mean(label: str) -> str:
    """Label a row that is a mean over consultations."""
    return f"{label} (mean)"
