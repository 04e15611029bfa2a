"""The report of a run: one page that opens from disk, and its figures for papers."""

from osler.eval.report.write import Report, write_report

__all__ = ["Report", "write_report"]
