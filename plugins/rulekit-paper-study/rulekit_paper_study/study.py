"""The published study as a component: run by its name, and reported beside the published figures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rulekit.core.interfaces import ReadyStudy
from rulekit_paper_study.profiles import DOUBTFUL, PROFILES, missing_methods, profile_definition

if TYPE_CHECKING:
    import pandas as pd

    from rulekit.study.report import Section
    from rulekit.study.statistics import StoredRules


class PaperStudy(ReadyStudy):
    """The published study of RCProb."""

    profiles: ClassVar[tuple[str, ...]] = PROFILES
    apart: ClassVar[Mapping[str, str]] = DOUBTFUL

    def definition(self, profile: str | None) -> dict[str, Any]:
        """One profile of the study; see `profile_definition`."""
        return profile_definition(str(profile))

    def notes(self, profile: str | None) -> Sequence[str]:
        """Methods that the study does without, since their plugins are not installed."""
        missing = missing_methods(str(profile))
        return [f"Without {method}: its plugin, rulekit-{method}, is not installed." for method in missing]

    def sections(
        self,
        results: pd.DataFrame,
        rulesets: Iterable[StoredRules],
        *,
        profile: str | None = None,
        published: str | os.PathLike[str] | None = None,
    ) -> Sequence[Section]:
        """The published figures beside these, if their folder is known."""
        if published is None:
            return ()
        # Whatever needs a component loads this plugin: what only a report needs has to wait.
        from rulekit_paper_study.published import read_published
        from rulekit_paper_study.side_by_side import side_by_side

        return side_by_side(read_published(published), results, rulesets, profile=profile)
