"""Rules for a number, as slowly and plainly as possible: masks of samples, and every candidate tried in turn."""

import math

import numpy as np


def node_masks(forest, X):
    """The samples of every node but the roots, tree by tree, as (depth, mask); nodes in the order of their indices."""
    rounded = np.asarray(X, dtype=forest.input_dtype).astype(float)
    found = []
    for trees in forest.rounds:
        for tree in trees:
            masks, depths = {0: np.ones(len(X), dtype=bool)}, {0: 0}
            waiting = [0]
            while waiting:
                node = waiting.pop()
                if tree.features[node] < 0:
                    continue
                values = rounded[:, tree.features[node]]
                goes_left = np.where(np.isnan(values), tree.missing_left[node], values <= tree.thresholds[node])
                for child, goes in ((tree.left[node], goes_left), (tree.right[node], ~goes_left)):
                    masks[int(child)], depths[int(child)] = masks[node] & goes, depths[node] + 1
                    waiting.append(int(child))
            found += [(depths[node], masks[node]) for node in sorted(masks) if node > 0]
    return found


def distinct(nodes, least):
    """One mask for each set of at least `least` samples, but not all: of least depth, then the first."""
    best = {}
    for position, (depth, mask) in enumerate(nodes):
        if least <= mask.sum() < len(mask):
            key = mask.tobytes()
            if key not in best or depth < best[key][0]:
                best[key] = (depth, position)
    kept = sorted(position for _, position in best.values())
    return [nodes[position][1] for position in kept]


def ridge(columns, target, penalty):
    """Intercept and weights, the intercept without penalty."""
    Z = np.column_stack([np.ones(len(target)), *[column.astype(float) for column in columns]])
    penalties = np.diag([0.0, *[penalty] * len(columns)])
    return np.linalg.solve(Z.T @ Z + penalties, Z.T @ target)


def additive(masks, target, n_rules, penalty):
    """Indices of the rules in the order in which forward selection takes them, and the weights after the last."""
    chosen = []
    for _ in range(n_rules):
        solution = ridge([masks[rule] for rule in chosen], target, penalty)
        predicted = solution[0] + sum(
            (weight * masks[rule] for weight, rule in zip(solution[1:], chosen, strict=True)), np.zeros(len(target))
        )
        residuals = target - predicted
        gains = [
            -math.inf if rule in chosen else math.fsum(residuals[mask]) ** 2 / (mask.sum() + penalty)
            for rule, mask in enumerate(masks)
        ]
        chosen.append(int(np.argmax(gains)))
    return chosen, ridge([masks[rule] for rule in chosen], target, penalty)


def left_out_error(numbers, shrinkage):
    """Squared errors of a part, each sample predicted by the mean of the others drawn to 0, one by one."""
    total = 0.0
    for position in range(len(numbers)):
        others = np.delete(numbers, position)
        total += (numbers[position] - others.sum() / (len(others) + shrinkage)) ** 2
    return total


def list_loss(rules, masks, target, shrinkage):
    """n / 2 times the logarithm of the leave-one-out error of a list."""
    left, total = np.ones(len(target), dtype=bool), 0.0
    for rule in rules:
        total += left_out_error(target[left & masks[rule]], shrinkage)
        left &= ~masks[rule]
    total += left_out_error(target[left], shrinkage)
    return len(target) / 2 * math.log(total)


def best_insertion(rules, masks, target, shrinkage, least):
    """Gain, rule and position of the best insertion."""
    loss = list_loss(rules, masks, target, shrinkage)
    best = (-math.inf, -1, -1)
    for position in range(len(rules), -1, -1):
        before = np.zeros(len(target), dtype=bool)
        for rule in rules[:position]:
            before |= masks[rule]
        for rule in range(len(masks)):
            if rule in rules or (masks[rule] & ~before).sum() < least:
                continue
            longer = [*rules[:position], rule, *rules[position:]]
            gain = loss - list_loss(longer, masks, target, shrinkage)
            if gain > best[0] + 1e-9:
                best = (gain, rule, position)
    return best
