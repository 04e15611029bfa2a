"""The report of a run: one page that opens from disk, and its figures for papers."""

from osler.eval.report.page import Report, write_report

__all__ = ["Report", "write_report"]
