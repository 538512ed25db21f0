"""Calibration maps: one algorithm, one file."""
