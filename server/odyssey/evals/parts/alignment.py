"""Laying two sequences side by side without changing their order, so that as much as possible agrees."""

from collections.abc import Sequence

Similarities = Sequence[Sequence[float]]
"""How alike item i of the left and item j of the right are; 0 and above."""


def best_total(similarities: Similarities, width: int) -> float:
    """Give the largest sum of similarities of pairs that do not cross; `width` is the length of the right."""
    above = [0.0] * (width + 1)
    for row in similarities:
        current = [0.0]
        for column, alike in enumerate(row):
            current.append(max(above[column + 1], current[column], above[column] + alike))
        above = current
    return above[width]


def best_pairs(similarities: Similarities, width: int) -> list[tuple[int, int]]:
    """Give the pairs of such an alignment, in order; pairs that have nothing in common are left out."""
    table = [[0.0] * (width + 1)]
    for row in similarities:
        above, current = table[-1], [0.0]
        for column, alike in enumerate(row):
            current.append(max(above[column + 1], current[column], above[column] + alike))
        table.append(current)
    pairs: list[tuple[int, int]] = []
    left, right = len(similarities), width
    while left and right:
        if table[left][right] == table[left - 1][right]:
            left -= 1
        elif table[left][right] == table[left][right - 1]:
            right -= 1
        else:
            left, right = left - 1, right - 1
            pairs.append((left, right))
    return pairs[::-1]
