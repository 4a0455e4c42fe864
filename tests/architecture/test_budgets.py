"""How large a file, a function, a route and a template may be."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PRODUCT = ("webapp", "jobs")
CODE = (*PRODUCT, "bench", "tests")
FILE, FILE_AT_MOST, FUNCTION, ROUTE, TEMPLATE, MEDIAN = 300, 400, 40, 15, 200, 8
# Tests may lay out a long example in one place.
FUNCTION_OF_TESTS = 50
ROUTE_DECORATORS = {"get", "post", "put", "patch", "delete", "route", "endpoint"}

# File → (lines allowed, when, why). One that is no longer needed fails, so that the list only shrinks.
EXCEPTIONS: dict[str, tuple[int, str, str]] = {}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (PROJECT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, Function):
            yield node


def length(function: Function) -> int:
    """Lines from `def` to the end, the docstring included."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def body_length(function: Function) -> int:
    """Lines of the body without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def is_route(function: Function) -> bool:
    calls = [item.func for item in function.decorator_list if isinstance(item, ast.Call)]
    names = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
    return bool(names & ROUTE_DECORATORS)


def is_test(path: Path) -> bool:
    return path.is_relative_to(PROJECT / "tests")


def allowed(path: Path) -> int:
    if is_test(path):
        return FILE_AT_MOST
    return EXCEPTIONS.get(name_of(path), (FILE, "", ""))[0]


def test_files_are_short() -> None:
    assert {name_of(path): lines_of(path) for path in sources(*CODE) if lines_of(path) > allowed(path)} == {}


def test_exceptions_are_needed_and_bounded() -> None:
    for name, (limit, _when, _why) in EXCEPTIONS.items():
        assert FILE < lines_of(PROJECT / name) <= limit <= FILE_AT_MOST, name


def test_functions_are_short() -> None:
    found = {
        f"{name_of(path)}:{each.name}": length(each)
        for path in sources(*CODE)
        for each in functions(path)
        if length(each) > (FUNCTION_OF_TESTS if is_test(path) else FUNCTION)
    }
    assert found == {}


def test_the_median_function_is_short() -> None:
    assert statistics.median(length(each) for path in sources(*PRODUCT) for each in functions(path)) <= MEDIAN


@pytest.mark.parametrize("folder", ["webapp/pages", "webapp/api"])
def test_routes_are_short(folder: str) -> None:
    routes = [(path, each) for path in sources(folder) for each in functions(path) if is_route(each)]
    assert routes
    long = {f"{name_of(path)}:{each.name}": body_length(each) for path, each in routes if body_length(each) > ROUTE}
    assert long == {}


def test_templates_are_short() -> None:
    templates = sorted((PROJECT / "templates").rglob("*.html"))
    assert templates
    assert {name_of(path): lines_of(path) for path in templates if lines_of(path) > TEMPLATE} == {}


def test_no_file_is_named_for_nothing_in_particular() -> None:
    shunned = {"utils.py", "helpers.py", "common.py", "misc.py"}
    assert [name_of(path) for path in sources(*CODE) if path.name in shunned] == []
