"""Inference modes: one algorithm, one file."""
