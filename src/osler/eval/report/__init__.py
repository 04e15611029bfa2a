"""The report of a run: one page that opens from disk, and its figures for papers."""

from osler.eval.report.page import Report, write_report
from osler.eval.report.thoughts import plot_thoughts

__all__ = ["Report", "plot_thoughts", "write_report"]
