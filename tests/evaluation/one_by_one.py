"""Slow answers about rules and records, one record at a time."""


def matching(ruleset, record):
    """Positions, from 0, of the rules that match a record, without the default."""
    values = [float(value) for value in record]
    return [
        place
        for place, rule in enumerate(ruleset)
        if not rule.is_default and all(each.holds(values[each.feature_index]) for each in rule.conditions)
    ]


def answering(ruleset, record):
    """Position, from 0, of the rule that answers in a decision list."""
    return next(iter(matching(ruleset, record)), len(ruleset) - 1)
