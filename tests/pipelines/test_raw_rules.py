"""What a user sees: rules of a pipeline, in the columns of the table."""

import copy
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pipelines.bank import JOBS, forest, preprocessing, table
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder
from xgboost import XGBClassifier

import rulekit
from rulekit.core.errors import EnsembleMismatchError, InvalidParameterError, TransformedColumnsWarning
from rulekit.pipelines.reading import check_equal

X, Y = table()


def fitted(ensemble, X=X, y=Y, **options):
    return rulekit.build("rcprob", ensemble, random_state=0, **options).fit(X, y)


@pytest.fixture(scope="module")
def model():
    return fitted(make_pipeline(preprocessing(), forest()))


class TestTheRules:
    def test_name_the_columns_of_the_table(self, model):
        assert model.ruleset_.feature_names == tuple(X.columns)
        assert model.transformer_ is None

    def test_have_categories_and_limits_in_the_units_of_the_table(self, model):
        text = str(model.ruleset_)
        assert re.search(r"job (not )?in \{[^}]*(Sales|Tech support)", text)
        limits = [float(limit) for limit in re.findall(r"balance [<>]=? ([\d.]+)", text)]
        assert limits
        assert max(limits) > 1000

    def test_say_where_missing_values_go(self, model):
        assert "or missing" in str(model.ruleset_)

    def test_have_one_set_or_interval_for_each_column(self, model):
        for rule in model.ruleset_:
            one_sided = [(each.feature, each.operator) for each in rule.conditions]
            assert len(one_sided) == len(set(one_sided))

    def test_answer_raw_rows_alone(self, model):
        np.testing.assert_array_equal(model.ruleset_.predict_proba(X), model.predict_proba(X))

    def test_are_read_from_the_forest_that_the_pipeline_has(self, model):
        data = model.prepare(X, Y)
        np.testing.assert_allclose(data.ensemble_probabilities, model.ensemble_.predict_proba(X), atol=1e-12)

    def test_are_about_transformed_columns_on_request(self):
        found = fitted(make_pipeline(preprocessing(), forest()), columns="transformed")
        assert "pipeline-1__job_Sales" in found.ruleset_.feature_names
        assert found.transformer_.transform(X).shape[1] == len(found.ruleset_.feature_names)

    def test_are_the_same_for_a_pipeline_that_is_fitted_already(self, model):
        assert fitted(make_pipeline(preprocessing(), forest()).fit(X, Y)).ruleset_ == model.ruleset_

    def test_other_values_of_columns_are_rejected(self):
        with pytest.raises(InvalidParameterError, match="columns must be one of 'raw', 'transformed', got 'both'"):
            fitted(forest(), columns="both")


class TestCategories:
    def test_that_nobody_has_seen_go_where_the_pipeline_sends_them(self, model):
        unseen = X.assign(job="Astronaut")
        restated = model.prepare(X, Y).forest
        numbers = model.ruleset_.as_numbers(unseen)
        np.testing.assert_allclose(restated.predict_proba(numbers), model.ensemble_.predict_proba(unseen), atol=1e-12)

    def test_of_an_ordered_encoder_are_listed_in_its_order(self):
        sizes = np.array(["small", "medium", "large", "huge"])
        size = np.random.default_rng(0).choice(sizes, 200)
        steps = OrdinalEncoder(categories=[sizes.tolist()])
        labels = np.isin(size, ["medium", "large"])
        found = fitted(make_pipeline(steps, forest()), pd.DataFrame({"size": size}), labels)
        assert found.ruleset_.conditions.categories.by_feature[0] == tuple(sizes.tolist())
        assert found.score(pd.DataFrame({"size": size}), labels) == 1.0

    def test_may_be_numbers_and_booleans(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"code": rng.choice([3, 7, 11], 200), "is_new": rng.random(200) < 0.5})
        labels = (frame["code"] == 7) & frame["is_new"]
        steps = OneHotEncoder(drop="if_binary", sparse_output=False)
        found = fitted(make_pipeline(steps, forest()), frame, labels)
        assert found.ruleset_.conditions.categories.by_feature == {0: (3, 7, 11), 1: (False, True)}
        assert found.score(frame, labels) == 1.0

    def test_none_and_nan_are_one_missing_value_unless_the_pipeline_tells_them_apart(self):
        jobs = X[["job"]].assign(age=X["age"])
        rows = np.flatnonzero(jobs["job"].isna())
        mixed = jobs.astype({"job": object})
        mixed.iloc[rows[::2], 0] = None
        steps = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["job"]), remainder="passthrough")
        assert fitted(make_pipeline(steps, forest()), jobs).transformer_ is None
        with pytest.warns(TransformedColumnsWarning, match="values that are None and NaN"):
            fitted(make_pipeline(steps, forest()), mixed)


