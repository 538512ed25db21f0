"""Samples that do not fit into memory: where they come from, and how they become parts of an index."""
