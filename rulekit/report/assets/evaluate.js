"use strict";
// Rules against a sample, as Python compares them: no part of this touches the page.

// What a model sees of a value: null for missing, -1 for a category that it does not know.
function seen(treatment, value) {
  if (value === null || treatment.known === null || treatment.known.includes(value)) return value;
  return treatment.unknownIsMissing ? null : -1;
}

function holds(test, values) {
  const value = values[test.at];
  if (value === null) return test.orMissing;
  if ("cut" in test) return value <= test.cut === test.upper;
  return test.among.includes(value) === test.inside;
}

const matches = (rule, values) => rule.asks.every((ask) => ask.tests.every((test) => holds(test, values)));

// Columns whose values are missing though the model has never seen that: it refuses such a sample.
function refused(model, values) {
  const used = new Set(model.rules.flatMap((rule) => rule.asks.flatMap((ask) => ask.tests.map((test) => test.at))));
  return [...used].filter((at) => values[at] === null && !model.columns[at].missing);
}

// All rules that match, and the probabilities: those of the first, or the normalised sum in order.
function answer(model, sample) {
  const values = sample.map((value, at) => seen(model.columns[at], value));
  const last = model.rules.length - 1;
  const fired = [];
  for (let position = 0; position < last; position++) if (matches(model.rules[position], values)) fired.push(position);
  const found = fired.length ? fired : [last];
  let fractions = model.rules[found[0]].p;
  if (model.mode === "sum") {
    const total = model.classes.map(() => 0);
    for (const position of found) model.rules[position].p.forEach((fraction, at) => { total[at] += fraction; });
    const whole = total.reduce((sum, fraction) => sum + fraction, 0);
    fractions = total.map((fraction) => fraction / whole);
  }
  return { values, fired: found, fractions, best: fractions.indexOf(Math.max(...fractions)), refused: refused(model, values) };
}
