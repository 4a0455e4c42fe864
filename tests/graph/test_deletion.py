"""What is deleted is gone whole: with what it alone supported, and nothing of what others support."""

from __future__ import annotations

import json

from sqlalchemy import text

from tests.graph.world import GraphWorld
from webapp.access import tokens
from webapp.access.actor import system
from webapp.db.session import installation, transaction
from webapp.directory.people import PersonDraft, put_person
from webapp.graph import export
from webapp.privacy.erase import erase
from webapp.privacy.export import about_user

DELETED_EPISODE = {"message": "Episode deleted", "success": True}


def residue(world: GraphWorld, word: str) -> list[str]:
    """Every text column of every table in which a word stands, and terms or claims of facts that are gone."""
    places = []
    with world.app.app_context(), transaction(world.orgs["acme"]) as session:
        columns = session.execute(
            text(
                "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 "
                "AND a.atttypid IN ('text'::regtype, 'jsonb'::regtype) AND NOT a.attisdropped"
            )
        ).all()
        for table, column in columns:
            found = session.scalar(
                text(f"SELECT count(*) FROM {table} WHERE {column}::text ILIKE :word"), {"word": f"%{word}%"}
            )
            places += [f"{table}.{column}"] if found else []
        for table in ("graph_term", "graph_fact_vector"):
            orphans = (
                f"SELECT count(*) FROM {table} t WHERE NOT EXISTS (SELECT FROM graph_fact f WHERE f.id = t.fact_id)"
            )
            places += [table] if session.scalar(text(orphans)) else []
    return places


def delete_episode(world: GraphWorld, uuid: str) -> None:
    answer = world.call("olga", "DELETE", f"/ingest/episode/{uuid}")
    assert (answer.status_code, answer.json()) == (200, DELETED_EPISODE)


