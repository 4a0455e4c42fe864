"""The ranker: what makes a memory come first, what keeps one out, and what one may rely on for any input."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ranking import (
    MAX_MESSAGE_TERMS,
    Content,
    Memories,
    Order,
    Outcome,
    Ranked,
    Statistics,
    best,
    choose,
    rank,
    similarities_of,
    text_scores,
)
from webapp.sameness import says_the_same
from webapp.terms import TermHashes, memory_terms, message_terms, term_hashes, terms

TODAY = date(2023, 5, 10)
FLOOR = 0.7


def memories(
    texts: Sequence[str],
    similarities: Sequence[float] | None = None,
    sessions: Sequence[int] | None = None,
    dates: Sequence[date] | None = None,
) -> Memories:
    said_on = dates or [TODAY] * len(texts)
    found = [term_hashes(memory_terms(text, day)) for text, day in zip(texts, said_on, strict=True)]
    return Memories.of(range(1, len(texts) + 1), found, similarities or [0.0] * len(texts), sessions)


def asked(message: str) -> TermHashes:
    return term_hashes(message_terms(message, TODAY))


def order_of(rows: Memories, message: str, order: Order = Order.HYBRID) -> list[int]:
    return [one.id for one in best(rank(rows, asked(message), FLOOR, order), len(rows.ids))]


def test_the_rarer_word_counts_more() -> None:
    rows = memories(["likes green tea", "likes tea", "likes black tea", "keeps a falcon"])
    assert order_of(rows, "falcon tea")[0] == 4


def test_words_count_even_where_hardly_anything_is_remembered() -> None:
    (only,) = rank(memories(["keeps a falcon"], [float("nan")]), asked("what does the falcon eat?"), FLOOR).relevant
    assert only


def test_a_word_in_a_short_memory_counts_more_than_in_a_long_one() -> None:
    rows = memories(["falcon " + "and many other animals in a large garden " * 5, "keeps a falcon", "tea"])
    assert order_of(rows, "falcon") == [2, 1, 3]


def test_meaning_decides_where_words_do_not() -> None:
    rows = memories(["works as a nurse", "lives by the sea"], similarities=[0.2, 0.5])
    assert order_of(rows, "what about the ocean") == [2, 1]


def test_words_and_meaning_add_up() -> None:
    rows = memories(["keeps a falcon", "keeps a hawk", "drinks tea"], similarities=[0.5, 0.55, 0.1])
    assert order_of(rows, "falcon")[0] == 1


def test_neighbours_in_the_session_lend_their_words() -> None:
    texts = ["Which falcon is it?", "A lanner, from the shelter.", "Likes green tea.", "Reads at night."]
    scores = text_scores(memories(texts, sessions=[1, 1, 2, 2]), asked("falcon"))
    assert scores[0] > scores[1] > 0
    assert scores[2] == scores[3] == 0


def test_a_nearer_neighbour_lends_more_on_either_side() -> None:
    texts = ["one", "two", "three", "a falcon", "four", "five", "six"]
    scores = text_scores(memories(texts, sessions=[1] * 7), asked("falcon"))
    assert scores[2] > scores[1] > scores[0]
    assert scores[4] > scores[5] > scores[6]


def test_memories_of_no_session_are_no_neighbours() -> None:
    scores = text_scores(memories(["a falcon", "a lanner"], sessions=[0, 0]), asked("falcon"))
    assert scores[1] == 0


def test_the_order_of_the_rows_does_not_matter() -> None:
    texts = ["Which falcon is it?", "A lanner.", "Green tea.", "A falcon again."]
    rows = memories(texts, sessions=[1, 1, 2, 2])
    shuffled = [2, 0, 3, 1]
    found = [term_hashes(memory_terms(texts[place], TODAY)) for place in shuffled]
    mixed = Memories(
        ids=rows.ids[shuffled],
        sessions=rows.sessions[shuffled],
        times=rows.times[shuffled],
        lengths=np.array([len(each) for each in found]),
        terms=np.concatenate(found),
        similarities=rows.similarities[shuffled],
    )
    assert text_scores(mixed, asked("falcon")).tolist() == text_scores(rows, asked("falcon"))[shuffled].tolist()


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("what did I paint last week?", TODAY - timedelta(days=8)),
        ("what did I paint yesterday?", TODAY - timedelta(days=1)),
        ("what did I paint in March 2023?", date(2023, 3, 20)),
        ("what did I paint on 7 February 2023?", date(2023, 2, 7)),
        ("what did I paint in 2021?", date(2021, 8, 1)),
    ],
)
def test_time_words_prefer_memories_of_that_time(message: str, wanted: date) -> None:
    others = [TODAY - timedelta(days=days) for days in (1, 8, 51, 92, 400, 700)]
    dates = [wanted, *(day for day in others if abs((day - wanted).days) > 7 or day.month != wanted.month)]
    rows = memories([f"painted picture {letter}" for letter in "abcdefg"[: len(dates)]], dates=dates)
    assert order_of(rows, message)[0] == 1


def test_a_memory_that_names_the_day_is_of_that_time() -> None:
    rows = memories(["meets Ana on 7 March 2023", "meets Ana on 8 March 2023"])
    assert order_of(rows, "who do I meet on 8 March 2023?")[0] == 2


def test_newer_comes_first_among_equals() -> None:
    assert order_of(memories(["likes tea", "likes tea"]), "tea") == [2, 1]


def test_cosine_order_is_that_of_the_vectors_alone() -> None:
    rows = memories(["keeps a falcon", "drinks tea", "reads"], similarities=[0.1, 0.3, 0.2])
    assert order_of(rows, "falcon", Order.COSINE) == [2, 3, 1]


def test_each_part_of_the_score_is_told() -> None:
    (one,) = best(rank(memories(["keeps a falcon"], similarities=[0.5]), asked("falcon"), FLOOR), 5)
    assert one.distance == pytest.approx(0.5)
    assert one.text > 0
    assert one.score == pytest.approx(one.text + 0.3 * 0.5)


@pytest.mark.parametrize(
    ("similarity", "message", "outcome"),
    [
        (0.31, "birds of prey", Outcome.CHOSEN),
        (0.29, "birds of prey", Outcome.NOT_RELEVANT),
        (0.2, "falcon", Outcome.CHOSEN),
        (0.2, "falcon among ten quite different things one could name at length", Outcome.NOT_RELEVANT),
        (float("nan"), "falcon", Outcome.CHOSEN),
        (float("nan"), "birds of prey", Outcome.NOT_RELEVANT),
    ],
)
def test_what_is_relevant(similarity: float, message: str, outcome: Outcome) -> None:
    rows = memories(["keeps a falcon", "drinks tea", "reads"], similarities=[similarity, 0.0, 0.0])
    (first,) = best(rank(rows, asked(message), FLOOR), 1, among=rows.ids == 1)
    assert first.outcome is outcome


def test_the_floor_belongs_to_the_model() -> None:
    rows = memories(["keeps a falcon"], similarities=[0.8])
    assert not rank(rows, asked("tea"), recall_floor=0.15).relevant[0]
    assert rank(rows, asked("tea"), recall_floor=0.25).relevant[0]


def test_only_the_rows_asked_for_are_given() -> None:
    ranking = rank(memories(["tea a", "tea b", "tea c"]), asked("tea"), FLOOR)
    assert {one.id for one in best(ranking, 5, np.array([True, False, True]))} == {1, 3}


def test_no_memories_and_no_words_are_no_error() -> None:
    assert best(rank(memories([]), asked("tea"), FLOOR), 5) == []
    assert text_scores(memories(["tea"]), asked("is it?")).tolist() == [0.0]
    assert text_scores(memories(["…"]), asked("tea")).tolist() == [0.0]


def test_a_long_message_is_judged_by_its_rarest_words() -> None:
    words = " ".join(f"word{number}" for number in range(MAX_MESSAGE_TERMS * 3))
    scores = text_scores(memories([words, "keeps a falcon", words, words]), asked(f"{words} falcon"))
    assert scores[1] > 0


@given(
    st.lists(st.tuples(st.text("abc ", max_size=12), st.integers(0, 2), st.floats(-1, 1, width=32)), max_size=12),
    st.text("abc ", max_size=12),
)
def test_scores_are_shares(rows: list[tuple[str, int, float]], message: str) -> None:
    columns = memories([text for text, _, _ in rows], [one for _, _, one in rows], [one for _, one, _ in rows])
    scores = text_scores(columns, asked(message))
    assert scores.shape == (len(rows),)
    assert ((scores >= 0) & (scores < 1)).all()


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=8))
def test_without_sessions_the_text_score_is_textbook_bm25(rows: list[list[str]]) -> None:
    asked_for = ["a", "b", "z"]
    columns = Memories.of(range(len(rows)), [term_hashes(row) for row in rows], [0.0] * len(rows))
    found = text_scores(columns, term_hashes(asked_for))
    assert found.tolist() == pytest.approx(_bm25(rows, asked_for), abs=1e-5)


def _bm25(rows: list[list[str]], asked_for: list[str]) -> list[float]:
    """Robertson's formula with k1 = 0.9 and b = 0.5, as a share of the weight asked for; as if among 20 at least."""
    mean = sum(map(len, rows)) / len(rows)
    held_by = {term: sum(term in row for row in rows) for term in asked_for}
    weight = {term: np.log(1 + (max(len(rows), 20) - held + 0.5) / (held + 0.5)) for term, held in held_by.items()}
    scores = []
    for row in rows:
        norm = 0.9 * (0.5 + 0.5 * len(row) / mean) if mean else 1.0
        parts = [weight[term] * row.count(term) / (row.count(term) + norm) for term in asked_for]
        scores.append(sum(parts) / sum(weight.values()))
    return scores


