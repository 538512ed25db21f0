"""rulekit extract: rules from the user's own table."""

from pathlib import Path

from rulekit.cli import options
from rulekit.cli.errors import CommandError, Debug, in_one_line

#: The default; a folder has another one.
METHOD = "rclist"


@in_one_line
def extract(
    data: options.Data,
    target: options.Target,
    method: options.Method = None,
    settings: options.Settings = None,
    test: options.Test = None,
    seed: options.Seed = 0,
    path: options.PathTable = False,
    ensemble: options.Ensemble = None,
    n_estimators: options.NEstimators = None,
    max_depth: options.MaxDepth = None,
    learning_rate: options.LearningRate = None,
    model: options.Model = None,
    allow_pickle: options.AllowPickle = False,
    drop: options.Drop = None,
    separator: options.Separator = None,
    missing: options.Missing = None,
    columns: options.Columns = None,
    classes: options.Classes = None,
    string_labels: options.StringLabels = False,
    out: options.Out = None,
    force: options.Force = False,
    debug: Debug = False,
) -> None:
    """Extract rules from a table and evaluate them on held-out samples.

    Trains an ensemble, or takes a fitted one with --model, extracts rules
    from it, and prints them with their measures on held-out samples.

    \b
      rulekit extract data.csv --target class
      rulekit extract data.csv --target class --method rc+ --ensemble gbm
      rulekit extract data.csv --target class --test new.csv --out rules.json
      rulekit extract folder/ --target class --model model.skops
      rulekit extract data.csv --target class --set final_estimator=m-estimate
              --set final_estimator.strength=5 --set min_precision=0.75
    """  # noqa: D301, the sign keeps the line breaks of the examples
    from rulekit.cli import folder
    from rulekit.cli.class_names import with_classes
    from rulekit.cli.extraction import encoding, extract_rules, seeded, takes, train, unfitted
    from rulekit.cli.holdout import Source, parse_test, train_and_test
    from rulekit.cli.outcome import held_out_facts, print_report, write_rules
    from rulekit.cli.overrides import ensemble_settings, parse_overrides
    from rulekit.cli.path_table import print_origin, print_path
    from rulekit.cli.progress import progress
    from rulekit.cli.samples import text_columns
    from rulekit.cli.tabular import parse_names, parse_reading, quoted
    from rulekit.cli.training import chosen_ensemble
    from rulekit.render.console import messages, output

    reading = parse_reading(separator, missing, columns, string_labels)
    if data.is_dir():
        folder.check_options(data, model, test, reading)
    method = method or (folder.METHOD if data.is_dir() else METHOD)
    overrides, of_ensemble = ensemble_settings(
        parse_overrides(settings or []), n_estimators=n_estimators, max_depth=max_depth, learning_rate=learning_rate
    )
    source = chosen_ensemble(method, ensemble, of_ensemble, model, seed, allow_pickle=allow_pickle)
    names = parse_names("--classes", classes)
    saved = None if model is None else source
    if saved is not None and names is not None:
        source = with_classes(saved, names)
    overrides = seeded(method, source, overrides, seed)
    built = unfitted(method, source, overrides)  # report a wrong --set before the ensemble is trained
    fraction = parse_test(test, has_model=model is not None)
    check_free(out, force)
    facts = held_out = None
    encoded = source
    if data.is_dir():
        with progress(messages()) as shown:
            result = folder.extract_from_folder(method, source, overrides, data, target, drop or [], shown)
    else:
        table = Source(data, target, drop or [], reading, takes(built), names, saved)
        samples, held_out = train_and_test(table, fraction, seed)
        encoded = encoding(built, source, samples.X)
        with progress(messages()) as shown:
            trained = train(encoded, samples, shown, getattr(built, "class_weight", None))
            result = extract_rules(method, trained, overrides, samples, shown)
            facts = held_out_facts(result, samples, held_out, shown)
    console = output()
    print_report(console, result, facts)
    print_origin(console, result)
    if encoded is not source:
        console.print(f"Columns of strings were one-hot encoded: {quoted(text_columns(samples.X))}.\n")
    if path:
        print_path(console, result, held_out)
    if model is not None and isinstance(fraction, float) and fraction:
        console.print("If the model was trained on samples that are held out here, these measures are too optimistic.")
    if out is not None:
        write_rules(console, result, out)


def check_free(out: Path | None, force: bool) -> None:
    """Raise before the extraction if its result cannot be written."""
    if out is not None and not out.parent.is_dir():
        raise CommandError(f"Folder not found: {out.parent}. Create it before writing {out.name} to it.")
    if out is not None and out.exists() and not force:
        raise CommandError(f"{out} already exists. Choose another name, or overwrite it with --force.")
