"""Made-up inputs of `fit` and `predict_proba`, right and wrong, and what must come of them.

``tables`` and ``labels`` draw records and classes in every form, ``options`` parameters; ``trials`` puts them together,
and ``outcome`` says what may happen: a correct answer, or an error that is documented. ``python -m tests.fuzz_fit``
goes on for as long as it is told; the suite runs a few.
"""