def test_similarities_find_their_rows() -> None:
    found = similarities_of(np.array([5, 3, 9]), np.array([9, 5]), np.array([0.25, 0.5], dtype=np.float32))
    assert found[[0, 2]].tolist() == [0.5, 0.75]
    assert np.isnan(found[1])


def ranked(count: int) -> list[Ranked]:
    return [Ranked(id, 1.0 - id / 100, 0.5, 0.5, Outcome.CHOSEN) for id in range(1, count + 1)]


def contents(*texts: str, angle: float = 0.1) -> dict[int, Content]:
    """Texts whose vectors lie ``angle`` radians apart from one to the next."""
    vectors = [np.array([np.cos(angle * n), np.sin(angle * n)], dtype=np.float32) for n in range(len(texts))]
    return {id: Content(text, vector) for id, (text, vector) in enumerate(zip(texts, vectors, strict=True), 1)}


def outcomes(decided: Sequence[Ranked]) -> list[Outcome]:
    return [one.outcome for one in decided]


def test_near_duplicates_do_not_fill_the_places() -> None:
    rows = contents("likes tea", "really likes tea", "likes tea a lot", "keeps a falcon")
    rows[4] = Content("keeps a falcon", np.array([0.0, -1.0], dtype=np.float32))
    decided = choose(ranked(4), rows, places=2, duplicate_distance=0.1)
    assert outcomes(decided) == [
        Outcome.CHOSEN,
        Outcome.NEAR_DUPLICATE,
        Outcome.NEAR_DUPLICATE,
        Outcome.CHOSEN,
    ]


