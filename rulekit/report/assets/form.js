// The form: reads a sample from its fields, and shows which rule answers it and why.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const shell = document.getElementById("sample");
  document.querySelectorAll(".noscript").forEach((note) => note.remove());
  if (!shell) return;
  const form = document.getElementById("fields");
  const fields = [...form.querySelectorAll("[data-position]")];

  // Strings are inserted as text, never as markup: names of features and classes may contain anything.
  function make(name, attributes, ...inner) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inner);
    return element;
  }

  const short = (value) => String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  const fixed = (value) => value.toFixed(3);

  function read(field) {
    const menu = field.querySelector("select");
    if (menu) return menu.value === "" ? null : Number(menu.value);
    const missing = field.querySelector("[type=checkbox]");
    if (missing && missing.checked) return null;
    return field.querySelector("[type=number]").valueAsNumber;
  }

  function shown(at, value) {
    const labels = data.columns[at].labels;
    if (value === null) return "missing";
    if (!labels) return String(value);
    return value < 0 ? "another category" : labels[value];
  }

  // The margin of the tightest comparison; the exact limit is shown where the rounded one would mislead.
  function margin(ask, values) {
    const compared = ask.tests.filter((test) => "cut" in test && test.shown !== null && values[test.at] !== null);
    if (!compared.length) return "";
    const apart = (test) => {
      const value = values[test.at];
      const misleads = (test.atLeast ? value < test.shown : value <= test.shown) !== value <= test.cut;
      return { misleads, test, by: Math.abs((misleads ? test.cut : test.shown) - values[test.at]) };
    };
    const closest = compared.map(apart).reduce((one, other) => (other.by < one.by ? other : one));
    return `, margin ${short(closest.by)}${closest.misleads ? `, exact limit ${closest.test.cut}` : ""}`;
  }

  function conditions(rule, sample, values) {
    if (!rule.asks.length) return make("p", { class: "quiet" }, "No other rule matches.");
    const items = rule.asks.map((ask) => {
      const at = ask.tests[0].at;
      return make("li", {}, ask.text, make("span", { class: "quiet" }, ` (value ${shown(at, sample[at])}${margin(ask, values)})`));
    });
    return make("ul", { class: "conditions" }, ...items);
  }

  const label = (model, position) => model.classes[model.rules[position].best];
  const named = (model, position) => (position === model.rules.length - 1 ? "The default rule" : `Rule ${position + 1}`);

  // The precision with its interval is that of the training samples that the rule answers, where they are known.
  function support(model, position) {
    const rule = model.rules[position], own = label(model, position), answered = rule.answered;
    const counted = (verb, n, right, [low, high]) => `In training it ${verb} ${n} samples, ${right} of them ${own} ` +
      `(precision ${fixed(n ? right / n : 0)}, 95 % interval ${fixed(low)} to ${fixed(high)}).`;
    if (!answered) return counted("covers", rule.covered, rule.right, rule.interval);
    const region = position === model.rules.length - 1 || answered.n === rule.covered ? "" : ` It covers ${rule.covered}, ${rule.right} of ` +
      `them ${own}, but earlier rules answer ${rule.covered - answered.n} of these.`;
    return (answered.n ? counted("answers", answered.n, answered.right, answered.interval) : "It answers no training sample.") + region;
  }

  function bars(model, found) {
    const rows = found.probabilities.map((probability, at) => {
      const bar = make("meter", { min: 0, max: 1, value: probability, "aria-label": model.classes[at] });
      return make("div", { class: at === found.best ? "best" : "" }, make("span", {}, model.classes[at]), bar,
        make("data", { value: probability, class: "n" }, fixed(probability)));
    });
    return make("div", { class: "probabilities" }, ...rows);
  }

  function others(model, found) {
    const rest = found.fired.slice(1);
    if (!rest.length) return make("p", { class: "quiet" }, found.fired[0] === model.rules.length - 1 ? "" : "No other rule matches.");
    const agree = rest.filter((position) => model.rules[position].best === found.best).length;
    const items = rest.map((position) => `${position + 1} (${label(model, position)}, ${fixed(Math.max(...model.rules[position].p))})`);
    return make("p", {}, `${rest.length} other rule${rest.length > 1 ? "s match" : " matches"}, ${agree} of the same class: ${items.join(", ")}.`);
  }

  function tried(model, found) {
    if (!found.fired[0]) return "";
    const items = model.rules.slice(0, found.fired[0]).map((rule) => {
      const failed = rule.asks.find((ask) => !ask.tests.every((test) => holds(test, found.values)));
      return make("li", {}, `not ${failed.text}`);
    });
    const number = found.fired[0];
    return make("details", {}, make("summary", {}, `${number} rule${number > 1 ? "s" : ""} before it ${number > 1 ? "do" : "does"} not match`),
      make("ol", {}, ...items));
  }

  function explain(model, sample) {
    const heading = data.models.length > 1 ? [make("h3", {}, model.name)] : [];
    const empty = sample.findIndex((value) => Number.isNaN(value));
    if (empty >= 0) return [...heading, make("p", { class: "note" }, `Enter a number for ${data.columns[empty].name}.`)];
    const found = answer(model, sample);
    if (found.rejected.length) {
      const names = found.rejected.map((at) => data.columns[at].name).join(", ");
      return [...heading, make("p", { class: "note" }, `Not supported: ${names} is missing, but had no missing values in training.`)];
    }
    const first = found.fired[0];
    const together = model.mode === "sum" && found.fired.length > 1;
    const verdict = make("p", { class: "verdict" }, make("strong", {}, model.classes[found.best]), " with probability ",
      make("data", { value: found.probabilities[found.best] }, fixed(found.probabilities[found.best])));
    const which = make("p", { class: "which", "data-rule": first + 1 },
      together ? `${found.fired.length} rules answer together:` : `${named(model, first)} answers:`);
    const whole = together
      ? found.fired.flatMap((position) => [make("p", {}, `${named(model, position)} predicts ${label(model, position)} with probability ${fixed(Math.max(...model.rules[position].p))}:`), conditions(model.rules[position], sample, found.values)])
      : [conditions(model.rules[first], sample, found.values), make("p", {}, support(model, first)), others(model, found)];
    return [...heading, verdict, bars(model, found), which, ...whole, tried(model, found)];
  }

  function update() {
    const sample = fields.map(read);
    for (const position of shell.querySelectorAll("[data-model]")) {
      position.replaceChildren(...explain(data.models[Number(position.dataset.model)], sample));
    }
  }

  function put(field, value) {
    const menu = field.querySelector("select");
    if (menu) { menu.value = value === null ? "" : String(value); return; }
    const missing = field.querySelector("[type=checkbox]");
    if (missing) missing.checked = value === null;
    if (value === null) return;
    field.querySelector("[type=number]").value = String(value);
    field.querySelector("[type=range]").value = String(value);
  }

  function changed(event) {
    const field = event.target.closest("[data-position]");
    if (event.target.id === "example") {
      const example = data.examples[event.target.value];
      fields.forEach((each, at) => put(each, example ? example[at] : data.columns[at].start));
    } else if (field && event.target.type === "range") {
      field.querySelector("[type=number]").value = event.target.value;
    } else if (field && event.target.type === "number") {
      field.querySelector("[type=range]").value = event.target.value;
    }
    if (field && event.target.type !== "checkbox") {
      const missing = field.querySelector("[type=checkbox]");
      if (missing) missing.checked = false;
    }
    update();
  }

  for (const event of ["input", "change"]) form.addEventListener(event, changed); // menus of some browsers only change
  form.addEventListener("reset", () => setTimeout(update));
  form.addEventListener("submit", (event) => event.preventDefault());
  shell.hidden = false;
  form.reset();
  update();
})();
