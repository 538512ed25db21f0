"""How large a ruleset from a file may be: far larger than a useful one, far smaller than the memory."""

#: Bytes of a file, and values in it: lists, objects and their entries. 100,000 rules of ten conditions for twenty
#: classes take 92 million bytes and 7 million values.
MAX_FILE_BYTES = 2**27
MAX_FILE_VALUES = 10_000_000
#: Rules, including the default rule.
MAX_RULES = 100_000
#: Distinct conditions of all rules, and conditions of one rule.
MAX_CONDITIONS = 1_000_000
MAX_CONDITIONS_OF_A_RULE = 10_000
#: Classes, features, and categories of one feature.
MAX_CLASSES = 10_000
MAX_FEATURES = 1_000_000
MAX_CATEGORIES = 1_000_000
#: Rules times classes.
MAX_PROBABILITIES = 10_000_000
#: Characters of a name or label.
MAX_STRING = 10_000
#: Digits of a whole number: a 64-bit number has no more.
MAX_DIGITS = 20
#: Parameters of the inference mode, values of a list or object among them, and levels of nesting.
MAX_PARAMETERS = 100
MAX_VALUES = 1_000_000
MAX_DEPTH = 10
#: Training samples, and category codes.
MAX_COUNT = 2**53
