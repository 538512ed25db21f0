"""How large a ruleset from a file may be: far more than anybody reads, far less than exhausts a machine."""

#: Bytes of a file.
MAX_FILE_BYTES = 2**28
#: Rules, with the default.
MAX_RULES = 100_000
#: Distinct conditions of all rules, and conditions of one rule.
MAX_CONDITIONS = 1_000_000
MAX_CONDITIONS_OF_A_RULE = 10_000
#: Classes, columns, and categories of one column.
MAX_CLASSES = 10_000
MAX_FEATURES = 1_000_000
MAX_CATEGORIES = 1_000_000
#: Rules times classes.
MAX_PROBABILITIES = 10_000_000
#: Characters of a name or label.
MAX_TEXT = 10_000
#: Digits of a whole number: a 64-bit number has no more.
MAX_DIGITS = 20
#: Parameters of the inference mode, and values in a list or table among them.
MAX_PARAMETERS = 100
MAX_VALUES = 1_000_000
#: Training records, and category codes.
MAX_COUNT = 2**53
