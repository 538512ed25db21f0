"""Nouns and contracts: nothing here imports pluggy or anything above it."""
