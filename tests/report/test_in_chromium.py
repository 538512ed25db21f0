"""The page as a person uses it, in Chromium."""

import json
import re
from typing import Any

import attrs
import numpy as np
import pytest
from report.conftest import HOSTILE, HOSTILE_CLASSES, Browser, mixed, mixed_samples
from ruleset.handmade import BOTH, NONE, SECOND, handmade
from scipy.stats import beta
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from rulekit.inference.aggregate import Aggregate
from rulekit.render.escaping import visible

SET = """
const [values] = arguments;
document.querySelectorAll("[data-position]").forEach((field, at) => {
  const value = values[at], menu = field.querySelector("select"), missing = field.querySelector("[type=checkbox]");
  const input = menu || (value === null ? missing : field.querySelector("[type=number]"));
  if (input === missing) input.checked = true; else input.value = menu && value === null ? "" : value;
  input.dispatchEvent(new Event("input", {bubbles: true}));
});
return [...document.querySelectorAll("[data-model]")].map((answer) => ({
  rule: Number(answer.querySelector(".which").dataset.rule),
  label: answer.querySelector(".verdict strong").textContent,
  shown: answer.querySelector(".verdict data").textContent,
  probabilities: [...answer.querySelectorAll(".probabilities data")].map((probability) => Number(probability.value)),
}));
"""


#: How addresses of Chromium's own pages begin: chrome://, chrome-untrusted://.
OWN_PAGES = "chrome"


