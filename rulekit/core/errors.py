"""One exception class for each cause of failure."""


class RulekitError(Exception):
    """Base of every error that rulekit raises on purpose."""


class UnsupportedEnsembleError(RulekitError, TypeError):
    """No adapter can read this model."""


class EnsembleMismatchError(RulekitError, ValueError):
    """A fitted ensemble does not belong to the data handed over."""


class UnfittedEnsembleError(RulekitError, ValueError):
    """An ensemble says it is fitted, but a tree inside it is not."""


class InvalidParameterError(RulekitError, ValueError):
    """A parameter lies outside its range."""


class UnsupportedFitParameterError(RulekitError, TypeError):
    """`fit` was given something that it would have to ignore."""


class UnknownComponentError(RulekitError, ValueError):
    """No component of that kind has that name."""


class DuplicateComponentError(RulekitError, ValueError):
    """Two components of one kind ask for the same name."""


class ComponentTypeError(RulekitError, TypeError):
    """A component does not offer what its kind promises."""


class BrokenPluginError(RulekitError, ImportError):
    """A plugin could not be loaded or raised while registering."""


class IncompatiblePluginError(RulekitError, ImportError):
    """A plugin was written for other hooks than the ones rulekit has."""


class MissingExtraError(RulekitError, ImportError):
    """A library that comes with an extra is not installed."""


class RuleSetFormatError(RulekitError, ValueError):
    """A document is not a ruleset that this version can read."""


class ExportError(RulekitError, ValueError):
    """A ruleset cannot be written in the format asked for."""


class CalibrationDataError(RulekitError, ValueError):
    """A calibration map cannot be learned from these samples."""


class NoCounterfactualError(RulekitError, ValueError):
    """No change of the sample gets the answer that is asked for."""


class MemoryBudgetError(RulekitError, ValueError):
    """The samples do not fit into `max_memory`, whatever the rules."""


class BudgetWarning(UserWarning):
    """A budget, or an interrupt, has cut the search short: the rules are the best so far."""


class FewRulesWarning(UserWarning):
    """The search ended without a single rule besides the default."""


class LearningRateWarning(UserWarning):
    """A boosted model does not tell its learning rate, which its rules' priors need: the library's default is taken."""


class SeenSamplesWarning(UserWarning):
    """The probabilities that a calibration map is learned from may be of samples that the ensemble was fitted on."""


class ManyRulesWarning(UserWarning):
    """The search has found more rules than anybody reads."""
