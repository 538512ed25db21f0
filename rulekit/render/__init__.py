"""Layout of tables, style of figures, and escaping, for rulesets, explanations and studies alike."""
