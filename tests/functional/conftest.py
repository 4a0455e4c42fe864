"""Fixtures of the functional tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests import servers
from tests.functional.installation import Installation


@pytest.fixture(scope="module")
def installation() -> Iterator[Callable[..., Installation]]:
    """Makes installations; whatever runs of them at the end of the module is killed."""
    with ExitStack() as stack:

        def make(name: str = "var", **given: object) -> Installation:
            folder = stack.enter_context(servers.scratch_folder())
            made = Installation(folder / name, **given)  # type: ignore[arg-type]
            stack.callback(made.clean_up)
            return made

        yield make