def test_what_is_not_near_is_no_duplicate() -> None:
    decided = choose(ranked(2), contents("likes tea", "really likes tea", angle=1.0), 5, 0.1)
    assert outcomes(decided) == [Outcome.CHOSEN] * 2


def test_a_memory_without_a_vector_is_no_duplicate() -> None:
    rows = {1: Content("likes tea", None), 2: Content("likes tea a lot", None)}
    assert outcomes(choose(ranked(2), rows, 5, 0.1)) == [Outcome.CHOSEN] * 2


def test_places_end() -> None:
    decided = choose(ranked(3), contents("tea", "falcon", "sea", angle=1.0), 1, 0.1)
    assert outcomes(decided) == [Outcome.CHOSEN, Outcome.NO_PLACE, Outcome.NO_PLACE]


def test_what_is_not_relevant_takes_no_place() -> None:
    rows = [Ranked(1, 0.9, 0.0, 0.9, Outcome.NOT_RELEVANT), *ranked(2)[1:]]
    assert outcomes(choose(rows, contents("tea", "falcon"), 1, 0.1)) == [Outcome.NOT_RELEVANT, Outcome.CHOSEN]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The user likes tea", "The user really likes tea", True),
        ("Caroline paints", "The user said that Caroline paints", True),
        ("The user prefers tea over coffee", "The user prefers coffee over tea", False),
        ("born on March 5", "born on March 15", False),
        ("has 2 children", "has 3 children", False),
        ("The user likes tea", "The user does not like tea", False),
        ("Er trinkt Tee", "Er trinkt keinen Tee, nie", False),
        ("works in Paris", "works in Rome", False),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    assert says_the_same(one, other) is same
    assert says_the_same(other, one) is same


def test_every_text_says_the_same_as_itself() -> None:
    text = "On 7 May 2023 Ana did not drink tea in Paris"
    assert says_the_same(text, text)
    assert terms(text)


def test_some_of_the_memories_score_as_they_would_among_all() -> None:
    """Where only likely ones are looked at, what is known of the whole makes up for those that are not."""
    texts = ["keeps a falcon", "drinks green tea", "likes tea", "a falcon and tea", "reads at night", "sleeps"]
    everything = memories(texts, dates=[TODAY] * 6)
    message = asked("falcon tea telescope")
    held_by = {int(term): int(np.count_nonzero([term in terms_of(text) for text in texts])) for term in message}
    whole = Statistics(len(texts), float(everything.lengths.mean()), held_by)
    some = memories([texts[0], texts[3]])
    assert text_scores(some, message, whole) == pytest.approx(text_scores(everything, message)[[0, 3]])


def terms_of(text: str) -> TermHashes:
    return term_hashes(memory_terms(text, TODAY))
