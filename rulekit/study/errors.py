"""What can go wrong with a study, one class for each cause."""

from rulekit.core.errors import RulekitError


class StudyError(RulekitError):
    """A study cannot be run or read; base of the other errors here."""


class StudyDefinitionError(StudyError, ValueError):
    """A study asks for something that there is not."""


class StoreError(StudyError, OSError):
    """The file with a study's results cannot be read or written."""


class StoreInUseError(StoreError):
    """Another process is writing to the file with a study's results."""


class CellTimeoutError(StudyError, TimeoutError):
    """A cell of a study took longer than it may."""


class WorkerDiedError(StudyError, RuntimeError):
    """A process that worked for a study ended in the middle of it."""
