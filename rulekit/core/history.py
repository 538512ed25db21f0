"""What the search did with each tree."""

from typing import Self

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
    n_left_out : int
        Candidates that `max_candidates` left out.
    cut : tuple of str
        Budgets that ended in this tree, by their parameters' names; "interrupt" for Ctrl-C. After "max_seconds",
        "max_memory" and "interrupt" the tree was not finished and no further one begun: this is the last step, without
        rules of its own and with the score of the best ones so far.
    """

    tree: int
    n_candidates: int
    n_after_cover: int
    n_after_simplify: int
    score: float
    accepted: bool
    seconds: dict[str, float]
    n_left_out: int = 0
    cut: tuple[str, ...] = ()

    @classmethod
    def cut_off(cls, tree: int, score: float, budget: str) -> Self:
        """The last step of a search that ended in the midst of a tree."""
        return cls(tree, 0, 0, 0, score, False, {}, cut=(budget,))
