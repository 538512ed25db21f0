"""What the search did with each tree."""

import attrs


@attrs.frozen
class SearchStep:
    """One tree's passage through the stages.

    Attributes
    ----------
    tree : int
        Position of the tree (of the round, in multiclass boosting), from 0.
    n_candidates, n_after_cover, n_after_simplify : int
        Rules after each stage. The first tree only passes through simplify: its candidates are its leaves.
    score : float
        Macro-F1 on the training records of the rules that this tree led to, with their default rule.
    accepted : bool
        Whether they took the place of the rules so far.
    seconds : dict of str to float
        Time of each stage by its name.
    """

    tree: int
    n_candidates: int
    n_after_cover: int
    n_after_simplify: int
    score: float
    accepted: bool
    seconds: dict[str, float]
