"""Models made of other models: each reads its parts by their own adapters, and averages what they predict."""
