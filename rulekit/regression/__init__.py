"""Rules that predict numbers, from the trees of a regression ensemble."""
