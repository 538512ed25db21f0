"""The one place that lays out a table, styles a figure and writes LaTeX, for rulesets, explanations and studies."""
