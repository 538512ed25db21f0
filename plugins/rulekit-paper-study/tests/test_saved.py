"""Results of the study that are kept in the repository."""

import re
from pathlib import Path

import pandas as pd
import pytest
from rulekit_paper_study.page import fold_table
from rulekit_paper_study.saved import restore, save

from rulekit.study import Ensemble, Store, Study, Variant, run_study

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "reproduction" / "tables.md"
SAVED = sorted(PAGE.parent.glob("paper-*.sqlite.xz"))


@pytest.fixture(scope="module")
def study():
    return Study("tiny", ["sklearn:iris"], [Ensemble("rf", parameters={"n_estimators": 2})], [Variant("rc+")])


class TestSaved:
    def test_results_come_back_and_the_study_goes_on_from_them(self, study, tmp_path):
        first = Store(tmp_path / "first.sqlite")
        run_study(study, first, n_jobs=1)
        save(first.path, tmp_path / "saved.xz")
        again = Store(tmp_path / "again.sqlite")
        restore(tmp_path / "saved.xz", again.path)
        pd.testing.assert_frame_equal(again.results(), first.results())
        assert list(again.rulesets()) == list(first.rulesets())
        assert run_study(study, again, n_jobs=1).n_before == 10

    def test_do_not_name_the_machine(self, study, tmp_path):
        run_study(study, tmp_path / "first.sqlite", n_jobs=1)
        save(tmp_path / "first.sqlite", tmp_path / "saved.xz")
        restore(tmp_path / "saved.xz", tmp_path / "again.sqlite")
        assert str(tmp_path).encode() not in (tmp_path / "again.sqlite").read_bytes()

    def test_replace_no_store(self, tmp_path):
        (tmp_path / "store.sqlite").write_bytes(b"mine")
        (tmp_path / "saved.xz").write_bytes(b"")
        with pytest.raises(FileExistsError):
            restore(tmp_path / "saved.xz", tmp_path / "store.sqlite")
        assert (tmp_path / "store.sqlite").read_bytes() == b"mine"


@pytest.mark.parametrize("archive", SAVED, ids=lambda path: path.name)
class TestCommitted:
    def test_results_are_those_of_the_page(self, archive, tmp_path):
        restore(archive, tmp_path / "store.sqlite")
        store = Store(tmp_path / "store.sqlite")
        profile = str(store.definition()["name"]).removeprefix("paper-")
        table = fold_table(store.results(), pd.DataFrame(store.planned()), "folds", f"Complete folds, {profile}")
        assert table.to_markdown() in PAGE.read_text(encoding="utf-8")

    def test_results_do_not_name_a_machine(self, archive, tmp_path):
        restore(archive, tmp_path / "store.sqlite")
        content = (tmp_path / "store.sqlite").read_bytes()
        assert not re.search(rb"/(work|home|root|tmp)/", content)
        assert Store(tmp_path / "store.sqlite").versions()[0]["rulekit"]
