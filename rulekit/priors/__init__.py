"""Prior combiners: one algorithm, one file."""
