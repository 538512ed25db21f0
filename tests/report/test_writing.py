"""The file: what is in it, what is not, and what cannot be written."""

import json
import re
import sys

import attrs
import numpy as np
import pandas as pd
import pytest
from report.conftest import HOSTILE, mixed, mixed_samples
from ruleset.handmade import handmade
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.core.errors import ExportError, InvalidParameterError, MissingExtraError
from rulekit.render.escaping import visible
from rulekit.report import write


def data_of(path) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text())[1])


def samples(n_samples: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers with so many digits that none comes up by chance."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_samples, 4)) * 1000, columns=["a", "b", "c", "d"])
    return X, np.where(X["a"] + X["b"] > rng.normal(size=n_samples) * 300, "yes", "no")


@pytest.fixture(scope="module")
def model():
    return rulekit.build("rcprob", RandomForestClassifier(10, max_depth=4, random_state=0)).fit(*samples(400))


def numbers_in(text: str) -> set[str]:
    return set(re.findall(r"-?\d+\.\d{4,}", text))


def test_no_sample_is_in_the_file(model, tmp_path):
    """Neither of training nor held out: not even a single value of one."""
    X, y = samples(700)
    model.report(tmp_path / "rules.html", X[400:], y[400:])
    text = (tmp_path / "rules.html").read_text()
    values = {repr(value) for value in X.to_numpy().ravel().tolist()}
    assert numbers_in(text) & values == set()
    rounded = {f"{value:.4f}" for value in X.to_numpy().ravel().tolist()}
    assert not {number[: number.index(".") + 5] for number in numbers_in(text)} & rounded
    assert data_of(tmp_path / "rules.html")["examples"] == []
    assert "but no samples." in text


def test_names_and_labels_do_not_act_on_the_page(tmp_path):
    acts = "\x1b\u202e"
    ruleset = handmade((acts, "age"), ("no", acts))
    X = pd.DataFrame([[8.0, 20.0], [9.0, 10.0]], columns=[acts, "age"])
    write(tmp_path / "x.html", ruleset, X, np.array([acts, "no"]), name=acts, compare={"others": ruleset})
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert not set(acts) & set(text)
    data = data_of(tmp_path / "x.html")
    assert data["columns"][0]["name"] == data["models"][0]["classes"][1] == data["models"][0]["name"] == r"\x1b\u202e"


def test_samples_that_are_asked_for_are(model, tmp_path):
    X, y = samples(500)
    model.report(tmp_path / "rules.html", X[400:], y[400:], n_examples=3)
    data = data_of(tmp_path / "rules.html")
    names = [column["name"] for column in data["columns"]]
    assert data["examples"] == X.iloc[400:403][names].to_numpy().tolist()


def test_the_size_does_not_grow_with_the_samples(model, tmp_path):
    X, y = samples(5000)
    for name, n_samples in (("few", 1000), ("many", 5000)):
        model.report(tmp_path / name, X[:n_samples], y[:n_samples])
    sizes = [(tmp_path / name).stat().st_size for name in ("few", "many")]
    assert abs(sizes[1] - sizes[0]) < 0.05 * sizes[0]


def test_data_cannot_end_its_element(tmp_path):
    mixed().report(tmp_path / "rules.html", *mixed_samples(10))
    text = (tmp_path / "rules.html").read_text()
    data = text.partition('id="data">')[2].partition("</script>")[0]
    assert not set("<>&\u2028") & set(data)
    assert [column["name"] for column in json.loads(data)["columns"]] == [visible(name) for name in HOSTILE]


def test_nothing_is_loaded_from_elsewhere(model, tmp_path):
    model.report(tmp_path / "rules.html", *samples(50))
    text = (tmp_path / "rules.html").read_text()
    assert re.findall(r"https?://|<link|@import|url\(|\bsrc=", text) == []


def test_a_pipeline_is_reported_on_the_columns_that_it_makes_if_rules_are_about_these(tmp_path):
    X, y = samples(300)
    pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=3, random_state=0))
    model = rulekit.build("rcprob", pipeline, columns="transformed")
    model.fit(X, y).report(tmp_path / "rules.html", X, y)
    assert all(-5 < column["low"] < column["high"] < 5 for column in data_of(tmp_path / "rules.html")["columns"])


def test_a_ruleset_without_rules_has_a_page_too(tmp_path):
    whole = mixed()
    alone = attrs.evolve(whole, antecedents=((),), probabilities=whole.probabilities[-1:], counts=whole.counts[-1:])
    alone.report(tmp_path / "rules.html", *mixed_samples(10))
    assert data_of(tmp_path / "rules.html")["columns"] == []


class TestRejected:
    def test_other_columns(self, model, tmp_path):
        X, y = mixed_samples(10)
        renamed = attrs.evolve(mixed(), conditions=attrs.evolve(mixed().conditions, feature_names=("a", "b", "c")))
        with pytest.raises(ValueError, match="X has no column 'a', 'b', 'c', which the rules use"):
            write(tmp_path / "x.html", mixed(), X, y, compare={"other": renamed})

    def test_other_classes(self, tmp_path):
        X, y = mixed_samples(10)
        other = attrs.evolve(mixed(), classes=mixed().classes[::-1].copy())
        with pytest.raises(
            InvalidParameterError, match="compare: the rules 'other' have other classes than 'these rules'"
        ):
            write(tmp_path / "x.html", mixed(), X, y, compare={"other": other})

    def test_other_steps_before_the_ensemble(self, model, tmp_path):
        X, y = samples(300)
        pipeline = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0))
        scaled = rulekit.build("rcprob", pipeline, columns="transformed").fit(X, y)
        with pytest.raises(InvalidParameterError, match="get other feature values for the same samples"):
            model.report(tmp_path / "x.html", X, y, compare={"scaled": scaled})

    def test_a_name_twice(self, model, tmp_path):
        with pytest.raises(InvalidParameterError, match="compare: 'a' is already the name of the model itself"):
            model.report(tmp_path / "x.html", *samples(20), name="a", compare={"a": model})

    def test_a_model_without_rules(self, tmp_path):
        X, y = samples(30)
        with pytest.raises(InvalidParameterError, match="is a RandomForestClassifier without rules"):
            write(tmp_path / "x.html", RandomForestClassifier(2).fit(X, y), X, y)

    @pytest.mark.parametrize("number", [-1, 2.5, True])
    def test_a_number_of_examples_that_is_none(self, model, tmp_path, number):
        with pytest.raises(InvalidParameterError, match="n_examples must be a non-negative integer"):
            model.report(tmp_path / "x.html", *samples(20), n_examples=number)

    def test_a_label_that_is_no_valid_string(self, tmp_path):
        X, y = mixed_samples(10)
        with pytest.raises(ExportError, match="A name or label cannot be encoded in UTF-8"):
            write(tmp_path / "x.html", mixed(), X, y, title="\ud800")

    def test_jinja_is_missing(self, model, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "jinja2", None)
        monkeypatch.delitem(sys.modules, "rulekit.report.page", raising=False)
        with pytest.raises(MissingExtraError, match=re.escape("pip install 'rulekit-rcprob[report]'")):
            model.report(tmp_path / "x.html", *samples(20))
