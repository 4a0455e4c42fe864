"""Where to draw the entities of a picture. Pure: the same entities and links give the same picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

WIDTH = 1000
LEAST_HEIGHT, MOST_HEIGHT, HEIGHT_PER_NODE = 240, 640, 26
MARGIN_X, MARGIN_TOP, MARGIN_BOTTOM = 90, 36, 56
ROUNDS = 120
GAP_X, GAP_Y = 96, 50
"""What a circle with its name takes: two nodes are so far apart along one axis, or very nearly in a crowd."""
MOST_PUSHES = 400
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """A place in a drawing of `WIDTH` by `height_for` its nodes."""

    x: float
    y: float


def height_for(count: int) -> int:
    """How high a drawing of so many nodes is: a few need no whole screen."""
    return min(MOST_HEIGHT, LEAST_HEIGHT + HEIGHT_PER_NODE * max(count - 3, 0))


def layout(nodes: Sequence[int], links: Sequence[tuple[int, int]]) -> Mapping[int, Point]:
    """Return a place for each node: linked ones near each other, all within the margins, none on another.

    The first node begins in the middle. The method is Fruchterman and Reingold's (1991): everything repels, links
    attract, and steps get smaller; it begins from a spiral instead of chance.
    """
    if not nodes:
        return {}
    places = _spiral(len(nodes))
    number = {node: place for place, node in enumerate(nodes)}
    pairs = np.array([(number[one], number[other]) for one, other in links if one != other], dtype=np.int64)
    for turn in range(ROUNDS if len(nodes) > 1 else 0):
        places += _step(places, pairs.reshape(-1, 2), 0.12 * (1 - turn / ROUNDS))
    fitted = _apart(_fitted(places))
    return {node: Point(round(float(x), 1), round(float(y), 1)) for node, (x, y) in zip(nodes, fitted, strict=True)}


def _spiral(count: int) -> Floats:
    turns = np.arange(count)
    radius = np.sqrt(turns / max(count, 1))
    return np.stack([radius * np.cos(turns * _GOLDEN_ANGLE), radius * np.sin(turns * _GOLDEN_ANGLE)], axis=1)


def _step(places: Floats, pairs: npt.NDArray[np.int64], most: float) -> Floats:
    ideal = 2.0 / math.sqrt(len(places))
    apart = places[:, np.newaxis] - places[np.newaxis]
    distance = np.maximum(np.linalg.norm(apart, axis=2), 1e-3)
    moved = (apart * (ideal**2 / distance**2)[:, :, np.newaxis]).sum(axis=1)
    if len(pairs):
        one, other = pairs[:, 0], pairs[:, 1]
        pull = (places[one] - places[other]) * (distance[one, other] / ideal)[:, np.newaxis]
        np.add.at(moved, one, -pull)
        np.add.at(moved, other, pull)
    moved -= 0.15 * places
    length = np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    return np.asarray(moved / length * np.minimum(length, most))


def _fitted(places: Floats) -> Floats:
    """Stretched to the drawing, axis by axis; a single place is its middle."""
    low, high = places.min(axis=0), places.max(axis=0)
    size = np.where(high > low, high - low, 1.0)
    share = np.where(high > low, (places - low) / size, 0.5)
    room = np.array([WIDTH - 2 * MARGIN_X, height_for(len(places)) - MARGIN_TOP - MARGIN_BOTTOM])
    return np.asarray(share * room + np.array([MARGIN_X, MARGIN_TOP]))


def _apart(places: Floats) -> Floats:
    """Without names that lie on each other: who comes too near is pushed along the shorter way, within the margins."""
    low = np.array([MARGIN_X, MARGIN_TOP], dtype=np.float64)
    high = np.array([WIDTH - MARGIN_X, height_for(len(places)) - MARGIN_BOTTOM], dtype=np.float64)
    # Two at the same place have no direction; a little of their number gives them one.
    places = places + np.arange(len(places))[:, np.newaxis] * np.array([1e-3, -1e-3])
    for _ in range(MOST_PUSHES):
        between = places[:, np.newaxis] - places[np.newaxis]
        lacking = np.array([GAP_X, GAP_Y]) - np.abs(between)
        near: npt.NDArray[np.bool_] = np.asarray((lacking > 0).all(axis=2))
        np.fill_diagonal(near, val=False)
        if not near.any():
            break
        along_x = lacking[:, :, 0] / GAP_X < lacking[:, :, 1] / GAP_Y
        along = np.stack([along_x, ~along_x], axis=2) & near[:, :, np.newaxis]
        pushed = (np.sign(between) * (lacking / 2 + 0.5) * along).sum(axis=1)
        places = np.clip(places + 0.6 * pushed, low, high)
    return places