class TestTables:
    def test_of_polars(self):
        frame = pl.from_pandas(X)
        own = fitted(make_pipeline(preprocessing_by_name(), forest()), frame)
        same = fitted(make_pipeline(preprocessing_by_name(), forest()), X)
        assert str(own.ruleset_) == str(same.ruleset_)
        np.testing.assert_array_equal(own.predict_proba(frame), same.predict_proba(X))

    def test_as_arrays_have_numbered_columns(self):
        array = X.astype(object).to_numpy()
        steps = make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")), [2]),
            (make_pipeline(SimpleImputer(), StandardScaler()), [0, 1]),
        )
        found = fitted(make_pipeline(steps, forest()), array)
        assert found.ruleset_.feature_names == ("x0", "x1", "x2", "x3", "x4")
        named = fitted(make_pipeline(by_name(steps), forest()), X)
        np.testing.assert_array_equal(found.predict_proba(array), named.predict_proba(X))

    def test_may_have_columns_that_the_pipeline_drops(self):
        noted = X.assign(note=[f"note {row}" for row in range(len(X))])
        steps = by_name(make_column_transformer((SimpleImputer(), [0, 1])))
        found = fitted(make_pipeline(steps, forest()), noted)
        assert found.transformer_ is None
        np.testing.assert_array_equal(found.ruleset_.predict_proba(noted), found.predict_proba(noted))
        without = noted.assign(note="another")
        np.testing.assert_array_equal(found.predict_proba(without), found.predict_proba(noted))

    def test_may_have_dates_that_the_pipeline_drops(self):
        dated = X.assign(day=pd.Timestamp("2026-01-01"))
        steps = by_name(make_column_transformer((SimpleImputer(), [0, 1])))
        found = fitted(make_pipeline(steps, forest()), dated)
        assert found.ruleset_.feature_names == ("age", "balance")
        np.testing.assert_array_equal(found.predict(dated), found.ruleset_.predict(dated[["age", "balance"]]))


def preprocessing_by_name():
    return make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["member"]), (StandardScaler(), ["age"]))


def by_name(steps):
    named = clone(steps)
    named.transformers = [(name, step, X.columns[own].tolist()) for name, step, own in named.transformers]
    return named


@pytest.fixture(scope="module")
def mixed():
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["job"]),
        (make_pipeline(SimpleImputer(), StandardScaler(), PCA(2)), ["age", "balance", "calls"]),
        remainder="passthrough",
    )
    with pytest.warns(TransformedColumnsWarning) as warned:
        found = fitted(make_pipeline(steps, forest()))
    return found, warned


