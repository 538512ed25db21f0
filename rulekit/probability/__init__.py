"""Probability estimators: one algorithm, one file."""
