"""Slow answers about rules and samples, one sample at a time."""


def matching(ruleset, sample):
    """Positions, from 0, of the rules that match a sample, without the default."""
    values = [float(value) for value in sample]
    return [
        position
        for position, rule in enumerate(ruleset)
        if not rule.is_default and all(each.holds(values[each.feature_index]) for each in rule.conditions)
    ]


def answering(ruleset, sample):
    """Position, from 0, of the rule that answers in a decision list."""
    return next(iter(matching(ruleset, sample)), len(ruleset) - 1)
