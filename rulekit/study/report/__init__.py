"""The report of a study: a folder of Markdown, CSV, LaTeX and figures, from stored results alone."""

from rulekit.study.report.parts import Part, Picture, Section
from rulekit.study.report.writing import write_report

__all__ = ["Part", "Picture", "Section", "write_report"]
