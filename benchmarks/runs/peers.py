"""Other extractors on the same fitted ensembles."""

from collections.abc import Iterator

import rulekit
from benchmarks.cases import DATASETS, Case, cases
from benchmarks.engines import using
from benchmarks.isolation import FailedWorkError, TimeLimitError, isolated
from benchmarks.limits import GEOMETRIC_MEAN, limit
from benchmarks.measures import PEERS as OTHERS
from benchmarks.measures import RULECOSI, SAME_RULES, Measure
from benchmarks.peers import PEERS, Finding, Peer, PlainRule, RuleCosi
from benchmarks.peers.peer import run as run_peer
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import geometric_mean, side_by_side


def run(settings: Settings) -> Iterator[Row]:
    """Ratios for every peer that is installed; those that are not are named, with the command that installs them."""
    wanted = [peer for peer in PEERS if settings.peers is None or peer.name in settings.peers]
    present = [peer for peer in wanted if peer.is_installed]
    for peer in wanted:
        if peer not in present:
            yield Row("peers", "", peer.name, _measure(peer).name, None, detail=f"not installed: {peer.install}")
    ratios: dict[tuple[str, str], dict[str, float]] = {}
    # Some peers compare in double precision what scikit-learn's trees compare in single.
    for case in cases(settings, is_single=True) if present else ():
        for peer in present:
            for row in _rows(peer, case, settings):
                yield row
                if row.measure == RULECOSI.name and row.value is not None:
                    ratios.setdefault((row.engine, case.ensemble), {})[case.dataset] = row.value
    yield from _mean_rows(ratios)


def shared(ours: list[PlainRule], theirs: list[PlainRule]) -> float:
    """Share of the places in two lists of rules that hold the same rule."""
    return sum(one == other for one, other in zip(ours, theirs, strict=False)) / max(len(ours), len(theirs), 1)


def plain_rules(ruleset: rulekit.RuleSet) -> list[PlainRule]:
    """The rules of a ruleset as data."""
    return [
        (frozenset((each.feature_index, each.operator == "<=", each.threshold) for each in rule.conditions), rule.label)
        for rule in ruleset
    ]


def _measure(peer: Peer) -> Measure:
    return RULECOSI if isinstance(peer, RuleCosi) else OTHERS


def _rows(peer: Peer, case: Case, settings: Settings) -> Iterator[Row]:
    measure, title = _measure(peer), f"{case} {peer.name}"
    reason = peer.refuses(case.ensemble, case.n_classes)
    if reason:
        yield Row("peers", "", title, measure.name, None, detail=f"left out: {peer.name} {reason}")
        return
    time_limit = settings.time_limit or peer.time_limit
    settings.announce(f"{title}, for {time_limit:g} s at most")
    bound = ""
    try:
        finding = isolated(run_peer, peer, case.model, case.X, case.y, settings.repeats, time_limit=time_limit)
    except FailedWorkError as error:
        yield Row("peers", "", title, measure.name, None, detail=f"failed: {error}")
        return
    except TimeLimitError as error:
        finding, bound = Finding(time_limit, 0), f"{error}, so that this is a lower bound; "
    for engine in settings.engines:
        yield from _engine_rows(peer, case, engine, finding, bound, settings.repeats)


def _engine_rows(peer: Peer, case: Case, engine: str, finding: Finding, bound: str, repeats: int) -> Iterator[Row]:
    measure = _measure(peer)
    model = rulekit.build(peer.method, case.model, **peer.options)
    with using(engine):
        seconds = side_by_side({"ours": lambda: model.fit(case.X, case.y)}, repeats, is_cpu=True)["ours"]
    title = f"{case} {peer.name}"
    counts = f"{len(model.ruleset_)} rules" if bound else f"{finding.n_rules} and {len(model.ruleset_)} rules"
    facts = [f"{bound}{finding.seconds:.2f} s / {seconds:.3f} s", counts, *([peer.settings] if peer.settings else [])]
    yield Row(
        "peers",
        engine,
        title,
        measure.name,
        finding.seconds / seconds,
        limit(measure, engine, case.ensemble, case.dataset),
        ", ".join(facts),
    )
    if finding.rules is not None:
        ours = plain_rules(model.ruleset_)
        detail = f"{counts}, {len({*ours} & {*finding.rules})} in both, wherever they stand"
        yield Row(
            "peers", engine, title, SAME_RULES.name, shared(ours, finding.rules), limit(SAME_RULES, engine), detail
        )


def _mean_rows(ratios: dict[tuple[str, str], dict[str, float]]) -> Iterator[Row]:
    """Geometric means; they have a limit only where all datasets of the limit were measured."""
    for (engine, ensemble), by_dataset in ratios.items():
        wanted = {name for name in DATASETS if limit(RULECOSI, engine, ensemble, name) is not None}
        yield Row(
            "peers",
            engine,
            f"{GEOMETRIC_MEAN} of {len(by_dataset)}, {ensemble} rulecosi",
            RULECOSI.name,
            geometric_mean(by_dataset.values()),
            limit(RULECOSI, engine, ensemble, GEOMETRIC_MEAN) if set(by_dataset) == wanted else None,
            ", ".join(by_dataset),
        )
