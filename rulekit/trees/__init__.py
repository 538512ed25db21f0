"""Single trees as rulesets: one grown on the samples, whose leaves are the rules."""
