"""Where a picture draws its nodes: inside, the same each time, and no name on another."""

from __future__ import annotations

import random

import pytest

from webapp.graph.picture import GAP_X, GAP_Y, MARGIN_BOTTOM, MARGIN_TOP, MARGIN_X, WIDTH, height_for, layout


def star(count: int) -> list[tuple[int, int]]:
    return [(0, other) for other in range(1, count)]


def pair_and_strangers(_count: int) -> list[tuple[int, int]]:
    """Five that hang together among many that hang on nothing: the first draw each other in."""
    return [(0, 1), (0, 2), (0, 3), (0, 4)]


def by_chance(count: int) -> list[tuple[int, int]]:
    choose = random.Random(count)
    return [(choose.randrange(count), choose.randrange(count)) for _ in range(2 * count)]


@pytest.mark.parametrize("links", [star, pair_and_strangers, by_chance, lambda _count: []])
@pytest.mark.parametrize("count", [1, 2, 5, 12, 20, 40])
def test_no_node_lies_on_another(count: int, links: object) -> None:
    drawn = [(one, other) for one, other in links(count) if max(one, other) < count]  # type: ignore[operator]
    places = layout(range(count), drawn)
    assert places == layout(range(count), drawn)
    for number, one in places.items():
        assert MARGIN_X - 0.1 <= one.x <= WIDTH - MARGIN_X + 0.1
        assert MARGIN_TOP - 0.1 <= one.y <= height_for(count) - MARGIN_BOTTOM + 0.1
        for other_number, other in places.items():
            if number < other_number:
                assert abs(one.x - other.x) >= 0.75 * GAP_X or abs(one.y - other.y) >= 0.75 * GAP_Y, (
                    number,
                    other_number,
                )
