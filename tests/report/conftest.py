"""Chromium without a window, and pages about rules to open in it."""

import base64
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rulekit
from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.validation import Categories
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOSTILE = ('<script>alert("feature")</script>', "</script><img src=x onerror=alert(1)>", "a'b\"c & {{ d }}\u2028e")
HOSTILE_CLASSES = ('<script>alert("class")</script>', "yes & <b>no</b>")


class Browser:
    """A page in Chromium: what a person sees and does."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, width: int = 1280, dark: bool = False) -> "Browser":
        self.logs("browser"), self.logs("performance")
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])
        self.driver.get(path.as_uri())
        return self

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def cdp(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def logs(self, kind: str) -> list[Any]:
        return list(self.driver.get_log(kind))

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent.trim())"
        return self.run(script, selector)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def printed(self) -> bytes:
        return base64.b64decode(self.cdp("Page.printToPDF", printBackground=True)["data"])


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Debian's Chromium; where it is missing the test is skipped, and fails in CI."""
    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        reason = "needs Chromium and its driver: apt-get install chromium chromium-driver"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    yield Browser(driver)
    driver.quit()


@pytest.fixture(scope="session")
def cancer() -> tuple[Any, Any, pd.DataFrame, np.ndarray]:
    """RCProb and RC+ rules of one ensemble, and held-out samples."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import GradientBoostingClassifier

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = y.map({0: "malignant", 1: "benign"}).to_numpy(dtype=str)
    ensemble = GradientBoostingClassifier(n_estimators=30, random_state=0).fit(X[::2], labels[::2])
    models = [rulekit.build(name, ensemble, min_coverage=0.005).fit(X[::2], labels[::2]) for name in ("rcprob", "rc+")]
    return *models, X[1::2], labels[1::2]


@pytest.fixture(scope="session")
def page(cancer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on RCProb rules alone."""
    model, _, X, y = cancer
    path = tmp_path_factory.mktemp("report") / "rules.html"
    model.report(path, X, y)
    return path


def mixed(inference: Any = None, unknown_as_missing: bool = False) -> RuleSet:
    """Rules of every kind of condition, with hostile names: thresholds of float32, sets, categories, missing values."""
    keys = [
        ConditionKey(0, True, 0.1, None, True),
        ConditionKey(0, False, -1 / 3, None, False),
        ConditionKey(1, True, 0.0, frozenset({0, 2}), False),
        ConditionKey(1, False, 0.0, frozenset({1}), True),
        ConditionKey(2, True, 2.5, None, False),
        ConditionKey(0, False, float("inf"), None, True),
    ]
    conditions = Conditions.of_keys(
        keys,
        HOSTILE,
        np.float32,
        Categories({1: ("<i>red</i>", "green", "blue")}, unknown_as_missing),
        frozenset({0, 1}),
    )
    return RuleSet(
        conditions=conditions,
        antecedents=((0, 1, 2), (3, 4), (0, 4), (2,), (5,), ()),
        probabilities=np.array([[0.7, 0.3], [0.1, 0.9], [0.55, 0.45], [1 / 3, 2 / 3], [0.8, 0.2], [0.5, 0.5]]),
        counts=np.array([[7, 3], [1, 9], [6, 5], [3, 6], [8, 2], [1, 1]]),
        classes=np.array(HOSTILE_CLASSES),
        n_samples=40,
        inference=DecisionList() if inference is None else inference,
    )


def mixed_samples(n_samples: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Samples for `mixed`: at cutoffs and one step beside them, missing, of unknown categories."""
    rng = np.random.default_rng(seed)
    cutoffs = mixed().conditions.cutoffs[[0, 1]]
    near = [*cutoffs, *np.nextafter(cutoffs, np.inf), *np.nextafter(cutoffs, -np.inf), np.nan, 3.25, -7.0]
    X = pd.DataFrame(
        {
            HOSTILE[0]: rng.choice(near, n_samples),
            HOSTILE[1]: rng.choice(
                np.array(["<i>red</i>", "green", "blue", "never seen", None], dtype=object), n_samples
            ),
            HOSTILE[2]: rng.choice([2.5, np.nextafter(2.5, 3), -1.0, 4.75], n_samples),
        }
    )
    return X, rng.choice(HOSTILE_CLASSES, n_samples)


__all__ = ["Aggregate", "Browser", "mixed", "mixed_samples"]
