"""What export formats promise."""

import inspect
import re
from copy import deepcopy
from hashlib import sha256
from typing import Any

from rulekit.core.errors import ExportError
from rulekit.core.interfaces import Exporter
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet
from rulekit.testing.comparison import Answer
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.world import World, others, worlds

#: Parameters of `RuleSet.export` itself.
TAKEN = ("path", "format")


def content_of(exporter: Exporter, ruleset: RuleSet) -> bytes | None:
    """The content of a file; None if the format does not support these rules."""
    try:
        return exporter.export(ruleset)
    except ExportError:
        return None


@promise
def check_content_is_bytes(exporter: Any) -> None:
    """`export` returns bytes, and not none; only rules that the format does not support raise an `ExportError`."""
    contents = {world.name: content_of(fresh(exporter), world.ruleset(DecisionList())) for world in worlds()}
    for name, content in contents.items():
        expect(content is None or isinstance(content, bytes), f"{name}: an object of type {type(content).__name__}.")
        expect(content is None or content, f"{name}: an empty file.")
    expect(any(contents.values()), f"an ExportError for each of these rulesets: {', '.join(contents)}.")


@promise
def check_ruleset_is_not_changed(exporter: Any) -> None:
    """Exporting a ruleset does not change it."""
    for world in worlds():
        ruleset = world.ruleset(DecisionList())
        before = deepcopy(ruleset)
        content_of(fresh(exporter), ruleset)
        expect(ruleset == before, f"{world.name}: the ruleset differs from what it was.")


@promise
def check_rules_are_written(exporter: Any) -> None:
    """Different rules give different files."""
    for world, other in zip(worlds(), others(), strict=True):
        own, another = (content_of(fresh(exporter), each.ruleset(DecisionList())) for each in (world, other))
        expect(own is None or own != another, f"{world.name}: the same file for two different rulesets.")


@promise
def check_no_rules(exporter: Any) -> None:
    """A ruleset with only the default rule can be exported."""
    for world in worlds()[:2]:
        content = fresh(exporter).export(world.ruleset(DecisionList(), n_rules=0))
        expect(isinstance(content, bytes), f"{world.name}: an object of type {type(content).__name__}.")


@promise
def check_suffix(exporter: Any) -> None:
    """`suffix` is empty, or a file name suffix in lower case, with its dot."""
    suffix = type(exporter).suffix
    expect(isinstance(suffix, str) and re.fullmatch(r"(\.[a-z0-9_+-]+)*", suffix), f"{suffix!r}.")


@promise
def check_options(exporter: Any) -> None:
    """Every option has a default, and none is called `path` or `format`, which `RuleSet.export` takes itself."""
    options = inspect.signature(type(exporter)).parameters
    taken = [name for name in options if name in TAKEN]
    expect(not taken, f"an option called {', '.join(taken)}.")
    bare = [name for name, option in options.items() if option.default is option.empty]
    expect(not bare, f"no default for {', '.join(bare)}.")


def _answer(exporter: Any, world: World) -> Answer:
    content = content_of(exporter, world.ruleset(DecisionList()))
    return {"digests of the content": None if content is None else sha256(content).hexdigest()}


def _cases() -> tuple[World, ...]:
    return (*worlds(), others()[0])


USAGE = Usage(_cases, _answer, _answer)
SEAM = Seam(
    kind="export format",
    interface=Exporter,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_content_is_bytes,
        check_ruleset_is_not_changed,
        check_rules_are_written,
        check_no_rules,
        check_suffix,
        check_options,
    ),
)
