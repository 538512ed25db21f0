"""What can go wrong with a study, one class for each cause."""

from rulekit.core.errors import RulekitError


class StudyError(RulekitError):
    """A study cannot be run or read; base of the other errors here."""


class StudyDefinitionError(StudyError, ValueError):
    """The definition of a study is not valid."""


class StoreError(StudyError, OSError):
    """The file with a study's results cannot be read or written."""


class StoreInUseError(StoreError):
    """Another process is writing to the file with a study's results."""


class NoLocksError(StoreError):
    """The file system of a study's results does not support locks."""


class CellTimeoutError(StudyError, TimeoutError):
    """A cell of a study exceeded its time limit."""


class WorkerDiedError(StudyError, RuntimeError):
    """A worker process of a study died while it was working."""


class UnknownCodeWarning(UserWarning):
    """The code of a part cannot be read, so it is not known whether its results are out of date."""
