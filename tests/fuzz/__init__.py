"""Made-up inputs, right and wrong, and what may come of them: a correct result or a documented error.

``running`` tries the inputs of a target one by one, each made from its number and the seed alone, and keeps the tally;
``targets`` lists what is tried. ``documents``, ``studies``, ``stores``, ``tables_in_files``, ``overrides`` and
``commands`` change what is right; ``trials`` and ``asking`` draw what is passed to ``fit`` and ``predict_proba``, and
``machine`` whole lives of an extractor. ``outcome`` and ``slow_reading`` say what is correct. ``python -m tests.fuzz``
runs all of it at length, the suite a little of everything; ``guided`` lets the code that is reached choose the inputs.
"""
