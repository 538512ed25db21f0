"""Adapters: one family of models, one file."""
