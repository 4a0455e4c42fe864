"""What is put before the model about one person holds nothing of another's."""

from __future__ import annotations

import re

from jobs.worker import Process
from tests import model_server
from tests.functional.api.world import World, word
from tests.functional.installation import wait_until

PLANTED = re.compile(r"planted([a-z]+?)(global|agent|exchange|knowledge)word")


def test_nobodys_words_stand_in_the_prompt_about_somebody_else(world: World, model: model_server.ModelServer) -> None:
    """Everyone's exchange is worked off by one worker, with memories put before the model: only their own."""
    people = ("olga", "mira", "eddie", "ada")
    with world.app.app_context():
        process = Process(world.app)
        process.start()
        try:
            states = "SELECT count(*) AS n FROM inbox WHERE state IN ('pending', 'claimed')"
            wait_until(lambda: all(world.row(org, states).n == 0 for org in world.orgs), "the worker")
        finally:
            process.stop()
    prompts = [call.prompt for call in model.chats()]
    about = [{name for name, _scope in PLANTED.findall(prompt)} - {"acme", "other"} for prompt in prompts]
    assert {next(iter(names)) for names in about if names} >= set(people)
    assert all(len(names) <= 1 for names in about), about
    for name in people:
        [mine] = [prompt for prompt in prompts if word(name, "exchange") in prompt]
        assert "knowledgeword" not in mine