def network(browser: Browser, event: str) -> list[dict[str, Any]]:
    """What happened on the network, or was kept from it."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.logs("performance")]
    return [message["params"] for message in messages if message["method"] == f"Network.{event}"]


def requests(browser: Browser) -> list[str]:
    """Addresses that the page asked for; those of the browser itself, which may still be starting, are not its."""
    sent = network(browser, "requestWillBeSent")
    return [event["request"]["url"] for event in sent if not event["documentURL"].startswith(OWN_PAGES)]


def rule_numbers(browser: Browser) -> list[int]:
    return [int(text) for text in browser.texts("#table-0 tbody tr:not([hidden]) th")]


def column(browser: Browser, position: int) -> list[str]:
    return browser.texts(f"#table-0 tbody tr:not([hidden]) > :nth-child({position})")


def test_nothing_but_the_file_is_asked_for_and_nothing_goes_wrong(browser, page):
    browser.open(page)
    browser.run("document.querySelectorAll('button, summary').forEach((each) => each.click())")
    told = [log for log in browser.logs("browser") if not log["message"].startswith(OWN_PAGES)]
    assert (requests(browser), told) == ([page.as_uri()], [])


def test_the_policy_stops_a_script_and_a_request(browser, page):
    """The last line of defence, should a name ever get past the escaping."""
    browser.open(page)
    browser.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    browser.run("const i = document.createElement('img'); i.src = 'https://example.org/x.png'; document.body.append(i)")
    assert browser.run("return window.ran") is None
    assert len([log for log in browser.logs("browser") if "Content Security Policy" in log["message"]]) == 2
    assert [failed["blockedReason"] for failed in network(browser, "loadingFailed")] == ["csp"]


class TestSorting:
    @pytest.mark.parametrize(
        ("position", "name"), [(4, "predicted probability"), (6, "held-out answered"), (1, "rule")]
    )
    def test_a_click_sorts_and_another_turns_the_order(self, browser, page, position, name):
        browser.open(page)
        button = browser.find(f"#table-0 thead th:nth-child({position}) button")
        assert button.text == name
        button.click()
        ascending = [float(text) for text in column(browser, position)]
        assert ascending == sorted(ascending)
        assert browser.run("return arguments[0].parentElement.ariaSort", button) == "ascending"
        button.click()
        assert [float(text) for text in column(browser, position)] == ascending[::-1]

    def test_rules_without_held_out_samples_come_last_both_ways(self, browser, tmp_path):
        mixed().report(tmp_path / "rules.html", *mixed_samples(2))
        browser.open(tmp_path / "rules.html")
        assert "–" in column(browser, 5)
        for _ in range(2):
            browser.find("#table-0 thead th:nth-child(5) button").click()
            assert column(browser, 5)[-1] == "–"

    def test_works_with_the_keyboard(self, browser, page):
        browser.open(page)
        browser.find("[data-filter=fired]").send_keys(Keys.TAB)
        assert browser.run("return document.activeElement.textContent") == "rule"
        assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
        browser.driver.switch_to.active_element.send_keys(Keys.TAB, Keys.TAB)
        assert browser.run("return document.activeElement.textContent") == "predicted probability"
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        predicted = [float(text) for text in column(browser, 4)]
        assert predicted == sorted(predicted)


class TestFiltering:
    def test_words_are_looked_for_in_conditions_and_classes(self, browser, page, cancer):
        browser.open(page)
        browser.find("[data-filter=text]").send_keys("WORST area benign")
        expected = [
            rule.position
            for rule in cancer[0].ruleset_
            if all(word in f"{rule.label} {rule.antecedent}" for word in ("worst", "area", "benign"))
        ]
        assert 0 < len(expected) < len(cancer[0].ruleset_)
        assert rule_numbers(browser) == expected
        assert browser.texts(".tools output") == [f"{len(expected)} of {len(cancer[0].ruleset_)} rules"]

    def test_by_class_and_by_samples(self, browser, page, cancer):
        model, _, X, _ = cancer
        browser.open(page)
        menu = Select(browser.find("[data-filter=class]"))
        menu.select_by_visible_text("malignant")
        labels = {rule.position: rule.label for rule in model.ruleset_}
        assert rule_numbers(browser) == [position for position, label in labels.items() if label == "malignant"]
        menu.select_by_visible_text("all")
        browser.find("[data-filter=fired]").send_keys("10")
        fired = np.bincount(model.ruleset_.first_matches(X), minlength=len(labels))
        assert rule_numbers(browser) == [position for position in labels if fired[position - 1] >= 10]


class TestForm:
    def test_fifty_samples_get_the_rule_and_the_probabilities_of_python(self, browser, tmp_path, cancer):
        model, other, X, y = cancer
        model.report(tmp_path / "rules.html", X, y, name="RCProb", compare={"RC+": other})
        browser.open(tmp_path / "rules.html")
        names = browser.texts("[data-position] > label:first-child")
        for _, sample in X.iloc[:50].iterrows():
            answers = browser.run(SET, [repr(float(sample[name])) for name in names])
            for each, answer in zip((model, other), answers, strict=True):
                explained = each.explain(sample.to_frame().T)
                assert answer["rule"] == explained.rule.position
                assert answer["label"] == explained.label
                assert answer["probabilities"] == explained.probabilities.tolist()
                assert answer["shown"] == f"{explained.probabilities.max():.3f}"

    @pytest.mark.parametrize("inference", [None, Aggregate()], ids=["decision-list", "aggregate"])
    @pytest.mark.parametrize("unknown_as_missing", [False, True])
    def test_at_cutoffs_with_missing_values_and_categories(self, browser, tmp_path, inference, unknown_as_missing):
        ruleset = mixed(inference, unknown_as_missing)
        X, y = mixed_samples(60)
        ruleset.report(tmp_path / "rules.html", X, y)
        browser.open(tmp_path / "rules.html")
        menu = dict(zip(browser.texts("#value-1 option"), range(4), strict=False))
        expected, first = ruleset.predict_proba(X), ruleset.first_matches(X)
        for row, values in enumerate(X.itertuples(index=False)):
            numbers = [None if np.isnan(values[position]) else repr(float(values[position])) for position in (0, 2)]
            label = None if values[1] is None else str(menu.get(values[1], -1))
            (answer,) = browser.run(SET, [numbers[0], label, numbers[1]])
            assert (answer["rule"], answer["probabilities"]) == (first[row] + 1, expected[row].tolist())

    def test_a_person_types_and_reads_why(self, browser, page, cancer):
        model = cancer[0]
        browser.open(page)
        rule = model.ruleset_[0]
        for condition in rule.conditions:
            position = browser.texts("[data-position] > label:first-child").index(condition.feature)
            field = browser.find(f"#value-{position}")
            field.clear()
            field.send_keys(str(condition.cutoff - 1 if condition.operator == "<=" else condition.cutoff + 1))
        assert browser.texts(".which") == ["Rule 1 answers:"]
        shown = browser.texts(".conditions li")
        assert [text.partition(" (value ")[0] for text in shown] == [str(each) for each in rule.requirements]
        assert all(re.search(r", margin [\d.]+\)$", text) for text in shown)

    @pytest.mark.parametrize(
        ("age", "rule", "shown"),
        [
            (17, 2, "17 <= age <= 50 (value 17, margin 0)"),
            (20, 2, "17 <= age <= 50 (value 20, margin 3)"),
            (16.75, 2, "17 <= age <= 50 (value 16.75, margin 0.25, exact limit 16.5)"),
            (16, 3, None),
            (12360, 1, "age >= 12001 (value 12360, margin 359)"),
            (24346, 1, "age >= 12001 (value 24346, margin 12345)"),
        ],
    )
    def test_whole_numbers_are_beside_limits_and_margins_in_whole_numbers(self, browser, tmp_path, age, rule, shown):
        """A fraction is answered by the exact limit, and sees it where that makes a difference."""
        conditions = attrs.evolve(
            handmade().conditions,
            features=np.array([1, 1, 1]),
            is_upper=np.array([False, False, True]),
            thresholds=np.array([12000.5, 16.5, 50.5]),
            whole_features=frozenset({1}),
        )
        attrs.evolve(handmade(), conditions=conditions).report(tmp_path / "whole.html", [BOTH, NONE], ["yes", "no"])
        (answer,) = browser.open(tmp_path / "whole.html").run(SET, [age])
        assert answer["rule"] == rule
        if shown is not None:
            assert browser.texts(".conditions li") == [shown]

    def test_a_slider_moves_its_number(self, browser, page):
        browser.open(page)
        before = browser.run("return document.getElementById('value-0').valueAsNumber")
        browser.find("[data-position='0'] [type=range]").send_keys(Keys.ARROW_RIGHT)
        step = float(browser.find("[data-position='0'] [type=range]").get_attribute("step"))
        after = browser.run("return document.getElementById('value-0').valueAsNumber")
        assert after == pytest.approx(before + step)

    def test_says_what_is_not_a_number(self, browser, page):
        browser.open(page)
        browser.find("#value-0").send_keys(Keys.CONTROL + "a", Keys.BACKSPACE)
        name = browser.texts("[data-position='0'] > label")[0]
        assert browser.texts(".answer .note") == [f"Enter a number for {name}."]

    def test_says_that_it_cannot_evaluate_another_mode(self, browser, tmp_path):
        class Own(Aggregate):
            combination = None

        X, y = mixed_samples(20)
        mixed(Own()).report(tmp_path / "rules.html", X, y)
        browser.open(tmp_path / "rules.html")
        (note,) = browser.texts("#try .note")
        assert note.startswith(
            "This page cannot predict a sample: the inference mode Own is implemented in Python only"
        )
        assert browser.run("return document.querySelector('#sample')") is None
        assert browser.logs("browser") == []

    def test_starts_from_records_that_were_asked_for(self, browser, tmp_path):
        X, y = mixed_samples(8)
        mixed().report(tmp_path / "rules.html", X, y, n_examples=8)
        browser.open(tmp_path / "rules.html")
        first = mixed().first_matches(X)
        for row in range(8):
            set_example = "const e = document.getElementById('example'); e.value = arguments[0];"
            browser.run(set_example + "e.dispatchEvent(new Event('input', {bubbles: true}))", str(row))
            assert int(browser.find(".which").get_attribute("data-rule")) == first[row] + 1


def jeffreys(right, wrong):
    low, high = beta(right + 0.5, wrong + 0.5).ppf([0.025, 0.975])
    return f"95 % interval {low:.3f} to {high:.3f}"


class TestAnsweredSamples:
    @pytest.fixture
    def opened(self, browser, tmp_path):
        """Rule 1 answers less than it covers, rule 2 nothing, and a sample by each rule can be tried."""
        ruleset = attrs.evolve(
            handmade(answered=[[2, 28], [0, 0], [36, 14]]), counts=np.array([[4, 31], [30, 10], [36, 14]])
        )
        samples = [BOTH, SECOND, NONE]
        ruleset.report(tmp_path / "rules.html", np.array(samples), ["yes", "no", "no"], n_examples=3)
        return browser.open(tmp_path / "rules.html")

    def test_stand_in_the_table_and_marks_are_explained(self, opened):
        assert opened.texts("td[data-label='training answered']") == ["28 of 30", "none", "36 of 50"]
        assert "None: earlier rules answer all training samples" in " ".join(opened.texts("#rules-0 > .quiet"))

    def test_are_those_whose_precision_and_interval_the_form_gives(self, opened):
        for row, expected in enumerate(
            [
                f"In training it answers 30 samples, 28 of them yes (precision 0.933, {jeffreys(28, 2)}). "
                "It covers 35, 31 of them yes, but earlier rules answer 5 of these.",
                "It answers no training sample. It covers 40, 30 of them no, but earlier rules answer 40 of these.",
                f"In training it answers 50 samples, 36 of them no (precision 0.720, {jeffreys(36, 14)}).",
            ]
        ):
            set_example = "const e = document.getElementById('example'); e.value = arguments[0];"
            opened.run(set_example + "e.dispatchEvent(new Event('input', {bubbles: true}))", str(row))
            assert expected in opened.texts(".answer p")

    def test_are_left_out_where_they_are_unknown(self, browser, tmp_path):
        handmade().report(tmp_path / "rules.html", np.array([BOTH, SECOND]), ["yes", "no"])
        browser.open(tmp_path / "rules.html")
        assert "training answered" not in browser.texts("#table-0 thead th")
        assert "In training it covers" in " ".join(browser.texts(".answer p"))


def test_hostile_names_are_shown_as_they_are_and_never_run(browser, tmp_path):
    X, y = mixed_samples(60)
    rules = {"<script>alert('name')</script>": mixed(Aggregate())}
    mixed().report(tmp_path / "rules.html", X, y, compare=rules, title="</title><script>alert('title')</script>")
    browser.open(tmp_path / "rules.html")
    assert browser.run("return document.title") == "</title><script>alert('title')</script>"
    assert browser.texts("[data-position] > label:first-child") == [visible(name) for name in HOSTILE]
    assert set(browser.texts("#table-0 tbody tr > :nth-child(2)")) == set(HOSTILE_CLASSES)
    assert browser.texts("#value-1 option")[0] == "<i>red</i>"
    assert set(browser.texts(".verdict strong")) <= set(HOSTILE_CLASSES)
    assert browser.run("return [...document.scripts].length") == 2
    assert browser.run("return document.querySelectorAll('img, i:not(.lead i), table b').length") == 0
    assert (browser.logs("browser"), requests(browser)) == ([], [(tmp_path / "rules.html").as_uri()])


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_width_needs_scrolling_to_the_side(browser, tmp_path, cancer, width):
    model, other, X, y = cancer
    model.report(tmp_path / "rules.html", X, y, name="RCProb", compare={"RC+": other})
    browser.open(tmp_path / "rules.html", width=width)
    browser.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_phone_sorts_by_a_menu(browser, page):
    browser.open(page, width=390)
    Select(browser.find("[data-sorter]")).select_by_visible_text("predicted probability, descending")
    predicted = [float(text) for text in column(browser, 4)]
    assert predicted == sorted(predicted, reverse=True)


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    fractions = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [
        fraction / 12.92 if fraction <= 0.04045 else ((fraction + 0.055) / 1.055) ** 2.4 for fraction in fractions
    ]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_in_light_and_dark_and_the_button_turns_them(browser, page, dark):
    browser.open(page, dark=dark)
    seen = []
    for _ in range(2):
        paper = luminance(browser.run("return getComputedStyle(document.body).backgroundColor"))
        for selector in ("body", ".lead", "nav a", ".answer .quiet", "caption"):
            ink = luminance(
                browser.run("return getComputedStyle(document.querySelector(arguments[0])).color", selector)
            )
            lighter, darker = max(ink, paper), min(ink, paper)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5
        seen.append(paper < 0.5)
        browser.find("#theme").click()
    assert seen == [dark, not dark]


def test_prints_every_rule_on_white_without_controls(browser, page):
    browser.open(page, dark=True)
    assert browser.printed().startswith(b"%PDF")
    browser.cdp("Emulation.setEmulatedMedia", media="print", features=[])
    style = "return getComputedStyle(document.querySelector(arguments[0]))"
    assert luminance(browser.run(f"{style}.color", "body")) < 0.1
    assert [browser.run(f"{style}.display", each) for each in ("nav", ".tools", "#theme")] == ["none"] * 3
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[])


def test_every_field_and_picture_has_a_name(browser, page):
    browser.open(page)
    nameless = """return [...document.querySelectorAll("input, select, svg, button")].filter((each) =>
      !(each.ariaLabel || each.getAttribute("aria-label") || each.labels?.length || each.textContent.trim())).length"""
    assert browser.run(nameless) == 0


def test_five_hundred_rules_are_sorted_and_filtered_quickly(browser, tmp_path):
    rng = np.random.default_rng(0)
    base = mixed()
    many = attrs.evolve(
        base,
        antecedents=(*[base.antecedents[position % 5] for position in range(499)], ()),
        probabilities=np.tile(base.probabilities, (84, 1))[:500],
        counts=rng.integers(1, 20, (500, 2)),
        n_samples=100_000,
    )
    X, y = mixed_samples(200)
    many.report(tmp_path / "rules.html", X, y)
    browser.open(tmp_path / "rules.html")
    timed = """const start = performance.now();
      document.querySelector("#table-0 thead th:nth-child(4) button").click();
      const find = document.querySelector("[data-filter=text]"); find.value = "green";
      find.dispatchEvent(new Event("input", {bubbles: true})); document.body.offsetHeight;
      return performance.now() - start;"""
    assert browser.run(timed) < 2000
