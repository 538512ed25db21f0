"use strict";
// Evaluates rules on a sample exactly as Python does, without using the page.

// A value as the model sees it: null for missing, -1 for a category that it does not know.
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

// Columns with a missing value although they had none in training: such a sample is rejected.
function rejected(model, values) {
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
  let probabilities = model.rules[found[0]].p;
  if (model.mode === "sum") {
    const total = model.classes.map(() => 0);
    for (const position of found) model.rules[position].p.forEach((probability, at) => { total[at] += probability; });
    const whole = total.reduce((sum, probability) => sum + probability, 0);
    probabilities = total.map((probability) => probability / whole);
  }
  return { values, fired: found, probabilities, best: probabilities.indexOf(Math.max(...probabilities)), rejected: rejected(model, values) };
}
