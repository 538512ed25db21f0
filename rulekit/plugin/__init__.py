"""Registration and discovery of components."""
