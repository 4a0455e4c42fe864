"""Rows 28–30: members, sign-in links and agents."""

from __future__ import annotations

from tests.functional.api.world import World


def test_an_admin_gets_no_hold_of_somebody_elses_account(world: World) -> None:
    """Adding another org's member, or a superuser, must not open what is theirs elsewhere."""
    taken = world.call("ada", "PUT", "/orgs/acme/users/oscar/", json={"role": "member"})
    assert (taken.status_code, list(taken.json)) == (400, ["username"])
    guessed = world.call("ada", "PUT", "/orgs/acme/users/oscar/", json={"email": "guess@example.org"})
    assert guessed.json == taken.json
    root = world.call("ada", "PUT", "/orgs/acme/users/root/", json={"email": "root@example.org"})
    assert root.json == taken.json


def test_a_person_of_two_orgs_gets_no_link_from_either(world: World) -> None:
    world.call("ada", "PUT", "/orgs/acme/users/twice/", json={"email": "twice@example.org"})
    assert world.call("ada", "POST", "/orgs/acme/users/twice/sign-in-link/").status_code == 201
    joined = world.call(
        "otto", "PUT", "/orgs/other/users/twice/", json={"email": "TWICE@example.org", "full_name": "X"}
    )
    assert (joined.status_code, joined.json["full_name"]) == (201, "")
    for who, org in (("ada", "acme"), ("otto", "other")):
        assert world.call(who, "POST", f"/orgs/{org}/users/twice/sign-in-link/").status_code == 400
        assert (
            world.call(who, "PUT", f"/orgs/{org}/users/twice/", json={"email": "mine@example.org"}).status_code == 400
        )
    left = world.row("acme", "SELECT count(*) AS n FROM one_time_link l JOIN account a ON a.id = l.account_id "
                             "WHERE a.username = 'twice'")  # fmt: skip
    assert left.n == 0