class TestWhatStaysAsItIs:
    def test_is_named_in_one_warning(self, mixed):
        _, warned = mixed
        assert len(warned) == 1
        assert "pipeline__pca0, pipeline__pca1 (PCA)" in str(warned[0].message)

    def test_stands_beside_the_columns_of_the_table(self, mixed):
        found, _ = mixed
        assert found.ruleset_.feature_names == ("job", "member", "pipeline__pca0", "pipeline__pca1")
        np.testing.assert_array_equal(
            found.predict_proba(X), found.ruleset_.predict_proba(found.transformer_.transform(X))
        )

    def test_cannot_be_changed_beside_them_to_ask_the_ensemble(self, mixed):
        found, _ = mixed
        assert found.counterfactual(X.iloc[[0]]).ensemble is None

    def test_survives_pickling_and_new_samples(self, mixed):
        found, _ = mixed
        assert copy.deepcopy(found).predict(X.assign(job="Astronaut")).shape == (300,)

    def test_target_encoding(self):
        steps = make_column_transformer((TargetEncoder(), ["member"]), (StandardScaler(), ["age"]))
        with pytest.warns(TransformedColumnsWarning, match="targetencoder__member"):
            fitted(make_pipeline(steps, forest()))

    def test_functions_that_combine_columns_in_spite_of_an_inverse(self):
        def centred(values):
            return np.asarray(values) - np.asarray(values).mean(axis=1, keepdims=True)

        numbers = X[["age", "calls"]]
        steps = FunctionTransformer(centred, inverse_func=centred, check_inverse=False)
        with pytest.warns(TransformedColumnsWarning, match="FunctionTransformer"):
            fitted(make_pipeline(steps, forest()), numbers)

    def test_functions_that_are_not_monotone(self):
        numbers = X[["age", "calls"]]
        steps = FunctionTransformer(np.sin, inverse_func=np.arcsin, check_inverse=False)
        with pytest.warns(TransformedColumnsWarning, match="FunctionTransformer"):
            fitted(make_pipeline(steps, forest()), numbers)

    def test_columns_that_no_tree_uses_are_not_mentioned(self):
        noise = X.assign(constant=1.0, other=1.0)
        steps = make_column_transformer((PCA(1), ["constant", "other"]), (StandardScaler(), ["age"]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # PCA of no variance
            assert fitted(make_pipeline(steps, forest()), noise).transformer_ is None


class TestSparseMatrices:
    """XGBoost reads what a sparse matrix does not store as missing values, which an array of zeros does not show."""

    @pytest.mark.parametrize("columns", ["raw", "transformed"])
    def test_are_read_as_xgboost_reads_them(self, columns):
        steps = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["job"]), (StandardScaler(), ["age"]), sparse_threshold=1.0
        )
        pipeline = make_pipeline(steps, XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1)).fit(X, Y == "yes")
        data = rulekit.build("rcprob", pipeline, columns=columns).prepare(X, Y == "yes")
        np.testing.assert_allclose(data.ensemble_probabilities, pipeline.predict_proba(X), atol=1e-6)


def test_a_forest_that_predicts_otherwise_is_reported(model):
    data = model.prepare(X, Y)
    other = rulekit.build("rcprob", make_pipeline(preprocessing(), forest(random_state=1))).prepare(X, Y)
    with pytest.raises(EnsembleMismatchError, match="would not predict what the pipeline predicts for"):
        check_equal(other.forest, other.X, data.forest, data.X)


def test_weights_reach_the_ensemble_and_the_rules():
    whole = np.random.default_rng(0).integers(1, 3, len(X))
    weighted = fitted(make_pipeline(preprocessing(), forest()).fit(X, Y))
    weights = rulekit.build("rcprob", weighted.ensemble_, random_state=0).fit(X, Y, sample_weight=whole)
    repeated = rulekit.build("rcprob", weighted.ensemble_, random_state=0).fit(
        X.loc[X.index.repeat(whole)], Y.repeat(whole)
    )
    np.testing.assert_array_equal(weights.predict_proba(X), repeated.predict_proba(X))


def test_a_search_over_a_pipeline_is_unwrapped():
    search = GridSearchCV(
        make_pipeline(preprocessing(), forest()), {"randomforestclassifier__max_depth": [2, 3]}, cv=2
    ).fit(X, Y)
    assert fitted(search).ruleset_.feature_names == tuple(X.columns)


def test_pipelines_may_end_in_pipelines(model):
    scaled = make_pipeline(StandardScaler(with_mean=False), forest())
    assert fitted(make_pipeline(preprocessing(), scaled)).ruleset_.feature_names == tuple(X.columns)
    assert set(JOBS) < set(model.ruleset_.conditions.categories.by_feature[2])
