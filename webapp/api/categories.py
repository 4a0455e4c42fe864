"""API rows 16–19: what an agent's memories are filed under."""

from __future__ import annotations

from typing import Any

from webapp.access.policy import Action, Target, can
from webapp.api.answers import Category, PageOf, PlainCategory, page_of
from webapp.api.schemas import CategoryBody, CategoryChange, CategoryQuery
from webapp.http.endpoint import A, Answer, O, endpoint, expected_version
from webapp.http.paging import page_request
from webapp.http.scope import Scope
from webapp.memory import categories

LIST = f"{O}/{A}/memory-categories/"
ONE = f"{LIST}<int:category_id>/"


@endpoint(
    "GET", LIST, Action.READ_ACTIVE_CATEGORIES, query=CategoryQuery, answers=PageOf[Category] | PageOf[PlainCategory]
)
def list_categories(scope: Scope, query: CategoryQuery) -> dict[str, Any]:
    """List an agent's active categories, by id; with `include_inactive` all of them.

    Members without a role on the agent read the active ones, without the extraction prompts.
    """
    page, size = page_request()
    found = categories.list_categories(
        scope.actor, scope.agent_id, include_inactive=bool(query.include_inactive), page=page, size=size
    )
    return page_of(found, _shape(scope))


@endpoint("POST", LIST, Action.WRITE_CATEGORIES, body=CategoryBody, answers=Category, status=201, statuses=(409,))
def create_category(scope: Scope, body: CategoryBody) -> Answer:
    """Add a category. Slugs are unique per agent, also against inactive ones."""
    return Answer(Category.of(categories.create(scope.actor, scope.agent_id, **body.model_dump())), 201)


@endpoint("GET", ONE, Action.READ_ACTIVE_CATEGORIES, answers=Category | PlainCategory)
def get_category(scope: Scope, category_id: int) -> Category | PlainCategory:
    """Read one category."""
    shape = Category if _reads_all(scope) else PlainCategory
    return shape.of(categories.get(scope.actor, scope.agent_id, category_id))


@endpoint("PATCH", ONE, Action.WRITE_CATEGORIES, body=CategoryChange, answers=Category, statuses=(409, 412))
def edit_category(scope: Scope, category_id: int, body: CategoryChange) -> Category:
    """Change any of a category's fields; `is_active: true` reactivates it."""
    changes = body.model_dump(exclude_unset=True)
    edited = categories.edit(scope.actor, scope.agent_id, category_id, changes, expected_version=expected_version())
    return Category.of(edited)


@endpoint("DELETE", ONE, Action.WRITE_CATEGORIES, status=204, statuses=(412,))
def deactivate_category(scope: Scope, category_id: int) -> Answer:
    """Deactivate a category: its memories stay readable and recalled, nothing new is filed there."""
    categories.deactivate(scope.actor, scope.agent_id, category_id, expected_version=expected_version())
    return Answer(status=204)


def _shape(scope: Scope) -> Any:
    shape = Category if _reads_all(scope) else PlainCategory
    return lambda category: shape.of(category)


def _reads_all(scope: Scope) -> bool:
    return can(scope.actor, Action.READ_CATEGORIES, Target(scope.org.id, agent_id=scope.agent_id))
