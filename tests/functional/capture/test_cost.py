"""What an exchange cost is the sum over its answered calls, also where the answers came to nothing."""

from __future__ import annotations

from tests.capture_world import Place, World, eventually
from tests.model_server import Reply, answer

SAID = "I live in Lisbon with my two dogs, and I want to learn Portuguese by May."


def test_the_parts_before_the_one_that_failed_are_counted(world: World, place: Place) -> None:
    world.model.script("[long]", answer(), answer(), Reply("", message={"refusal": "No."}))
    with world.worker():
        accepted = world.say(place, f"{SAID} " * 700, user_name="[long]")
        world.settled(place)
    row = world.row(place, accepted.id)
    assert (row.state, row.error) == ("failed", "model_refused")
    assert len(world.model.chats("[long]")) == 3
    assert (row.model, row.tokens_in, row.tokens_out) == ("scripted", 300, 30)


def test_a_worker_that_lost_its_claim_still_says_what_it_spent(world: World, place: Place) -> None:
    world.model.script("[lost]", Reply("", delay=0.3))
    world.model.on_call = lambda call: "[lost]" in call.prompt and take_away(world, place)
    with world.worker():
        accepted = world.say(place, SAID, user_name="[lost]")
        eventually(lambda: world.row(place, accepted.id).tokens_in)
    row = world.row(place, accepted.id)
    assert (row.state, row.tokens_in, row.tokens_out) == ("pending", 100, 10)


def take_away(world: World, place: Place) -> None:
    with world.app.app_context():
        world.execute(
            place,
            "UPDATE inbox SET state = 'pending', claim = NULL, lease_until = NULL, next_at = now() + interval '1 hour'",
        )