def test_an_episode_takes_along_what_it_alone_supports(world: GraphWorld) -> None:
    group = world.group()
    one, other = f"{group}-one", f"{group}-other"
    world.say(
        "olga", group, {"content": "I work for Northwind. I met Quetzalli in Tlaquepaque.", "uuid": one},
        {"content": "I work for Northwind.", "uuid": other},
    )  # fmt: skip
    assert residue(world, "tlaquepaque")
    delete_episode(world, one)
    assert residue(world, "tlaquepaque") == []
    assert residue(world, "quetzalli") == []
    assert sorted(world.entities("acme", group)) == ["John", "Northwind"]
    (fact,) = world.search("olga", "Northwind", [group])
    assert fact["episodes"] == [other]
    counted = world.rows("acme", "SELECT fact_count, term_count FROM graph_group WHERE key = :key", key=group)[0]
    kept = world.facts("acme", group)
    assert (counted.fact_count, counted.term_count) == (1, len(kept[0].terms) // 4)


def test_what_a_deleted_message_had_ended_holds_again(world: GraphWorld) -> None:
    group = world.group()
    moved = f"{group}-moved"
    world.say(
        "olga", group, {"content": "I live in Paris.", "timestamp": "2020-01-01"},
        {"content": "I live in Rome.", "timestamp": "2021-01-01", "uuid": moved},
    )  # fmt: skip
    assert world.current("acme", group) == {"John: I live in Rome."}
    delete_episode(world, moved)
    (fact,) = world.facts("acme", group)
    assert (fact.content, fact.invalid_at, fact.expired_at) == ("John: I live in Paris.", None, None)


def test_a_name_that_only_a_deleted_message_used_is_forgotten(world: GraphWorld) -> None:
    group = world.group()
    first = f"{group}-first"
    world.say("olga", group, {"content": "Zyxcorp GmbH is hiring in Berlin.", "uuid": first}, "I work for Zyxcorp.")
    assert world.entities("acme", group)[0] == "Zyxcorp GmbH"
    delete_episode(world, first)
    assert residue(world, "zyxcorp gmbh") == []
    assert sorted(world.entities("acme", group)) == ["John", "Zyxcorp"]


def test_a_node_written_by_hand_stays(world: GraphWorld) -> None:
    group = world.group()
    uuid = f"{group}-only"
    world.post("olga", "/ingest/entity-node", group_id=group, name="Northwind", uuid=f"{group}-node")
    world.say("olga", group, {"content": "I work for Northwind.", "uuid": uuid})
    delete_episode(world, uuid)
    assert world.entities("acme", group) == ["Northwind"]


def test_an_edge_goes_with_its_vector_and_terms(world: GraphWorld) -> None:
    group = world.group()
    world.say(
        "olga",
        group,
        {"content": "I live in Paris.", "timestamp": "2020-01-01"},
        {"content": "I live in Rome.", "timestamp": "2021-01-01"},
    )
    rome = next(fact for fact in world.search("olga", "Rome", [group]) if "Rome" in fact["fact"])
    answer = world.call("olga", "DELETE", f"/ingest/entity-edge/{rome['uuid']}")
    assert (answer.status_code, answer.json()) == (200, {"message": "Entity Edge deleted", "success": True})
    assert world.current("acme", group) == {"John: I live in Paris."}
    assert [place for place in residue(world, "in rome") if place != "graph_episode.content"] == []
    assert world.call("olga", "DELETE", f"/ingest/entity-edge/{rome['uuid']}").status_code == 404


def test_a_group_goes_whole_and_may_begin_anew(world: GraphWorld) -> None:
    group = world.group()
    world.say("olga", group, "I work for Xylophagou Mining.")
    for _ in range(2):
        answer = world.call("olga", "DELETE", f"/ingest/group/{group}")
        assert (answer.status_code, answer.json()) == (200, {"message": "Group deleted", "success": True})
    assert residue(world, "xylophagou") == []
    assert not world.rows("acme", "SELECT 1 FROM graph_group WHERE key = :key", key=group)
    world.say("olga", group, "I work for Northwind.")
    assert len(world.search("olga", "Northwind", [group])) == 1


def test_erasing_a_person_takes_their_groups_and_waiting_messages(world: GraphWorld) -> None:
    person, group = _somebody(world)
    world.say(person, group, "I work for Blorenge Holdings.")
    world.say("ada", group, "I live in Blorenge.", process=False)
    with world.app.app_context():
        erase(system(world.orgs["acme"], "test"), world.users[person])
    assert residue(world, "blorenge") == []
    assert not world.rows("acme", "SELECT 1 FROM inbox WHERE user_id = :user", user=world.users[person])
    # What was said before the erasure is not learned again; what is said now is.
    world.say(person, group, "I work for Blorenge Holdings.")
    assert residue(world, "blorenge") == []
    skipped = world.rows(
        "acme", "SELECT state, reason, body FROM inbox WHERE user_id = :user", user=world.users[person]
    )
    assert [(row.state, row.reason, row.body) for row in skipped] == [("skipped", "dated_before_erasure", None)]
    world.say(person, group, {"content": "I work for Northwind.", "timestamp": "2096-01-01"})
    assert len(world.search(person, "Northwind", [group])) == 1


def test_a_group_that_was_given_to_somebody_goes_with_them(world: GraphWorld) -> None:
    person, _ = _somebody(world)
    group = world.group()
    world.say("service", group, "I work for Ystradgynlais Ltd.")
    given = world.call("ada", "PUT", f"/ingest/group/{group}/owner", {"username": person})
    assert given.status_code == 200
    with world.app.app_context():
        erase(system(world.orgs["acme"], "test"), world.users[person])
    assert residue(world, "ystradgynlais") == []


def test_everything_held_is_in_the_export(world: GraphWorld) -> None:
    person, group = _somebody(world)
    world.say(person, group, "I work for Northwind.")
    with world.app.app_context():
        held = json.loads(about_user(system(world.orgs["acme"], "test"), world.users[person]))["graph"]
        with transaction(world.orgs["acme"]) as session:
            assert export.of_user(session, world.orgs["acme"], world.users["mira"]) == []
    (only,) = held
    assert only["group_id"] == group
    assert only["episodes"][0]["content"] == "I work for Northwind."
    assert {one["name"] for one in only["entities"]} == {"John", "Northwind"}
    assert only["facts"][0]["fact"] == "John: I work for Northwind."
    assert only["facts"][0]["episodes"] == [only["episodes"][0]["uuid"]]


def test_clearing_takes_every_orgs_graph_and_nothing_else(world: GraphWorld) -> None:
    world.say("olga", world.group(), "I work for Northwind.")
    world.say("oscar", world.group(), "I work for Contoso.")
    answer = world.call("root", "POST", "/ingest/clear")
    assert (answer.status_code, answer.json()) == (200, {"message": "Graph cleared", "success": True})
    for org in ("acme", "other"):
        tables = ("graph_group", "graph_episode", "graph_entity", "graph_fact", "graph_claim", "graph_term")
        assert [world.rows(org, f"SELECT count(*) AS n FROM {table}")[0].n for table in tables] == [0] * 6
        assert not world.rows(org, "SELECT 1 FROM inbox WHERE kind = 'episode'")
        assert world.rows(org, "SELECT 1 FROM membership")
    noted = world.rows("acme", "SELECT actor_label, detail FROM audit_event WHERE action = 'graph.cleared'")
    assert noted[0].actor_label == "root"


def _somebody(world: GraphWorld) -> tuple[str, str]:
    """A new member with a token, and a group named after them."""
    name = world.group()
    with world.app.app_context():
        boss = system(world.orgs["acme"], "test")
        world.users[name] = put_person(boss, name, PersonDraft(email=f"{name}@example.org"))[0].id
        with installation() as session:
            made = tokens.create(
                session, name="Test", created_by="test", org_id=world.orgs["acme"], account_id=world.users[name]
            )
            world.tokens[name] = made.secret
    return name, name
