"""Reading a model's answer: every dressing, every breakage, and no candidate made of debris."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.capture.answer import MAX_LENGTH, Answer, AnswerError, AnswerProblem, parse
from webapp.capture.types import Candidate, Evidence, Relation

TEXT = "The user lives in Lisbon."
GOOD: dict[str, Any] = {
    "has_memories": True,
    "global_memories": [TEXT],
    "mentor_memories": {"preferences": ["The user prefers tea."]},
}
BARE = json.dumps(GOOD)
CANDIDATES = (Candidate(TEXT, "global"), Candidate("The user prefers tea.", "agent", "preferences"))
SCHEMA = '{"type": "object", "properties": {"has_memories": {"type": "boolean"}, "global_memories": {"type": "array", "items": {"type": "string"}}, "mentor_memories": {"type": "object"}}}'


def texts(answer: Answer) -> list[str]:
    return [candidate.text for candidate in answer.candidates]


@pytest.mark.parametrize(
    "answer",
    [
        BARE,
        json.dumps(GOOD, indent=2),
        f"\ufeff{BARE}\n",
        f"```json\n{BARE}\n```",
        f"```\n{BARE}\n```",
        f"~~~json\n{BARE}\n~~~",
        f"Here is the JSON you asked for:\n\n```json\n{BARE}\n```\nLet me know if you need anything else!",
        f"Sure! {BARE} Hope this helps.",
        f"The answer {{as asked}} is [1]: {BARE}",
        f"<think>The user lives in Lisbon, so I should write {{}}.</think>\n{BARE}",
        f"<think>Draft: {json.dumps({**GOOD, 'global_memories': ['The user lives in Porto.']})}</think>{BARE}",
        f"The user moved, I note.</think>\n{BARE}",
        f"<reasoning>hm</reasoning>```json\n{BARE}\n```",
        f"<think>first</think> and <think>second</think>{BARE}",
        f"<think>I never close this. Final answer:\n{BARE}",
        f"{SCHEMA}\n\n{BARE}",
        f"```json\n{SCHEMA}\n```\n```json\n{BARE}\n```",
        f"{BARE}\n\nFormat: "
        + '{"has_memories": true, "global_memories": ["..."], "mentor_memories": {"<slug>": ["..."]}}',
        '{"has_memories": bool, "global_memories": [str], "mentor_memories": {}}\n' + BARE,
        f"[{BARE}]",
        json.dumps({"result": GOOD}),
        json.dumps({"name": "save_memories", "arguments": BARE}),
        json.dumps({"tool_calls": GOOD}),
        BARE.replace("]", ",]"),
        BARE[:-1] + ",}",
        BARE + BARE,
        BARE.replace("mentor_memories", "agent_memories"),
        BARE.replace("preferences", "Preferences"),
        '{"has_memories": false, "has_memories": true, ' + BARE[1:],
    ],
)
def test_every_dressing_gives_the_same(answer: str) -> None:
    assert parse(answer).candidates == CANDIDATES


@pytest.mark.parametrize(
    "answer",
    [
        '{"has_memories": false}',
        '{"has_memories": false, "global_memories": [], "mentor_memories": {}}',
        '{"has_memories": true, "global_memories": null, "mentor_memories": null}',
        '{"has_memories": false, "global_memories": [], "mentor_memories": []}',
        "[]",
        "```json\n[]\n```",
        '<think>nothing here</think>{"has_memories": false}',
        '{"global_memories": [""], "mentor_memories": {"preferences": ["  ", "\\u200b"]}}',
    ],
)
def test_nothing_to_remember_is_no_error(answer: str) -> None:
    assert parse(answer).candidates == ()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", AnswerProblem.EMPTY),
        (" \n\t\u200b".replace("\u200b", ""), AnswerProblem.EMPTY),
        ("<think>all thought, no answer</think>", AnswerProblem.EMPTY),
        ("```json\n```", AnswerProblem.EMPTY),
        ("I'm sorry, but I can't help with that.", AnswerProblem.REFUSAL),
        ("I cannot assist with storing personal data.", AnswerProblem.REFUSAL),
        ("抱歉，我无法提供帮助。", AnswerProblem.REFUSAL),
        ("Lo siento, no puedo ayudar con eso.", AnswerProblem.REFUSAL),
        (BARE[:-1], AnswerProblem.TRUNCATED),
        (BARE[:60], AnswerProblem.TRUNCATED),
        ("```json\n" + BARE[:80], AnswerProblem.TRUNCATED),
        ("Here you go: " + BARE[:50], AnswerProblem.TRUNCATED),
        (BARE[:-30] + '"and then the user sai', AnswerProblem.TRUNCATED),
        ("<think>I wonder whether", AnswerProblem.TRUNCATED),
        (f"<think>Draft: {BARE} but I am not done and", AnswerProblem.TRUNCATED),
        ("The user lives in Lisbon and prefers tea.", AnswerProblem.UNREADABLE),
        ("{'has_memories': True, 'global_memories': ['The user lives in Lisbon']}", AnswerProblem.UNREADABLE),
        ("<html><body>502 Bad Gateway</body></html>", AnswerProblem.UNREADABLE),
        ("{}", AnswerProblem.WRONG_SHAPE),
        ('{"has_memories": true}', AnswerProblem.WRONG_SHAPE),
        ('["The user lives in Lisbon."]', AnswerProblem.WRONG_SHAPE),
        ('[1, 2, "x"]', AnswerProblem.WRONG_SHAPE),
        ('{"memories": ["The user lives in Lisbon."]}', AnswerProblem.WRONG_SHAPE),
        (SCHEMA, AnswerProblem.WRONG_SHAPE),
        ("x" * (MAX_LENGTH + 1), AnswerProblem.OVERSIZED),
        (" " * 10_000_000 + BARE, AnswerProblem.OVERSIZED),
    ],
)
def test_each_breakage_has_its_own_error(answer: str, problem: AnswerProblem) -> None:
    with pytest.raises(AnswerError) as caught:
        parse(answer)
    assert caught.value.problem is problem
    assert str(caught.value) == problem.value


def test_only_what_asking_again_can_help_is_repairable() -> None:
    repairable = {problem for problem in AnswerProblem if AnswerError(problem).repairable}
    assert repairable == {AnswerProblem.TRUNCATED, AnswerProblem.UNREADABLE, AnswerProblem.WRONG_SHAPE}


def test_rich_items() -> None:
    item = {
        "text": TEXT,
        "evidence": {"message": 2, "quote": "i live in lisbon"},
        "relation": {"kind": "supersedes", "n": 3},
    }
    answer = parse(json.dumps({"has_memories": True, "global_memories": [item], "mentor_memories": {}}))
    assert answer.candidates == (
        Candidate(TEXT, "global", None, Evidence(2, "i live in lisbon"), Relation("supersedes", 3)),
    )


@pytest.mark.parametrize(
    ("given_relation", "relation"),
    [
        ({"kind": "same", "n": 1}, Relation("same", 1)),
        ({"kind": "same", "n": "2"}, Relation("same", 2)),
        ({"kind": "same", "n": 2.0}, Relation("same", 2)),
        ("supersedes 4", Relation("supersedes", 4)),
        ({"type": "supersede", "number": 4}, Relation("supersedes", 4)),
        *[(odd, Relation()) for odd in (None, "none", {"kind": "none", "n": None}, {"kind": "same", "n": True}, {"kind": "same"}, {"kind": "same", "n": [1]},
                                        {"kind": "same", "n": -1}, {"kind": "same", "n": 10**30}, {"kind": "merge", "n": 1}, 7, [], {"kind": ["same"], "n": 1})],
    ],
)  # fmt: skip
def test_relation(given_relation: object, relation: Relation) -> None:
    answer = parse(json.dumps({"global_memories": [{"text": TEXT, "relation": given_relation}]}))
    assert answer.candidates[0].relation == relation


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ("i live in lisbon", Evidence(0, "i live in lisbon")),
        ({"message": "1", "quote": "x y"}, Evidence(1, "x y")),
        ([{"message": 1, "quote": "x y"}], Evidence(1, "x y")),
        ({"quote": "x y"}, Evidence(0, "x y")),
        *[
            (odd, None)
            for odd in (None, {}, {"message": 0}, {"message": 0, "quote": 5}, {"message": 0, "quote": " "}, 3, [])
        ],
    ],
)
def test_evidence(evidence: object, expected: Evidence | None) -> None:
    assert (
        parse(json.dumps({"global_memories": [{"text": TEXT, "evidence": evidence}]})).candidates[0].evidence
        == expected
    )


def test_wrong_types_are_counted_and_the_rest_is_kept() -> None:
    odd = [TEXT, 5, None, True, [TEXT], {"text": 7}, {"note": "x"}, {"text": "The user has a dog."}, 1.5, ""]
    answer = parse(json.dumps({"global_memories": odd, "mentor_memories": {"preferences": "The user prefers tea."}}))
    assert texts(answer) == [TEXT, "The user has a dog.", "The user prefers tea."]
    assert answer.malformed == 8


@pytest.mark.parametrize(
    "debris",
    [
        "```json",
        '{"text": ',
        "[",
        '{"has_memories": true',
        '"global_memories": [',
        "<think>hm",
        "</think>",
        "...",
        "-",
        "```python\nx\n```",
    ],
)
def test_debris_is_no_memory(debris: str) -> None:
    answer = parse(json.dumps({"global_memories": [debris, TEXT]}))
    assert texts(answer) == [TEXT]
    assert answer.malformed == 1


@pytest.mark.parametrize(
    "text",
    [
        "The user writes ```python``` in chats.",
        "The user asked what <think> means in prompts.",
        'The user calls the dog "{Rex}".',
        "The user likes [brackets], commas,] and }.",
        'The user\'s café is called "Éire" – 東京 👩‍💻.',
    ],
)
def test_odd_signs_inside_a_text_stay(text: str) -> None:
    for dressed in (
        json.dumps({"global_memories": [text]}),
        f"```json\n{json.dumps({'global_memories': [text]}, indent=1)}\n```",
    ):
        assert texts(parse(dressed)) == [text]


def test_thinking_inside_a_text_is_cut_off() -> None:
    assert texts(parse(json.dumps({"global_memories": ["<think>short</think> " + TEXT]}))) == [TEXT]


def test_an_item_that_is_json_again_is_read() -> None:
    assert texts(parse(json.dumps({"global_memories": [json.dumps({"text": TEXT})]}))) == [TEXT]


def test_repeated_keys_are_put_together_or_dropped() -> None:
    answer = parse(
        '{"global_memories": ["The user lives in Lisbon."], "global_memories": [{"text": "one", "text": "two"}], "mentor_memories": {"a": ["The user runs."], "a": ["The user swims."]}, "mentor_memories": {"b": ["The user rows."]}}'
    )
    assert texts(answer) == [TEXT, "The user runs.", "The user swims.", "The user rows."]
    assert answer.malformed == 1


def test_a_bare_list_counts_where_its_items_say_their_place() -> None:
    rows = [{"text": TEXT, "scope": "global"}, {"text": "The user prefers tea.", "category": "Preferences"}]
    assert parse(json.dumps(rows)).candidates == CANDIDATES


def test_filed_by_a_list_instead_of_an_object() -> None:
    rows = {"mentor_memories": [{"category": "knowledge-gaps", "text": TEXT}, TEXT]}
    assert parse(json.dumps(rows)).candidates == (
        Candidate(TEXT, "agent", "knowledge_gaps"),
        Candidate(TEXT, "agent", ""),
    )


def test_invisible_signs_and_lone_surrogates_are_cleaned() -> None:
    assert texts(parse('{"global_memories": ["The \\u0000user\\u202e lives\\u200b in \\ud83dLisbon."]}')) == [TEXT]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Cn", "Co"]), min_size=12, max_size=80), max_size=6
    ),
    st.sampled_from(["{}", "```json\n{}\n```", "Here:\n{}\nDone.", "<think>x</think>{}"]),
)
def test_what_was_written_is_read_back(memories: list[str], dressing: str) -> None:
    memories = [
        " ".join(text.split())
        for text in memories
        if text.strip() and text.strip()[:1].isalpha() and "_memories" not in text
    ]
    memories = [text for text in memories if text and not text.startswith("<")]
    body = json.dumps(
        {"has_memories": bool(memories), "global_memories": memories, "mentor_memories": {}}, ensure_ascii=False
    )
    from webapp.memory.content import clean

    assert texts(parse(dressing.replace("{}", body))) == [clean(text) for text in memories]
