"""One exception class for each cause of failure."""


class RulekitError(Exception):
    """Base of every error that rulekit raises on purpose."""


class UnsupportedEnsembleError(RulekitError, TypeError):
    """No adapter can read this model."""


class EnsembleMismatchError(RulekitError, ValueError):
    """A fitted ensemble does not match the data that was passed."""


class UnsupportedDataError(RulekitError, ValueError):
    """`X` has columns, or `y` has labels, of a type that rules or the ensemble's library do not support."""


class UnfittedEnsembleError(RulekitError, ValueError):
    """An ensemble, or a search for one, is not fitted, or contains a tree that is not."""


class InvalidParameterError(RulekitError, ValueError):
    """A parameter has a value that is not allowed."""


class UnsupportedFitParameterError(RulekitError, TypeError):
    """`fit` got a parameter that it does not support."""


class SampleWeightError(RulekitError, ValueError):
    """`sample_weight` is not one finite number of 0 or more for each sample, or its numbers are too far apart."""


class WeightsNotSupportedError(RulekitError, TypeError):
    """A component or an ensemble cannot use the weights that `fit` got."""


class UnknownComponentError(RulekitError, ValueError):
    """No component of that kind has that name."""


class DuplicateComponentError(RulekitError, ValueError):
    """Two components of one kind are registered under the same name."""


class ComponentTypeError(RulekitError, TypeError):
    """A component does not implement the interface of its kind."""


class BrokenPluginError(RulekitError, ImportError):
    """A plugin could not be loaded or raised while registering."""


class IncompatiblePluginError(RulekitError, ImportError):
    """A plugin was written for hooks other than those of this version of rulekit."""


class MissingExtraError(RulekitError, ImportError):
    """A library that comes with an extra is not installed."""


class RuleSetFormatError(RulekitError, ValueError):
    """A document is not a ruleset that this version can read."""


class ExportError(RulekitError, ValueError):
    """A ruleset cannot be written in the requested format."""


class CalibrationDataError(RulekitError, ValueError):
    """A calibration map cannot be learned from these samples."""


class NoCounterfactualError(RulekitError, ValueError):
    """No change of the sample leads to the requested answer."""


class NoPathError(RulekitError, ValueError):
    """A model has no lists of other lengths."""


class NoIntervalsError(RulekitError, ValueError):
    """Rules for a number were fitted without intervals, and one was asked for."""


class MemoryBudgetError(RulekitError, ValueError):
    """The training samples do not fit into `max_memory`."""


class NotInMemoryError(RulekitError, ValueError):
    """A component needs single training samples, but `fit_from` leaves these in files or on a cluster."""


class SourceError(RulekitError, ValueError):
    """A source of samples cannot be read, or its parts do not match."""


class BudgetWarning(UserWarning):
    """A budget or an interrupt truncated the search: the rules are the best found so far."""


class FewRulesWarning(UserWarning):
    """The search found no rule besides the default rule."""


class ClassWithoutRuleWarning(UserWarning):
    """No rule predicts a class that the training samples have, and the default rule does not either."""


class DecisionThresholdWarning(UserWarning):
    """`predict` uses the decision threshold of the given classifier; the ruleset and its exports do not."""


class LowFidelityWarning(UserWarning):
    """The rules predict other classes than their ensemble for many of the training samples."""


class TransformedColumnsWarning(UserWarning):
    """Some rules are about columns that a step of the pipeline makes, because the table's own cannot express them."""


class LearningRateWarning(UserWarning):
    """A boosted model does not store its learning rate, which its rules' priors need: the library's default is used."""


class SeenSamplesWarning(UserWarning):
    """A calibration map may have been learned from samples that the ensemble was fitted on."""


class MissingValueWarning(UserWarning):
    """Exported rules expect NaN where the fitted rules also treat a number as a missing value."""


class UnexpectedMissingWarning(UserWarning):
    """Samples have missing values in columns that had none in training; the ruleset's choice says how rules answer."""


class ManyRulesWarning(UserWarning):
    """The search has found more rules than a person can read."""
