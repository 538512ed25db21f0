"""What of a store is out of date, and why: facts on today's code, versions and data beside those of the results."""

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from rulekit.core.errors import RulekitError
from rulekit.study.data import load_datasets
from rulekit.study.definition import Study
from rulekit.study.keys import plain_facts
from rulekit.study.plan import plan
from rulekit.study.store import Store

#: What is longer, such as a hash, says nothing to a reader.
_SHORT = 20
_WITHOUT_FACTS = "an earlier version of rulekit did not note what they depend on"


@attrs.frozen
class Outdated:
    """The finished cells of a study that would run again.

    Attributes
    ----------
    cells : tuple of (dict, str)
        Key of each cell, and what has changed since.
    n_finished : int
        How many are done, out of date or not.
    problem : str or None
        Why this cannot be known here, if it cannot.
    """

    cells: tuple[tuple[dict[str, Any], str], ...] = ()
    n_finished: int = 0
    problem: str | None = None

    @property
    def reasons(self) -> dict[str, dict[str, int]]:
        """For each reason how many cells of each variant it concerns."""
        found: dict[str, dict[str, int]] = {}
        for key, reason in self.cells:
            counts = found.setdefault(reason, {})
            counts[key["variant"]] = counts.get(key["variant"], 0) + 1
        return found


def outdated(store: Store) -> Outdated:
    """Compare the results of a store with what its study would run on now: the same definition, data read again."""
    done = [(key, facts) for key, status, facts in store.made_from() if status == "done"]
    try:
        study = Study.from_dict(store.definition(), store.base())
        now = {tuple(cell.labels.values()): cell.facts for cell in plan(study, load_datasets(study))}
    # A plugin's part may raise anything when it is made.
    except (RulekitError, ValueError, TypeError, OSError) as error:
        return Outdated(n_finished=len(done), problem=" ".join(str(error).split()))
    changed = ((key, _reason(facts, now.get(tuple(key.values())))) for key, facts in done)
    return Outdated(tuple((key, reason) for key, reason in changed if reason), len(done))


def _reason(before: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> str:
    """What has changed between two tables of facts; an empty string if nothing has."""
    if now is None:
        return "the datasets have other names"
    return _WITHOUT_FACTS if before is None else "; ".join(_changes(before, plain_facts(now)))


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys([*before, *now]):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) <= _SHORT:
            yield f"{name} was {old}, is {new}"
        else:
            yield f"{name} {'is new' if old is None else 'is no longer used' if new is None else 'has changed'}"
