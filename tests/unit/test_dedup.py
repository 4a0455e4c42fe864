"""What is the same, what replaces what: the table of pairs both ways, and each rule of the decision."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.dedup import JUDGES, Pair, pairs, score
from webapp.capture.attributes import same_thing
from webapp.capture.dedup import decide, differs, named_by, restates
from webapp.capture.types import Candidate, Existing, Relation, Scope

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
THRESHOLD = 0.15
PAIRS = pairs()


def existing(text: str, number: int = 1, scope: Scope = "global", age: int = 10) -> Existing:
    return Existing(number, 100 + number, text, scope, None, NOW - timedelta(days=age))


def candidate(text: str, relation: Relation | None = None, scope: Scope = "global") -> Candidate:
    return Candidate(text, scope, None, None, relation or Relation())


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.one} | {pair.other}")
def test_pair_both_ways(pair: Pair) -> None:
    for one, other in ((pair.one, pair.other), (pair.other, pair.one)):
        decision = decide(candidate(one), [(existing(other), pair.distance)], THRESHOLD)
        if pair.same:
            assert differs(one, other) is None
            said_same = decide(candidate(one, Relation("same", 1)), [], THRESHOLD, named=existing(other))
            assert said_same.kind == "same"
        else:
            assert decision.kind != "same"


def test_the_measured_pairs_of_the_design_are_decided() -> None:
    first = PAIRS[:6]
    assert [pair.same for pair in first] == [True, True, False, False, False, False]
    assert [str(differs(pair.one, pair.other)) for pair in first] == [
        "None",
        "None",
        "order",
        "number",
        "number",
        "tense",
    ]


def test_there_are_enough_pairs_and_no_same_is_false() -> None:
    assert len(PAIRS) >= 66
    precision, recall, wrong = score(JUDGES["vector and words, no model"])
    assert precision == 1.0, wrong
    assert recall >= 0.85, wrong
    assert score(JUDGES["guard, model is right"])[:2] == (1.0, 1.0)


@given(st.sampled_from(PAIRS), st.sampled_from(PAIRS))
def test_guard_and_likeness_do_not_depend_on_the_order(first: Pair, second: Pair) -> None:
    assert differs(first.one, second.other) == differs(second.other, first.one)
    assert restates(first.one, second.other) == restates(second.other, first.one)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_compared(one: str, other: str) -> None:
    assert differs(one, other) == differs(other, one)
    assert differs(one, one) is None


class TestSame:
    def test_a_far_vector_nominates_nothing(self) -> None:
        text = "The user is a software developer."
        assert decide(candidate(text), [(existing("The user is a software engineer."), 0.16)], THRESHOLD).kind == "add"

    def test_a_near_vector_alone_decides_nothing(self) -> None:
        near = [(existing("The user works on embedded systems."), 0.01)]
        assert decide(candidate("The user works on backend systems."), near, THRESHOLD).kind == "add"

    def test_the_model_decides_where_the_guard_is_silent(self) -> None:
        said = candidate("The user is keen on trail running.", Relation("same", 1))
        assert decide(said, [], THRESHOLD, named=existing("The user likes to run in the hills.")).kind == "same"

    def test_the_guard_overrules_the_model(self) -> None:
        said = candidate("The user has three children.", Relation("same", 1))
        assert decide(said, [], THRESHOLD, named=existing("The user has two children.")).kind == "add"

    def test_the_nearest_that_restates_is_meant(self) -> None:
        near = [(existing("The user lives in London.", 1), 0.05), (existing("The user resides in Lisbon.", 2), 0.1)]
        decision = decide(candidate("The user lives in Lisbon."), near, THRESHOLD)
        assert (decision.kind, decision.existing and decision.existing.number) == ("same", 2)

    def test_the_same_fact_is_not_stored_in_both_scopes(self) -> None:
        known = existing("The user prefers short answers.", scope="global")
        said = candidate("The user prefers short answers", scope="agent")
        assert decide(said, [(known, 0.01)], THRESHOLD).kind == "same"

    def test_numbers_out_of_range_name_nothing(self) -> None:
        shown = [existing("The user lives in Lisbon.")]
        for number in (0, 2, -1, 10**9, None):
            assert named_by(candidate("x", Relation("same", number)), shown) is None
        assert named_by(candidate("x", Relation("none", 1)), shown) is None
        assert named_by(candidate("x", Relation("supersedes", 1)), shown) == shown[0]


SUPERSEDES = Relation("supersedes", 1)


class TestSupersedeByModel:
    @pytest.mark.parametrize(
        ("new", "old"),
        [
            ("The user lives in Lisbon.", "The user lives in Berlin."),
            ("The user moved to Lisbon last week.", "The user lives in a flat in Berlin."),
            ("The user works at Klarna.", "The user is a backend engineer at Shopify."),
            ("The user prefers long answers.", "The user prefers short answers."),
            ("The user's favourite language is Go.", "The user's favourite language is Rust."),
            ("The user is married.", "The user is single."),
            ("The user's daughter is 8.", "The user's daughter is 7."),
            ("The user no longer wants to learn Rust.", "The user wants to learn Rust."),
            ("用户搬到上海了。", "用户住在北京。"),
            ("El usuario se ha mudado a Madrid.", "El usuario vive en Sevilla."),
            ("ユーザーは大阪に引っ越した。", "ユーザーは東京に住んでいる。"),
            ("Der Nutzer arbeitet jetzt bei Bosch.", "Der Nutzer arbeitet bei Siemens."),
        ],
    )
    def test_a_newer_value_of_the_same_attribute(self, new: str, old: str) -> None:
        decision = decide(candidate(new, SUPERSEDES), [], THRESHOLD, existing(old), NOW)
        assert (decision.kind, decision.note) == ("supersede", "model")

    @pytest.mark.parametrize(
        ("new", "old"),
        [
            ("The user works at Klarna.", "The user lives in Berlin."),
            ("The user's brother lives in Lisbon.", "The user lives in Berlin."),
            ("The user lives in Lisbon.", "The user's brother lives in Berlin."),
            ("The user likes opera.", "The user has two dogs."),
            ("The user passed the driving test.", "The user prefers short answers."),
            ("用户喜欢喝茶。", "用户住在北京。"),
        ],
    )
    def test_another_subject_or_attribute_is_added(self, new: str, old: str) -> None:
        assert not same_thing(new, old)
        assert decide(candidate(new, SUPERSEDES), [], THRESHOLD, existing(old), NOW).kind == "add"

    def test_another_scope_is_added(self) -> None:
        old = existing("The user lives in Berlin.", scope="agent")
        assert decide(candidate("The user lives in Lisbon.", SUPERSEDES), [], THRESHOLD, old, NOW).kind == "add"

    def test_old_news_does_not_replace(self) -> None:
        old = existing("The user lives in Berlin.", age=1)
        said = candidate("The user lives in Lisbon.", SUPERSEDES)
        assert decide(said, [], THRESHOLD, old, NOW - timedelta(days=2)).kind == "add"
        assert decide(said, [], THRESHOLD, old, NOW).kind == "supersede"

    def test_what_says_the_same_does_not_replace(self) -> None:
        said = candidate("The user resides in Lisbon.", SUPERSEDES)
        assert decide(said, [], THRESHOLD, existing("The user lives in Lisbon."), NOW).kind == "same"


class TestSupersedeByChange:
    """Without a model: the built-in rules' sentences, where the wording itself tells of a change."""

    @pytest.mark.parametrize(
        ("new", "old"),
        [
            ("The user moved from Berlin to Lisbon.", "The user lives in Berlin."),
            ("The user moved to Busan two weeks ago.", "The user has been living in Seoul for six years."),
            ("The user moved from Berlin to Lisbon in April.", "The user lives in Porto."),
            ("The user no longer lives in Seoul.", "The user lives in Seoul."),
            ("The user is now based in Zürich.", "The user is based in Basel."),
            ("The user no longer works at Shopify.", "The user works at Shopify."),
            ("The user now works at Klarna.", "The user is a backend engineer at Shopify."),
            ("The user started a new job at Deloitte.", "The user works for KPMG."),
            ("The user left Oracle.", "The user works at Oracle."),
            ("The user switched their major from biology to statistics.", "The user studies biology at Leeds."),
            ("The user dropped out of college in 2009.", "The user is a college student."),
        ],
    )
    def test_change(self, new: str, old: str) -> None:
        far = [(existing("The user likes opera.", 2), 0.2), (existing(old), 0.6)]
        decision = decide(candidate(new), far, THRESHOLD, said_at=NOW)
        assert (decision.kind, decision.note) == ("supersede", "change")
        assert decision.existing
        assert decision.existing.text == old

    @pytest.mark.parametrize(
        ("new", "old"),
        [
            ("The user lives in Lisbon.", "The user lives in Berlin."),
            ("The user is moving to Tallinn in September.", "The user lives in Berlin."),
            ("The user wants to work at Klarna.", "The user works at Shopify."),
            ("The user no longer works at Shopify.", "The user works at Klarna."),
            ("The user left Oracle.", "The user works at Klarna."),
            ("The user moved from Berlin to Lisbon.", "The user used to live in Porto."),
            ("The user moved from Berlin to Lisbon.", "The user's brother lives in Berlin."),
            ("The user moved from Berlin to Lisbon.", "The user works in Berlin."),
            ("The user moved to Lisbon.", "The user lives in Lisbon."),
            ("The user switched their major from biology to statistics.", "The user studies law."),
        ],
    )
    def test_no_change(self, new: str, old: str) -> None:
        assert decide(candidate(new), [(existing(old), 0.3)], THRESHOLD, said_at=NOW).kind == "add"

    def test_what_the_change_names_goes_before_what_is_nearer(self) -> None:
        near = [(existing("The user lives in Porto.", 1), 0.1), (existing("The user lives in Berlin.", 2), 0.5)]
        decision = decide(candidate("The user moved from Berlin to Lisbon."), near, THRESHOLD, said_at=NOW)
        assert decision.existing
        assert decision.existing.number == 2

    def test_not_in_another_scope_nor_backwards_in_time(self) -> None:
        text = "The user moved from Berlin to Lisbon."
        agent = existing("The user lives in Berlin.", scope="agent")
        assert decide(candidate(text), [(agent, 0.3)], THRESHOLD, said_at=NOW).kind == "add"
        newer = existing("The user lives in Berlin.", age=1)
        assert decide(candidate(text), [(newer, 0.3)], THRESHOLD, said_at=NOW - timedelta(days=9)).kind == "add"
